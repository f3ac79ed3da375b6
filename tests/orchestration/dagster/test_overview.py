"""The graph in Dagster's UI is divided into what leads to released rows and what is made from them."""

import dagster as dg
import pytest

from silverloom.orchestration.dagster.overview import groups
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
    assert group_of("sources/papers") == "sources" and group_of("quality/pages") == "quality"


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_job_of_a_system_makes_its_release_from_its_sources_and_nothing_else(system):
    job = defs.resolve_job_def(system)
    made = {"/".join(key.path) for key in job.asset_layer.executable_asset_keys}
    graph = workspace().graph
    files = workspace().datasets[f"{system}/release_files"]
    assert made == {dataset.name for dataset in (files, *graph.ancestors(files))}


def test_an_asset_names_its_table_and_its_folder():
    node = defs.resolve_asset_graph().get(dg.AssetKey(["discofuse", "examples"]))
    assert node.metadata["dagster/table_name"] == "discofuse.examples"
    assert node.metadata["dagster/uri"] == (workspace().root / "data/discofuse/examples").absolute().as_uri()
    assert node.kinds == {"parquet"}
    trained = defs.resolve_asset_graph().get(dg.AssetKey(["discofuse", "fusion_model"]))
    assert trained.kinds == {"parquet", "pytorch"}
