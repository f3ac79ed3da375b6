"""Sensors: one sends runs to MLflow, if the server is down or slow, too; one has definitions loaded again."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import dagster as dg
import dagster_graphql
import pytest

from silverloom.orchestration.dagster import automation
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.publish import lock_file
from silverloom.orchestration.state.addresses import Addresses
from silverloom.orchestration.state.freshness import Manifest, manifest_file, write_manifest
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]
SEND = "tests.orchestration.dagster.send_alone"
NOTHING = "nothing was made since MLflow had all runs"


def make(workspace, month):
    key = {"inputs": {}, "params": {}, "code": {}}
    counts = {"kept": 1, "dropped": 0, "rejected": 0, "reasons": {}}
    manifest = Manifest(key, {"kept-00000.parquet": "0" * 32}, counts)
    write_manifest(workspace, workspace.datasets["talksumm/pairs"], month, manifest)


@pytest.fixture
def tick(tmp_workspace, monkeypatch, zygote):
    """Evaluate the sensor of a checkout; return the message of the tick."""

    def begin(workspace, command):
        pipe, argv = subprocess.PIPE, [zygote.bin / "python", "-m", SEND, str(workspace.root)]
        return subprocess.Popen(argv, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    monkeypatch.setattr(automation, "SENDING", 0.2)
    monkeypatch.setattr(automation, "begin", begin)
    sensor = automation.runs_to_mlflow(tmp_workspace)
    return lambda: sensor.evaluate_tick(dg.build_sensor_context()).skip_message


def test_a_server_that_is_down_fails_no_tick_and_is_tried_again(tick, tmp_workspace, monkeypatch):
    make(tmp_workspace, "2018-06")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    until(tick, lambda said: "not all runs are in MLflow" in said and "Connection refused" in said)
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    until(tick, lambda said: said == "MLflow has all runs")


def test_a_tick_ends_while_runs_are_still_being_sent_and_nothing_is_sent_if_nothing_was_made(
    tick, tmp_workspace
):
    assert tick() == NOTHING
    make(tmp_workspace, "2018-06")
    with contextlib.closing(lock_file(tmp_workspace.state / "locks/sending.lock", wait=True)):
        assert tick() == tick() == "still sending"
        make(tmp_workspace, "2018-07")
    until(tick, lambda said: said == "MLflow has all runs")
    until(tick, lambda said: said == "MLflow has all runs")  # of the second month, made meanwhile
    assert tick() == NOTHING
    manifest_file(tmp_workspace, tmp_workspace.datasets["talksumm/pairs"], "2018-07").unlink()
    assert tick() != NOTHING


def test_the_schedule_says_that_a_newer_month_than_the_loaded_ones_needs_a_reload(monkeypatch):
    def planned(newest, status=0):
        code = f'print(\'{{"newest": "{newest}"}}\'); raise SystemExit({status})'
        pipe, argv = subprocess.PIPE, [sys.executable, "-c", code]
        return lambda *_: subprocess.Popen(argv, stdout=pipe, stderr=pipe, text=True)

    monkeypatch.setattr(automation, "due", lambda *_: [])
    schedule = automation.newest_partition(workspace())
    last = workspace().settings.partitions.names[-1]
    for newest, said in ((last, f"{last} is fresh"), ("2030-01", f"the newest is 2030-01 now, not {last}")):
        monkeypatch.setattr(automation, "begin", planned(newest))
        assert schedule.evaluate_tick(dg.build_schedule_context()).skip_message.startswith(said)


def test_definitions_are_loaded_again_once_the_newest_partition_is_another_one(monkeypatch):
    asked, reloaded, last = [], [], workspace().settings.partitions.names[-1]
    planned = {"newest": last}

    def begin(*_):
        asked.append(planned["newest"])
        argv, pipe = [sys.executable, "-c", f"print({json.dumps(json.dumps(planned))})"], subprocess.PIPE
        return subprocess.Popen(argv, stdout=pipe, stderr=pipe, text=True)

    def silent(*_):
        raise dagster_graphql.DagsterGraphQLClientError("no answer")

    class Server:
        def __init__(self, host, port_number):
            assert (host, port_number) == ("127.0.0.1", Addresses(workspace()).base_port())

        def reload_repository_location(self, name):
            reloaded.append(name)
            return dagster_graphql.ReloadRepositoryLocationInfo(
                dagster_graphql.ReloadRepositoryLocationStatus.SUCCESS
            )

    monkeypatch.setattr(automation, "begin", begin)
    monkeypatch.setattr(dagster_graphql, "DagsterGraphQLClient", Server)

    def tick(sensor):
        return sensor.evaluate_tick(dg.build_sensor_context()).skip_message

    sensor = automation.reload_definitions(workspace())
    assert [tick(sensor), tick(sensor)] == [f"{last} is the newest partition"] * 2
    assert asked == [last] and not reloaded, "nothing changed since it asked"
    planned["newest"] = "2030-01"
    new = f"the newest partition is 2030-01, no longer {last}"
    sensor, answer = automation.reload_definitions(workspace()), Server.reload_repository_location
    monkeypatch.setattr(Server, "reload_repository_location", silent)
    assert tick(sensor) == f"{new}; Dagster's UI does not answer, so the next tick asks it again"
    monkeypatch.setattr(Server, "reload_repository_location", answer)
    assert tick(sensor) == f"{new}; SUCCESS", "it asks again"
    assert reloaded == ["silverloom.orchestration.definitions"]
