"""The sensor that sends runs to MLflow: its ticks when the server is down, and when it is slow."""

import contextlib
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from silverloom.orchestration.dagster import automation
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.publish import lock_file
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


def test_the_schedule_says_that_a_newer_month_than_the_loaded_ones_needs_a_restart(monkeypatch):
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
