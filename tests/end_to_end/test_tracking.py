"""Every made partition is a run in MLflow, whose datasets have DVC's hashes; assets and runs link to each other."""

import json

import dagster as dg
import pandas
import pytest
import yaml
from mlflow.pyfunc import load_model

from silverloom.ops.talksumm.align.hmm import HmmParams
from silverloom.orchestration.files.identity import version
from tests.end_to_end.stores import client, dagster_of, runs


def locked(project) -> dict[str, str]:
    """DVC's hash of every partition, from dvc.lock and the manifests in DVC's cache."""
    found = {}
    for stage in yaml.safe_load(project.lock)["stages"].values():
        for out in stage.get("outs", ()):
            if out["path"].startswith("data/"):
                name, md5 = out["path"].removeprefix("data/"), out["md5"]
                path = project.root / ".dvc/cache/files/md5" / md5[:2] / md5[2:]
                files = {one["relpath"]: one["md5"] for one in json.loads(path.read_text())}
                months = {path.split("/")[0] for path in files if path[:2] == "20" and "/" in path}
                for month in months:
                    inside = {
                        p.removeprefix(f"{month}/"): md5 for p, md5 in files.items() if p.startswith(month)
                    }
                    found[f"{name} {month}"] = version(inside)
                if not months:
                    found[name] = md5
    return found


def every_month(project, name, month) -> dict[str, str]:
    """The manifest's entry, cut to MLflow's maximum length, for each input of which all months are read."""
    path = project.root / "manifests" / name / (f"{month}.json" if month[:2] == "20" else "all.json")
    inputs = json.loads(path.read_text())["key"]["inputs"] if path.exists() else {}
    return {f"{key} *": found["*"][:36] for key, found in inputs.items() if "*" in found}


@pytest.fixture(scope="module")
def tracked(done_project, tmp_path_factory):
    """A finished project for tests that change nothing in it."""
    return done_project.copy(tmp_path_factory.mktemp("tracked") / "checkout")


def test_the_digests_of_a_runs_datasets_are_dvcs_hashes_or_those_of_all_months(tracked):
    hashes = locked(tracked)
    seen = set()
    for name in ("talksumm/pairs", "talksumm/alignments", "talksumm/training_sets"):
        for month, run in runs(tracked, name).items():
            known = hashes | every_month(tracked, name, month)
            for item in run.inputs.dataset_inputs:
                assert item.dataset.digest == known[item.dataset.name]
                seen.add((item.tags[0].value, item.dataset.name))
            own = name if month == "all" else f"{name} {month}"
            assert run.data.tags["data version"] == hashes[own]
            assert ("output", own) in seen and run.info.status == "FINISHED"
    assert ("input", "sources/talks 2018-06") in seen and ("input", "sources/papers *") in seen


def test_a_run_records_its_params_code_and_results(tracked):
    run = runs(tracked, "talksumm/alignments")["2018-06"]
    params = HmmParams()
    assert run.data.params["talksumm.hmm.lambda"] == str(params.lambda_)
    assert json.loads(run.data.params["talksumm.hmm.excluded_roles"]) == [*params.excluded_roles]
    metrics = run.data.metrics
    reasons = sum(value for key, value in metrics.items() if key.startswith("dropped/"))
    assert metrics["kept"] > 0 and metrics["dropped"] == reasons > 0
    assert metrics["drop share"] == metrics["dropped"] / (metrics["dropped"] + metrics["kept"])
    first = tracked.git("rev-list", "--max-parents=0", "HEAD").strip()
    assert run.data.tags["mlflow.source.git.commit"] == first
    assert run.data.tags["mlflow.source.git.dirty"] == "false", "files that runs write do not count as edits"


