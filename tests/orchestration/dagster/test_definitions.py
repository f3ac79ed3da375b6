"""The definitions that Dagster loads, and runs of checks only; a stub makes and checks partitions."""

import tomllib

import dagster as dg
import pytest

from silverloom.assets.declare.checks import CHECKS
from silverloom.assets.declare.project import checkout
from silverloom.orchestration import definitions
from silverloom.orchestration.definitions import build, workspace
from silverloom.orchestration.partition.store import Store
from silverloom.orchestration.state.addresses import PORT

EXAMPLES = dg.AssetKey(["discofuse", "examples"])


class Maker(Store):
    """Makes and checks nothing, but records the requests; some checks fail."""

    def __init__(self, failing=()):
        super().__init__(workspace())
        self.failing, self.asked = failing, []

    def make(self, declaration, context):
        self.asked.append(("make", declaration.name, context.partition_key))
        return dg.MaterializeResult(data_version=dg.DataVersion("one"), check_results=self.results())

    def check(self, declaration, context):
        self.asked.append(("check", declaration.name, context.partition_key))
        return self.results()

    def results(self):
        return [dg.AssetCheckResult(check_name=name, passed=name not in self.failing) for name in CHECKS]


def run(maker, selection):
    defs = build(workspace(), {"store": maker})
    job = dg.define_asset_job("chosen", selection)
    repository = dg.Definitions.merge(defs, dg.Definitions(jobs=[job])).get_repository_def()
    # Dagster refuses `partition_key` if only checks are selected; its pages pass the partition by this tag, too
    tags = {"dagster/partition": "2018-06"}
    return repository.get_job("chosen").execute_in_process(tags=tags, raise_on_error=False)


def test_dagsters_commands_load_these_definitions():
    tools = tomllib.loads((checkout() / "pyproject.toml").read_text())["tool"]
    assert tools["dagster"]["module_name"] == definitions.__name__
    assert isinstance(definitions.defs, dg.Definitions)


def test_a_check_runs_alone_without_the_body_of_its_asset():
    maker = Maker()
    key = dg.AssetCheckKey(EXAMPLES, "expectations")
    ran = run(maker, dg.AssetSelection.checks(key))
    assert ran.success and maker.asked == [("check", "discofuse/examples", "2018-06")]
    (evaluation,) = ran.get_asset_check_evaluations()
    assert (evaluation.check_name, evaluation.passed, evaluation.partition) == (
        "expectations",
        True,
        "2018-06",
    )
    assert ran.get_asset_materialization_events() == []


def test_all_checks_of_an_asset_run_alone_and_a_blocking_one_fails_the_run_after_its_results():
    maker = Maker(failing=["expectations"])
    ran = run(maker, dg.AssetSelection.checks_for_assets(EXAMPLES))
    assert not ran.success and maker.asked == [("check", "discofuse/examples", "2018-06")]
    found = {evaluation.check_name: evaluation.passed for evaluation in ran.get_asset_check_evaluations()}
    assert found == {name: name != "expectations" for name in CHECKS}


def test_an_asset_is_made_with_its_checks():
    maker = Maker(failing=["warnings"])
    ran = run(maker, dg.AssetSelection.assets(EXAMPLES))
    assert ran.success and maker.asked == [("make", "discofuse/examples", "2018-06")]
    assert [event.asset_key for event in ran.get_asset_materialization_events()] == [EXAMPLES]
    assert {evaluation.check_name for evaluation in ran.get_asset_check_evaluations()} == set(CHECKS)


@pytest.mark.parametrize("without", [True, False])
def test_an_asset_whose_check_fails_is_not_materialised(without):
    selection = dg.AssetSelection.assets(EXAMPLES)
    maker = Maker(failing=["expectations"])
    ran = run(maker, selection.without_checks() if without else selection)
    assert not ran.success and ran.get_asset_materialization_events() == []


def test_only_the_sensor_of_sources_evaluates_conditions(monkeypatch):
    repository = build(workspace()).get_repository_def()
    names = {sensor.name for sensor in repository.sensor_defs}
    assert names == {"source_files", "runs_to_mlflow"}
    monkeypatch.setenv(PORT, "3000")  # as `silverloom ui` does for its servers
    more = {sensor.name for sensor in build(workspace()).get_repository_def().sensor_defs}
    assert more == names | {"reload_definitions"}
