"""Great Expectations' project shows what manifests say about checks, once, and its checkpoints run."""

import json

import great_expectations as gx
import pyarrow as pa
import pytest

from silverloom.orchestration.files.publish import lock_file
from silverloom.orchestration.gx.docs import TEMPLATE, renew_docs, write_docs
from silverloom.orchestration.state.freshness import Manifest, write_manifest

PAIRS, NAME = "talksumm/pairs", "silverloom.talksumm.pairs"


def checked(
    workspace,
    month="2018-06",
    content="0",
    failed=(),
    observed="3 rows",
    expectations=None,
    name=PAIRS,
    checks=None,
):
    """Write a manifest with the results of its checks, of which those about some columns `failed`."""
    dataset = workspace.datasets[name]
    code = {**dataset.code, "expectations": expectations or dataset.code["expectations"]}
    kept = [asked for asked in dataset.suite if asked.table == "kept"]
    results = {
        check: [
            {
                "expected": asked.name,
                "severity": severity,
                "passed": asked.columns[0] not in failed,
                "observed": observed,
            }
            for asked in kept
            if asked.severity == severity
        ]
        for check, severity in (("expectations", "error"), ("warnings", "warning"))
    }
    counts = {"kept": 3, "dropped": 0, "rejected": 0, "reasons": {}}
    key = {"inputs": {}, "params": {}, "code": code}
    manifest = Manifest(key, {"kept-00000.parquet": content * 32}, counts, checks or results)
    write_manifest(workspace, dataset, month, manifest)
    return kept


def results(workspace) -> list[dict]:
    folder = workspace.root / "gx/uncommitted/validations/silverloom"
    return [json.loads(path.read_text()) for path in sorted(folder.rglob("*.json"))]


def test_a_report_has_no_page(tmp_workspace):
    report = tmp_workspace.datasets["quality/pages"]
    counts = {"kept": 0, "dropped": 0, "rejected": 0, "reasons": {}}
    key = {"inputs": {}, "params": {}, "code": dict(report.code)}
    write_manifest(tmp_workspace, report, "", Manifest(key, {"index.html": "0" * 32}, counts))
    write_docs(tmp_workspace, tmp_workspace.datasets.values())
    assert not results(tmp_workspace)


def test_the_results_of_a_manifest_are_in_the_store_and_in_data_docs(tmp_workspace):
    kept = checked(tmp_workspace, failed=("similarity",), observed="violated in 2 rows (<b>7</b>)")
    first = write_docs(tmp_workspace, tmp_workspace.datasets.values())
    (result,) = results(tmp_workspace)
    failed = [one for one in result["results"] if not one["success"]]
    assert {one["expectation_config"]["kwargs"]["column"] for one in failed} == {"similarity"}
    assert result["suite_name"] == NAME and not result["success"]
    numbers = result["statistics"]
    assert numbers["evaluated_expectations"] == len(kept) == numbers["successful_expectations"] + len(failed)
    (page,) = (first.parent / "validations/silverloom/talksumm/pairs/2018-06").rglob("*.html")
    text = page.read_text()
    assert "violated in 2 rows" in text and "<b>7</b>" not in text and "&lt;b&gt;7" in text
    assert (first.parent / "expectations/silverloom/talksumm/pairs.html").exists()
    assert NAME in first.read_text()


def test_each_version_of_a_partition_and_of_its_checks_is_written_once(tmp_workspace):
    checked(tmp_workspace)
    chosen = [tmp_workspace.datasets[PAIRS]]
    first = write_docs(tmp_workspace, chosen)
    before = first.stat().st_mtime_ns
    write_docs(tmp_workspace, chosen)
    assert len(results(tmp_workspace)) == 1 and first.stat().st_mtime_ns == before, "nothing is new"
    checked(tmp_workspace, content="1")
    checked(tmp_workspace, "2018-07", expectations="of former checks")
    write_docs(tmp_workspace, chosen)
    assert len(results(tmp_workspace)) == 2, "the other month was not checked since its checks changed"


def test_a_month_whose_expectations_could_not_be_evaluated_has_failed(tmp_workspace):
    chosen = [tmp_workspace.datasets[PAIRS]]
    fault = {"expected": "the expectations", "passed": False, "observed": "could not be evaluated: no memory"}
    checks = {"expectations": [{**fault, "severity": "error"}], "warnings": []}
    kept = checked(tmp_workspace, checks=checks)
    write_docs(tmp_workspace, chosen)
    (result,) = results(tmp_workspace)
    assert not result["success"] and len(result["results"]) == len(kept)
    assert {one["result"]["observed_value"] for one in result["results"]} == {fault["observed"]}
    checked(tmp_workspace)
    write_docs(tmp_workspace, chosen)
    assert {one["success"] for one in results(tmp_workspace)} == {True, False}, "checked again: other results"