def test_assets_and_runs_name_each_other_without_an_address_of_a_server(tracked):
    run = runs(tracked, "talksumm/alignments")["2018-06"]
    with dagster_of(tracked) as instance:
        chosen = dg.AssetRecordsFilter(dg.AssetKey(["talksumm", "alignments"]), asset_partitions=["2018-06"])
        (record, *_) = instance.fetch_materializations(chosen, limit=1).records
        metadata = record.asset_materialization.metadata
        assert run.data.tags["data version"] == metadata["md5"].value
        assert record.run_id == run.data.tags["Dagster run id"]
        assert instance.get_run_by_id(run.data.tags["Dagster run id"]).is_success
    page = "data/quality/pages/datasets/talksumm-alignments.html"
    assert metadata["data-quality page"].value == run.data.tags["data-quality page"] == page
    assert "://127.0.0.1" not in f"{metadata}{run.data.tags}"


def test_a_training_logs_a_run_for_each_model_with_its_curve_and_the_chosen_one_can_be_loaded(tracked):
    told = json.loads((tracked.root / "data/talksumm/extractor/__files/models.json").read_text())
    found = runs(tracked, "talksumm/extractor")
    mlflow, children = client(tracked), {model["model"]: found[model["model"]] for model in told}
    for model in told:
        run = children[model["model"]]
        assert run.data.tags["mlflow.parentRunId"] == found["all"].info.run_id
        history = mlflow.get_metric_history(run.info.run_id, "rouge2_f")
        points = [(one["step"], one["value"]) for one in model["curve"] if one["name"] == "rouge2_f"]
        assert points and [(one.step, one.value) for one in history] == points
        assert "input" in {one.tags[0].value for one in run.inputs.dataset_inputs}
    (chosen,) = (model["model"] for model in told if model["chosen"])
    (best,) = mlflow.search_model_versions("name = 'talksumm.extractor'")
    assert best.tags["model"] == chosen and best.run_id == children[chosen].info.run_id
    model = load_model(
        str(tracked.root / ".silverloom/mlflow" / best.source.removeprefix("mlflow-artifacts:/"))
    )
    assert model.metadata.signature.inputs.input_names() == ["title", "sentences"]
    paper = {"title": "On rows", "sentences": ["We count every row .", "Nothing is lost ."]}
    (answer,) = model.predict(pandas.DataFrame([paper])).to_dict("records")
    assert sorted(answer["indices"]) == [0, 1] and len(answer["scores"]) == 2


def test_a_partition_that_fails_its_checks_has_no_run(failed_project, done_toy_project):
    tracked, left = (runs(project, "toy/questions") for project in (done_toy_project, failed_project))
    assert tracked and [run.info.run_id for run in left.values()] == [
        run.info.run_id for run in tracked.values()
    ]


@pytest.mark.long
def test_a_stage_sends_its_runs_to_a_server_itself_and_does_not_need_it(done):
    done.params(lambda params: params["talksumm"]["hmm"].update(epsilon=0.2))
    nobody = {"MLFLOW_TRACKING_URI": "http://127.0.0.1:9"}
    output = done.repro(env=nobody)
    assert "not all runs are in MLflow" in output and "Connection refused" in output
    assert "Connection refused" in done.silverloom("send", env=nobody, ok=False)
    assert done.silverloom("send") == "MLflow has a run of each partition\n"
    assert "0.2" in {
        run.data.params["talksumm.hmm.epsilon"] for run in runs(done, "talksumm/alignments").values()
    }


@pytest.mark.long
def test_runs_of_an_experiment_in_a_temporary_folder_are_sent_to_a_server_or_when_it_is_applied(done):
    change = ("-S", "++talksumm.hmm.epsilon=0.2")
    stages = ("sources-papers", "talksumm-alignments")
    nobody = {"MLFLOW_TRACKING_URI": "http://127.0.0.1:9"}
    output = done.dvc("exp", "run", "--temp", "--name", "lost", *change, *stages, env=nobody)
    assert "not all runs are in MLflow" in output
    assert not list((done.root / ".dvc/tmp/exps").glob("*/tmp*")), "the folder is gone"
    done.dvc("exp", "apply", "lost")
    assert done.silverloom("send") == "MLflow has a run of each partition\n"
    assert runs(done, "talksumm/alignments")["2018-06"].data.params["talksumm.hmm.epsilon"] == "0.2"
