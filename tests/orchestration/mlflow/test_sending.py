"""Waiting runs are sent in the background of a command, and never make it fail."""

import errno
import multiprocessing

import pytest
from mlflow import MlflowClient

from orchestration.executors.local import WorkerProcesses
from orchestration.mlflow.send import send, sending
from orchestration.mlflow.tracking import TrackedRun, WaitingRun, put, waiting


@pytest.fixture(autouse=True)
def own_store(monkeypatch):
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


def run(name="2018-06"):
    return WaitingRun("talksumm/pairs", TrackedRun(name, "FINISHED", 1, 2))


def names(workspace):
    client = MlflowClient(workspace.tracking_uri)
    experiment = client.get_experiment_by_name("talksumm/pairs")
    return sorted(found.info.run_name for found in client.search_runs([experiment.experiment_id]))


def test_waiting_runs_are_sent_while_a_block_runs(tmp_workspace, capsys):
    for month in ("2018-06", "2018-07"):
        put(tmp_workspace, run(month))
    with sending(tmp_workspace):
        assert multiprocessing.active_children(), "another process sends"
    assert not waiting(tmp_workspace) and names(tmp_workspace) == ["2018-06", "2018-07"]
    assert capsys.readouterr().err == ""


def test_a_failing_block_raises_its_error_and_loses_no_run(tmp_workspace):
    put(tmp_workspace, run())
    with pytest.raises(ZeroDivisionError), sending(tmp_workspace):
        raise ZeroDivisionError
    assert not multiprocessing.active_children()
    assert send(tmp_workspace) == "" and names(tmp_workspace) == ["2018-06"]


def test_if_no_process_can_start_the_block_runs_and_waiting_runs_are_reported(
    tmp_workspace, monkeypatch, capsys
):
    def submit(*_):
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(WorkerProcesses, "submit", submit)
    put(tmp_workspace, run())
    done = []
    with sending(tmp_workspace):
        done.append("committed")
    assert done and len(waiting(tmp_workspace)) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("warning: runs are waiting for MLflow: ") and "temporarily unavailable" in line
    assert line.endswith("; the next command tries again")
