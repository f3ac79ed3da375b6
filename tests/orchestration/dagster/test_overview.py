"""The graph in Dagster's UI is divided into what leads to released rows and what is made from them."""

import dagster as dg
import pyarrow as pa
import pytest

from silverloom.assets.declare.dagster_asset import column_lineage
from silverloom.assets.examples import example_of, examples
from silverloom.orchestration.dagster.overview import groups, jobs, shown
from silverloom.orchestration.definitions import defs, workspace

SYSTEMS = ("discofuse", "parasci", "talksumm", "wikisum")


def group_of(name):
    return groups(workspace())[dg.AssetKey(name.split("/"))]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_group_of_a_system_is_the_way_from_text_to_released_rows(system):
    (files,) = (d for d in workspace().datasets.values() if d.name == f"{system}/release_files")
    needed = {dataset.name for dataset in (files, *workspace().graph.ancestors(files))}
    for name, dataset in workspace().datasets.items():
        if dataset.key.group == system:
            assert group_of(name) == (system if name in needed else f"{system}_evaluation"), name
    assert group_of(f"{system}/evaluation") == f"{system}_evaluation"
    assert [group_of(f"sources/{name}") for name in ("papers", "citations")] == ["sources"] * 2
    assert [group_of(f"sources/{name}") for name in ("filtered_papers", "sentences")] == [
        "sources_filtered"
    ] * 2
    assert group_of("quality/pages") == "quality"


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_job_of_a_system_makes_its_release_from_its_sources_and_nothing_else(system):
    job = defs.resolve_job_def(system)
    made = {"/".join(key.path) for key in job.asset_layer.executable_asset_keys}
    graph = workspace().graph
    files = workspace().datasets[f"{system}/release_files"]
    assert made == {dataset.name for dataset in (files, *graph.ancestors(files))}


def test_the_job_of_the_release_makes_the_released_files_of_all_systems():
    made = {"/".join(key.path) for key in defs.resolve_job_def("release").asset_layer.executable_asset_keys}
    assert {f"{system}/release_files" for system in SYSTEMS} <= made
    assert "quality/pages" not in made and "discofuse/evaluation" not in made


def test_an_asset_names_its_table_and_its_folder():
    node = defs.resolve_asset_graph().get(dg.AssetKey(["discofuse", "examples"]))
    assert node.metadata["dagster/table_name"] == "discofuse.examples"
    assert node.metadata["dagster/uri"] == (workspace().root / "data/discofuse/examples").absolute().as_uri()
    assert node.kinds == {"parquet", "duckdb"}
    annotated = defs.resolve_asset_graph().get(dg.AssetKey(["discofuse", "annotated"]))
    assert annotated.kinds == {"parquet", "spacy"}
    trained = defs.resolve_asset_graph().get(dg.AssetKey(["discofuse", "fusion_model"]))
    assert trained.kinds == {"parquet", "pytorch"}


def specs():
    """The specs of all datasets as Dagster's UI gets them, by name."""
    assets = [asset for asset in shown(workspace(), defs.assets) if isinstance(asset, dg.AssetsDefinition)]
    return {spec.key.to_user_string(): spec for asset in assets for spec in asset.specs}


def test_an_asset_names_its_layer_and_its_owners(monkeypatch):
    settings = workspace().settings
    owners = {"discofuse": ["team:language"], "discofuse/examples": ["me@example.org"]}
    monkeypatch.setattr(type(workspace()), "settings", settings.model_copy(update={"owners": owners}))
    described = specs()
    assert described["discofuse/examples"].owners == ["me@example.org"]
    assert described["discofuse/balanced"].owners == ["team:language"]
    assert not described["sources/papers"].owners
    layers = {name: spec.tags["layer"] for name, spec in described.items() if "layer" in spec.tags}
    assert (layers["sources/papers"], layers["discofuse/examples"]) == ("raw", "step")
    assert (layers["discofuse/release_files"], layers["discofuse/fusion_model"]) == ("released", "model")
    assert (layers["discofuse/evaluation"], layers["quality/pages"]) == ("evaluation", "report")


@pytest.mark.parametrize(("end", "days"), [("2018-08", None), ("latest", 62)])
def test_released_files_may_be_too_old_only_where_partitions_follow_the_sources(monkeypatch, end, days):
    settings = workspace().settings
    partitions = settings.partitions.model_copy(update={"end": end})
    monkeypatch.setattr(type(workspace()), "settings", settings.model_copy(update={"partitions": partitions}))
    described = specs()
    policy = described["discofuse/release_files"].freshness_policy
    assert (policy and policy.fail_window.to_timedelta().days) == days
    assert described["discofuse/examples"].freshness_policy is None


def test_a_column_comes_from_that_of_the_unit_with_the_same_meaning():
    def lineage(*key):
        (found,) = column_lineage(workspace().datasets["/".join(key)]).values()
        return {
            column: [("/".join(dep.asset_key.path), dep.column_name) for dep in deps]
            for column, deps in found.deps_by_column.items()
        }

    examples = lineage("discofuse", "examples")
    assert examples["sentence"] == [("discofuse/candidates", "sentence")]
    assert examples["source_ids"] == [("discofuse/candidates", "id")] and "id" not in examples
    assert lineage("discofuse", "candidates")["source_ids"] == [("discofuse/annotated", "sentences")]
    assert column_lineage(workspace().datasets["sources/papers"]) == {}, "it consumes no dataset"


def test_runs_that_share_a_gpu_or_ask_the_web_are_in_a_pool():
    pools = {key.path[-1]: defs.resolve_assets_def(key).op.pool for key in groups(workspace())}
    assert pools["fusion_model"] == "gpu" and pools["crawls"] == "crawl" and pools["examples"] is None


def test_a_description_has_no_indentation_which_markdown_would_show_as_code():
    assert not [name for name, spec in specs().items() if "\n    " in (spec.description or "")]


def test_the_description_of_each_dataset_up_to_released_rows_has_a_row_of_its_columns():
    described, shown_groups = specs(), groups(workspace())
    for dataset in workspace().datasets.values():
        if (row := example_of(dataset)) is None:
            left_out = shown_groups[dg.AssetKey([*dataset.key])].endswith("_evaluation")
            assert left_out or dataset.shape is None, dataset.name
            continue
        for column, value in row.items():
            pa.array([value], dataset.shape.kept.field(column).type)
            assert f"- **{column}**: " in described[dataset.name].description
    assert examples().keys() <= workspace().datasets.keys()
    assert "- **fused**: Joseph Penn , who" in described["discofuse/clean_examples"].description


@pytest.mark.parametrize(("logs", "config"), [("", {}), ("json", {"loggers": {"console": {}}})])
def test_jobs_log_json_if_it_is_asked_for(monkeypatch, logs, config):
    monkeypatch.setenv("SILVERLOOM_LOGS", logs)
    (job,) = (job for job in jobs(workspace()) if job.name == "release")
    assert (job.config or {}) == config
