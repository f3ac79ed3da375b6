"""Several training processes learn the same as one."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children, get_context

import pytest
from safetensors.torch import save

from silverloom.assets.declare.project import checkout
from silverloom.ops.models.training import TrainingParams, launch, train
from tests.ops.models.training.toy_task import PARAMS, Folder, Memory, Toy
from tests.waiting import until

PROGRAM = "tests.ops.models.training.shared_training"

TOGETHER = PARAMS.model_copy(update={"processes": 2})


def started(task, folder, *killed, **knobs):
    return subprocess.run(
        [sys.executable, "-m", PROGRAM, task, folder, json.dumps(knobs), *map(str, killed)],
        cwd=checkout(),
        capture_output=True,
        text=True,
    )


def learnt(task, folder, **knobs):
    done = started(task, folder, **knobs)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def trained(params, checkpoints=None):
    task = Toy()
    outcome = train(task, params, checkpoints)
    return save(dict(task.module.state_dict())), outcome


def test_more_processes_than_parts_of_an_update_are_refused_with_both_numbers():
    with pytest.raises(ValueError, match="processes is 3, but an update has 2 parts to share"):
        TrainingParams(processes=3, accumulation=2)


def test_the_number_of_processes_is_in_no_report_checkpoint_or_key():
    assert TrainingParams(processes=2, accumulation=2) != TrainingParams(accumulation=2)
    assert "processes" not in TrainingParams(processes=2, accumulation=2).model_dump(mode="json")


def test_a_finished_run_starts_no_process(monkeypatch):
    kept = Memory()
    first = trained(PARAMS, kept)
    monkeypatch.setattr(launch, "started_processes", None)
    assert trained(TOGETHER, kept) == first


@pytest.mark.long
def test_two_processes_learn_the_same_bits_as_one_also_in_a_worker_process():
    """50 examples with dropout in batches of 3 parts, which two processes share unevenly."""
    params = PARAMS.model_copy(update={"accumulation": 3, "batch_size": 3})
    alone = trained(params)
    with ProcessPoolExecutor(1, get_context("spawn")) as worker:
        together = worker.submit(trained, params.model_copy(update={"processes": 2})).result()
    assert together == alone
    assert trained(params.model_copy(update={"processes": 3}), Memory()) == alone
    assert active_children() == []


@pytest.mark.long
def test_a_killed_run_resumes_with_another_number_of_processes_to_the_same_bits(tmp_path):
    knobs = {"batch_size": 4, "accumulation": 2}
    unbroken = learnt("toy", tmp_path / "unbroken", **knobs)
    killed = started("toy", tmp_path / "broken", 7, "parent", processes=2, **knobs)
    assert killed.returncode == -signal.SIGKILL
    children = json.loads(killed.stdout)
    assert len(children) == 2
    until(lambda: not any(map(runs, children)))
    state = json.loads(Folder(tmp_path / "broken").read()["state.json"])["state"]
    assert state["step"] == 6
    assert learnt("toy", tmp_path / "broken", processes=1, **knobs) == unbroken


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.long
def test_a_killed_process_ends_the_training_and_the_checkpoint_stays(tmp_path):
    knobs = {"batch_size": 4, "accumulation": 2, "processes": 2}
    done = started("toy", tmp_path / "run", 7, "child", **knobs)
    assert done.returncode == 1
    assert "TrainingError: one of the 2 processes failed: " in done.stderr
    assert not any(map(runs, json.loads(done.stdout)))
    assert json.loads(Folder(tmp_path / "run").read()["state.json"])["state"]["step"] >= 6
