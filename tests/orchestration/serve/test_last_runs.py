"""Which failed runs the root page lists, by the answers of Dagster's own server."""

import dagster as dg
import pytest
from starlette.testclient import TestClient

from silverloom.orchestration.compat import DATA_VERSION_TAG, web_application
from silverloom.orchestration.dagster.health import ABSENT
from silverloom.orchestration.serve import last_runs

MONTHS = dg.StaticPartitionsDefinition(["2018-06", "2018-07"])


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dagster")
    (folder / "nothing.py").write_text("import dagster as dg\n\ndefs = dg.Definitions()\n")
    place = folder / "workspace.yaml"
    place.write_text("load_from: [{python_file: nothing.py}]")
    with (
        dg.DagsterInstance.local_temp(str(folder)) as instance,
        web_application(instance, place) as app,
    ):
        yield instance, TestClient(app)


@pytest.fixture
def ran(server, monkeypatch):
    """Make assets of a month, of which some fail; return the runs that are listed as failed."""
    instance, client = server
    instance.wipe()
    monkeypatch.setattr(last_runs, "ASKED", 2)
    monkeypatch.setattr(
        last_runs.urllib3, "request", lambda method, url, json, **_: client.post("/graphql", json=json)
    )

    def asset(name, fails, partitions):
        @dg.asset(name=name, partitions_def=partitions)
        def body():
            if fails:
                raise dg.Failure("no row")

        return body

    def ran(month, *names, fails=(), whole=()):
        assets = [asset(name, name in fails, None if name in whole else MONTHS) for name in names]
        job = dg.Definitions(assets, jobs=[dg.define_asset_job("all", assets)]).resolve_job_def("all")
        job.execute_in_process(
            instance=instance,
            partition_key=month,
            asset_selection=[made.key for made in assets],
            raise_on_error=False,
        )
        _, failed = last_runs.last_runs("http://dagster/")
        return [run.what for run in failed]

    return ran


def test_a_failed_run_is_listed_until_all_that_it_should_have_made_is_made(ran):
    assert ran("2018-06", "a", "b", fails=["b"]) == ["a and 1 more 2018-06"]
    assert ran("2018-06", "a") == ran("2018-07", "b") == ["a and 1 more 2018-06"]
    assert ran("2018-06", "b") == []


def test_a_failure_that_was_mended_before_the_last_runs_is_not_listed(ran):
    ran("2018-06", "a", fails=["a"])
    ran("2018-06", "a")
    for _ in range(3):
        assert ran("2018-07", "c") == []


def test_runs_of_as_many_other_assets_are_told_apart(ran):
    ran("2018-06", "a", "b", fails=["b"])
    assert ran("2018-06", "a", "c") == ["a and 1 more 2018-06"]


def test_an_asset_without_partitions_may_be_made_with_a_month(ran):
    assert ran("2018-06", "a", "all", fails=["all"], whole=["all"]) != []
    assert ran("2018-06", "a", "all", whole=["all"]) == []


def test_what_is_absent_is_not_made(ran, server):
    instance, _ = server
    assert ran("2018-06", "a", fails=["a"]) == ["a 2018-06"]
    gone = dg.AssetMaterialization("a", partition="2018-06", tags={DATA_VERSION_TAG: ABSENT})
    instance.report_runless_asset_event(gone)
    assert ran("2018-07", "b") == ["a 2018-06"]