def test_what_a_killed_process_left_unwritten_or_in_part_is_written_again(tmp_workspace):
    checked(tmp_workspace)
    chosen = [tmp_workspace.datasets[PAIRS]]
    first = write_docs(tmp_workspace, chosen)
    (page,) = (first.parent / "validations").rglob("*.html")
    suite_page = first.parent / "expectations/silverloom/talksumm/pairs.html"
    for lost in (page, suite_page):
        lost.unlink()
        write_docs(tmp_workspace, chosen)
        assert lost.exists()
    page.write_text("<html")  # later than the first page
    write_docs(tmp_workspace, chosen)
    assert "</html>" in page.read_text()
    folder = tmp_workspace.root / "gx"
    torn = [path for path in folder.rglob("*.json") if "silverloom" in path.relative_to(folder).as_posix()]
    assert len(torn) == 4, "suite, checkpoint, validation definition, result"
    for path in torn:
        path.write_text('{"id": ')
        write_docs(tmp_workspace, chosen)
        assert json.loads(path.read_text())


def test_another_process_that_writes_is_waited_for(tmp_workspace, monkeypatch):
    monkeypatch.setattr("silverloom.orchestration.files.publish.PATIENCE", 0.1)
    lock = tmp_workspace.state / "locks/shared.lock"
    with lock_file(lock), pytest.raises(TimeoutError, match=r"shared\.lock"):
        write_docs(tmp_workspace, [])


def test_a_wrong_suite_of_ones_own_stops_no_other_dataset_and_is_named(tmp_workspace):
    checked(tmp_workspace)
    checked(tmp_workspace, name="sources/papers")
    path = tmp_workspace.root / "gx/expectations/sources/papers.json"
    path.parent.mkdir(parents=True)
    path.write_text("{")

    class Wrong:
        key, name = tmp_workspace.datasets["sources/papers"].key, "sources/papers"

        @property
        def suite(self):
            raise ValueError("gx/expectations/sources/papers.json: Invalid JSON")

    with pytest.raises(ValueError, match=r"^sources/papers: gx/expectations/sources/papers\.json: Invalid"):
        write_docs(tmp_workspace, [Wrong(), tmp_workspace.datasets[PAIRS]])
    assert len(results(tmp_workspace)) == 1
    assert (tmp_workspace.quality / "gx/index.html").exists()


def test_its_checkpoint_runs_on_rows_of_any_partition(tmp_workspace):
    checked(tmp_workspace, name="sources/papers")
    write_docs(tmp_workspace, tmp_workspace.datasets.values())
    context = gx.get_context(mode="file", project_root_dir=tmp_workspace.root)
    columns = context.suites.get("silverloom.sources.papers").meta["columns"]
    rows = pa.table({name: ["2018-06" if name == "month" else None] for name in columns}).to_pandas()
    checkpoint = context.checkpoints.get("silverloom.sources.papers")
    run = checkpoint.run(
        batch_parameters={"dataframe": rows}, expectation_parameters={"this_partition": ["2018-06"]}
    )
    (result,) = run.run_results.values()
    met = {one.expectation_config.meta["name"]: one.success for one in result.results}
    assert met["month is this partition"] and not met["id is there"]


def test_a_users_own_project_stays_and_a_broken_one_is_named(tmp_workspace):
    assert renew_docs(tmp_workspace) == "" and not (tmp_workspace.root / "gx").exists(), "nobody asked"
    checked(tmp_workspace)
    write_docs(tmp_workspace, [])
    settings = tmp_workspace.root / "gx/great_expectations.yml"
    settings.write_text(settings.read_text() + "\n# mine\n")
    assert renew_docs(tmp_workspace) == "" and "# mine" in settings.read_text()
    assert len(results(tmp_workspace)) == 1
    settings.write_text(settings.read_text().replace("\n  silverloom:\n", "\n  mine:\n"))
    assert "yml has no source silverloom" in renew_docs(tmp_workspace)
    settings.write_text("plugins_directory: 3\n")
    assert "gx/great_expectations.yml" in renew_docs(tmp_workspace)
    with pytest.raises(ValueError, match=r"gx/great_expectations\.yml"):
        write_docs(tmp_workspace, [])


def test_opening_the_project_of_the_template_changes_none_of_its_files(tmp_path):
    for path in TEMPLATE.iterdir():
        (tmp_path / "gx").mkdir(exist_ok=True)
        (tmp_path / "gx" / path.name).write_bytes(path.read_bytes())
    gx.get_context(mode="file", project_root_dir=tmp_path)
    for path in TEMPLATE.iterdir():
        assert (tmp_path / "gx" / path.name).read_bytes() == path.read_bytes()
