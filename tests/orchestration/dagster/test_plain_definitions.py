"""A plain `Definitions` in a module of assets/ is merged whole, and contradictions are named."""

import sys

import dagster as dg
import pytest

import silverloom.assets
from silverloom.orchestration.definitions import build, workspace

MODULE = """
import dagster as dg

@dg.asset
def bought(context: dg.AssetExecutionContext, shop: dg.ResourceParam[str]):
    context.add_output_metadata({"from": shop})

@dg.logger
def quiet(context): ...

def hidden():
    @dg.asset
    def listed(): ...
    return listed

defs = dg.Definitions(assets=[bought, hidden()], ARGUMENTS)
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write modules of assets/, each with Definitions of these arguments."""
    before = set(sys.modules)
    monkeypatch.setattr(silverloom.assets, "__path__", [*silverloom.assets.__path__, str(tmp_path)])

    def write(**modules):
        for name, arguments in modules.items():
            text = MODULE.replace("ARGUMENTS", arguments).replace("bought", f"bought_in_{name}")
            (tmp_path / f"{name}.py").write_text(text.replace("listed", f"listed_in_{name}"))

    yield write
    for name in set(sys.modules) - before:
        if name.startswith("silverloom.assets."):
            del sys.modules[name]


def test_what_only_a_definitions_object_holds_is_loaded(written):
    written(town='resources={"shop": "bakery"}, loggers={"quiet": quiet}, executor=dg.multiprocess_executor')
    defs = build(workspace())
    keys = defs.resolve_asset_graph().get_all_asset_keys()
    assert {dg.AssetKey("bought_in_town"), dg.AssetKey("listed_in_town")} <= keys
    assert dg.AssetKey(["talksumm", "pairs"]) in keys
    assert [*defs.loggers] == ["quiet"] and defs.executor is dg.multiprocess_executor
    job = defs.resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.ephemeral() as instance:
        ran = job.execute_in_process(instance=instance, asset_selection=[dg.AssetKey("bought_in_town")])
    assert ran.success
    (made,) = ran.get_asset_materialization_events()
    assert made.materialization.metadata["from"].value == "bakery"


def test_without_one_runs_are_in_one_process_and_the_store_is_there():
    defs = build(workspace())
    assert defs.executor is dg.in_process_executor and {*defs.resources} == {"store", "rows"}


def test_two_that_contradict_each_other_are_refused_in_one_line(written):
    written(left='resources={"shop": "a"}', right='resources={"shop": "b"}')
    with pytest.raises(ValueError, match="different resources with same key 'shop'"):
        build(workspace())


def test_the_store_is_not_theirs_to_replace(written):
    written(town='resources={"store": "bakery", "shop": "a"}')
    with pytest.raises(ValueError, match="different resources with same key 'store'"):
        build(workspace())
