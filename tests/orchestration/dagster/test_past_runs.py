"""What is known from Dagster's past runs: how long partitions took, which runs nothing needs, since when."""

from types import SimpleNamespace

import dagster as dg
import pytest

from silverloom.assets.declare.declaration import Key
from silverloom.orchestration.cli import plan
from silverloom.orchestration.compat import DATA_VERSION_TAG
from silverloom.orchestration.dagster import health, past_runs
from silverloom.orchestration.dagster.past_runs import ANY, DATASET
from silverloom.orchestration.state.plan import Step

MONTHS = ["2018-06", "2018-07"]
ROWS = SimpleNamespace(name="group/rows", key=Key("group", "rows"), partitions=MONTHS)
WORKSPACE = SimpleNamespace(datasets={ROWS.name: ROWS})


@pytest.fixture
def ran(monkeypatch):
    """Run an asset of a month, which may fail; return the run's id."""
    with dg.DagsterInstance.ephemeral() as instance:
        for module in (past_runs, health):
            monkeypatch.setattr(module, "instance", lambda: instance)

        def ran(month, fails=False, tags={DATASET: ROWS.name}):  # noqa: B006
            @dg.asset(key=["group", "rows"], partitions_def=dg.StaticPartitionsDefinition(MONTHS))
            def body():
                if fails:
                    raise dg.Failure("out of order")

            job = dg.Definitions([body], jobs=[dg.define_asset_job("rows", [body])]).resolve_job_def("rows")
            return job.execute_in_process(
                instance=instance,
                partition_key=month,
                tags=tags,
                asset_selection=[body.key],
                raise_on_error=False,
            ).run_id

        yield ran


def test_failed_runs_are_old_unless_they_are_the_last_attempt_and_others_never(ran):
    ran("2018-06")
    ran("2018-06")
    assert past_runs.old_runs(WORKSPACE, 0) == []
    failed, again = ran("2018-07", fails=True), ran("2018-07", fails=True)
    assert past_runs.old_runs(WORKSPACE, 0) == [failed] and past_runs.old_runs(WORKSPACE, 1) == []
    ran("2018-07")
    assert {*past_runs.old_runs(WORKSPACE, 0)} == {failed, again}


def test_a_partition_takes_as_long_as_its_last_run_and_a_new_one_as_long_as_the_longest(ran):
    ran("2018-06")
    took = past_runs.durations()
    assert took[ROWS.name, "2018-06"] == took[ROWS.name, ANY] > 0
    assert (ROWS.name, "2018-07") not in took


def test_the_plan_says_how_long_it_takes_and_which_dataset_takes_most(monkeypatch):
    took = {("a/slow", "2018-06"): 540.0, ("a/slow", ANY): 600.0, ("a/quick", "2018-06"): 30.0}
    monkeypatch.setattr(plan, "durations", lambda: took)

    def step(name, month="2018-06"):
        return Step(SimpleNamespace(name=name), month, ("missing",), certain=True)

    quick, slow, new, unknown = step("a/quick"), step("a/slow"), step("a/slow", "2018-07"), step("a/new")
    assert plan.expected([quick, slow]) == "about 9:30 if all is made, of which 9:00 for a/slow"
    assert plan.expected([quick, new, unknown]) == (
        "about 10:30 if all is made, of which 10:00 for a/slow, and 1 partition of which it is not known"
    )
    assert plan.expected([unknown]).startswith("how long it takes is not known")


def test_a_partition_is_failed_since_its_first_failure_after_it_was_made(ran):
    ran("2018-06", fails=True)
    ran("2018-06")
    first = ran("2018-06", fails=True)
    ran("2018-06", fails=True)
    times = health.once_failed(WORKSPACE)[ROWS.name, "2018-06"]
    assert len(times) == 3
    (ended,) = [
        record.end_time for record in past_runs.instance().get_run_records(dg.RunsFilter(run_ids=[first]))
    ]
    since = health.failed_since(ROWS, "2018-06", times)
    assert abs(since.timestamp() - ended) < 0.001


def test_what_sync_found_absent_is_not_made_since(ran):
    first = ran("2018-06", fails=True)
    gone = dg.AssetMaterialization(
        ["group", "rows"], partition="2018-06", tags={DATA_VERSION_TAG: health.ABSENT}
    )
    past_runs.instance().report_runless_asset_event(gone)
    ran("2018-06", fails=True)
    times = health.once_failed(WORKSPACE)[ROWS.name, "2018-06"]
    (ended,) = [
        record.end_time for record in past_runs.instance().get_run_records(dg.RunsFilter(run_ids=[first]))
    ]
    assert abs(health.failed_since(ROWS, "2018-06", times).timestamp() - ended) < 0.001


def test_a_run_from_the_browser_counts_if_it_makes_one_dataset(ran):
    ran("2018-06", tags={})
    assert past_runs.durations()[ROWS.name, "2018-06"] > 0
