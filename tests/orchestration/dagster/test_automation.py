"""The sensor that sends runs to MLflow: its ticks when the server is down, and when it is slow."""

import contextlib
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from orchestration.dagster import automation
from orchestration.files.publish import lock_within
from orchestration.mlflow.tracking import TrackedRun, WaitingRun, outbox, put, waiting
from orchestration.workspace.workspace import Workspace
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]
#: `silverloom send` in a checkout that contains only an outbox.
SEND = """
import sys; from pathlib import Path
from orchestration.mlflow.send import send; from orchestration.workspace.workspace import Workspace
line = send(Workspace(Path(sys.argv[1]))); print(line, file=sys.stderr); sys.exit(bool(line))
"""


def begin(workspace, command):
    pipe, argv = subprocess.PIPE, [sys.executable, "-c", SEND, str(workspace.root)]
    return subprocess.Popen(argv, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture
def tick(tmp_path, monkeypatch):
    """Evaluate the sensor of a checkout in which a run waits; return the message of the tick."""
    monkeypatch.setattr(automation, "SENDING", 0.2)
    monkeypatch.setattr(automation, "begin", begin)
    put(Workspace(tmp_path), WaitingRun("talksumm/pairs", TrackedRun("waited", "FINISHED", 1, 2)))
    sensor = automation.runs_to_mlflow(Workspace(tmp_path))
    return lambda: sensor.evaluate_tick(dg.build_sensor_context()).skip_message


def test_a_server_that_is_down_fails_no_tick_and_the_run_stays(tick, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    until(tick, lambda said: "1 run is waiting" in said and "Connection refused" in said)
    assert len(waiting(Workspace(tmp_path))) == 1


def test_a_tick_ends_while_its_runs_are_still_being_sent(tick, tmp_path):
    with contextlib.closing(lock_within(outbox(Workspace(tmp_path)) / ".lock", 10)):
        assert tick() == "still sending; runs left in the outbox: 1"
        assert tick() == "still sending; runs left in the outbox: 1"
    until(tick, lambda said: said == "sent all waiting runs")
    assert tick() == "the outbox is empty: MLflow has all runs"
