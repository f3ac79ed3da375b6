"""Tasks run in worker processes: a dead worker fails only its own task, and all workers end with their parent."""

import atexit
import contextlib
import errno
import multiprocessing
import multiprocessing.connection
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import FIRST_COMPLETED, wait
from pathlib import Path

import numpy as np
import psutil
import pytest
import yaml

from silverloom.assets.declare.project import checkout
from silverloom.orchestration.executors import local
from silverloom.orchestration.executors.base import WorkerDiedError, WorkerNotStartedError
from silverloom.orchestration.executors.local import ThisProcess, WorkerProcesses, visible_gpus
from silverloom.orchestration.executors.parts import LocalEngine
from tests.orchestration.executors.pieces import sleeps_after_two
from tests.processes import alive, descendants
from tests.waiting import until

DEATH = "its worker process was ended by SIGKILL (out of memory? Lower JOBS)"


def task(how, touch=None, tell=None):
    """A task that behaves as its argument says."""
    if touch:
        Path(touch).write_text(str(os.getpid()))
    if tell:
        tell(how)
    match how:
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            os._exit(3)
        case "fails":
            raise ValueError("no such page")
        case "sleeps":
            time.sleep(600)
    return os.getpid()


@pytest.fixture
def processes():
    with contextlib.closing(WorkerProcesses(2, "JOBS", 30.0)) as processes:
        yield processes


def test_a_dead_worker_fails_only_its_own_task_and_is_replaced(processes):
    killed, well = processes.submit(task, "killed"), processes.submit(task, "well")
    assert well.result() and str(killed.exception()) == DEATH
    ended, failed = processes.submit(task, "exit"), processes.submit(task, "fails")
    assert str(ended.exception()) == "its worker process ended with status 3"
    assert isinstance(ended.exception(), WorkerDiedError)
    with pytest.raises(ValueError, match="no such page"):
        failed.result()


def test_a_task_that_waits_for_a_worker_ends_with_that_worker_and_with_no_other(processes, tmp_path):
    first, second = (processes.submit(task, "sleeps", tmp_path / name) for name in ("first", "second"))
    behind = processes.submit(task, "well")
    os.kill(written_pid(tmp_path / "first"), signal.SIGKILL)
    assert [str(future.exception()) for future in (first, behind)] == [DEATH, DEATH]
    assert processes.submit(task, "well").result() and not second.done()


def written_pid(path):
    return int(until(lambda: path.exists() and path.read_text()))


def test_a_worker_that_died_idle_is_replaced_silently(processes):
    pid = processes.submit(task, "well").result()
    os.kill(pid, signal.SIGKILL)
    until(lambda: not psutil.pid_exists(pid))  # while its last thread ends, it takes a task and fails it
    assert processes.submit(task, "well").result() != pid


def test_workers_that_cannot_start_are_distinguished_from_workers_that_die(monkeypatch, capfd):
    monkeypatch.setattr(local, "begin_worker", Unreadable())
    with (
        contextlib.closing(WorkerProcesses(1, "JOBS")) as processes,
        pytest.raises(
            WorkerNotStartedError, match=r"^worker process ended with status 1 before it could start$"
        ),
    ):
        processes.submit(task, "well").result()
    assert "unreadable" in capfd.readouterr().err


class Unreadable:
    """An initializer that no worker can load."""

    def __call__(self):
        """Never called."""

    def __reduce__(self):
        return fail, ("unreadable",)


def fail(text):
    raise OSError(text)


def test_listeners_hear_what_workers_report(processes):
    events = []
    tell = processes.channel(events.append)
    assert processes.submit(task, "well", None, tell).result()
    until(lambda: events)
    assert events == ["well"]


def test_this_process_runs_a_task_at_once_and_reports_to_its_listener():
    events, here = [], ThisProcess()
    tell = here.channel(events.append)
    assert here.submit(task, "well", None, tell).result() == os.getpid()
    assert str(here.submit(task, "fails", None, tell).exception()) == "no such page"
    assert events == ["well", "fails"]


def test_a_failing_listener_does_not_stop_the_workers(tally, processes):
    """The progress of workers cannot be shown"""
    heard = []

    def show(event):
        heard.append(event)
        raise OSError(errno.ENOSPC, "No space left on device")

    tell = processes.channel(show)
    tally.attempt()
    for _ in range(4):
        assert processes.submit(task, "well", None, tell).result()
    until(lambda: len(heard) == 4)
    tally.survive()


def test_a_task_continues_when_nobody_listens_any_more(processes):
    tell = processes.channel(lambda _: None)
    (manager,) = multiprocessing.active_children()
    manager.kill()
    manager.join()
    assert processes.submit(task, "well", None, tell).result()


def test_running_tasks_are_interrupted_once_and_the_workers_end(processes, tmp_path):
    under_way = processes.submit(task, "sleeps", tmp_path / "pid")
    pid = written_pid(tmp_path / "pid")
    processes.close()
    assert not alive(pid)
    assert isinstance(under_way.exception(), KeyboardInterrupt)


def ends_slowly():
    """Exits like a process that holds much memory, or has much to write at its end."""
    atexit.register(time.sleep, 2)


@pytest.mark.parametrize("patience", [0.0, 30.0])
def test_idle_workers_have_ended_when_close_returns(patience):
    with contextlib.closing(WorkerProcesses(2, "JOBS", patience)) as processes:
        for done in [processes.submit(ends_slowly) for _ in range(2)]:
            done.result()
        workers = multiprocessing.active_children()
        assert len(workers) == 2
    assert not any(running(worker) for worker in workers)


def running(process):
    """Say whether a process runs, without waiting for it."""
    return not multiprocessing.connection.wait([process.sentinel], 0)


def fills_memory(place):
    held = bytearray(2**28)  # takes a while to be freed
    Path(place).write_text(str(len(held)))
    time.sleep(600)


def test_busy_workers_that_are_killed_have_ended_when_close_returns(tmp_path):
    with contextlib.closing(WorkerProcesses(2, "JOBS")) as processes:
        under_way = [processes.submit(fills_memory, tmp_path / str(number)) for number in range(2)]
        until(lambda: len(list(tmp_path.iterdir())) == 2)
        workers = multiprocessing.active_children()
    assert len(workers) == 2 and not any(running(worker) for worker in workers)
    assert [str(task.exception()) for task in under_way] == [DEATH, DEATH]


def gpus():
    return os.environ.get("CUDA_VISIBLE_DEVICES")


@pytest.mark.parametrize(
    ("fixed", "places", "threads"), [(None, 1, "all"), (None, 10_000, "1"), ("3", 2, "3")]
)
def test_worker_processes_share_the_cores_unless_threads_are_fixed(tmp_path, fixed, places, threads):
    params = yaml.safe_load((checkout() / "params.yaml").read_text())
    (tmp_path / ".dvc").mkdir()
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params | {"numerics": "fast"}))
    program = f"""
import contextlib, os
from silverloom.orchestration.executors.local import WorkerProcesses
with contextlib.closing(WorkerProcesses({places}, "JOBS")) as processes:
    print(processes.submit(os.getenv, "OMP_NUM_THREADS").result())
"""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    environment |= {"OMP_NUM_THREADS": fixed} if fixed else {}
    found = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(checkout())},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == (str(len(os.sched_getaffinity(0))) if threads == "all" else threads)


@pytest.mark.parametrize(("named", "seen"), [("3,5", ["3", "5"]), ("7", ["7", "7"]), ("", ["", ""])])
def test_each_process_sees_one_gpu_of_those_that_may_be_used(monkeypatch, processes, named, seen):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", named)
    found = [processes.submit(gpus) for _ in range(2)]
    assert [future.result() for future in found] == seen


def test_without_the_variable_the_gpus_are_those_that_the_driver_lists(tmp_path, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(local, "GPUS", tmp_path)
    assert visible_gpus() == []
    for place in ("0000:1a:00.0", "0000:3b:00.0"):
        (tmp_path / place).mkdir()
    assert visible_gpus() == ["0", "1"]


def begin_jobs(place):
    """In a process of its own: two running tasks and a listener."""
    with contextlib.closing(WorkerProcesses(2, "JOBS", 30.0)) as processes:
        tell = processes.channel(lambda _: None)
        under_way = [processes.submit(task, "sleeps", f"{place}/{number}", tell) for number in range(2)]
        wait(under_way, return_when=FIRST_COMPLETED)


def begin_pieces(place):
    """In a process of its own: two running pieces."""
    list(LocalEngine(2).map(sleeps_after_two, range(2, 4), Path(place)))


def begin_kernels(place):
    """In a process of its own: two running calls of compiled code, which take many minutes."""
    list(LocalEngine(2).map(stays_in_a_kernel, range(2), Path(place)))


def stays_in_a_kernel(piece, folder):
    from silverloom.ops.talksumm.align import kernels

    for rows in (1, 10**12):  # the first call compiles
        if rows > 1:
            (folder / str(piece)).touch()
        kernels.lower(np.ones(1), np.ones((1, 1)), np.broadcast_to(np.int64(0), rows))


def command(begin, place):
    calls = f"lambda: test_local.{begin.__name__}({str(place)!r})"
    return [
        sys.executable,
        "-c",
        f"from silverloom.orchestration.cli import command; from tests.orchestration.executors import test_local; command.run({calls})",
    ]


@pytest.mark.parametrize("begin", [begin_jobs, pytest.param(begin_kernels, marks=pytest.mark.long)])
def test_workers_end_with_their_parent_when_it_is_killed(tally, begin, tmp_path):
    """`kill -9` of the parent of worker processes"""
    parent = subprocess.Popen(command(begin, tmp_path))
    until(lambda: len(list(tmp_path.iterdir())) == 2, programs=[parent])
    workers = descendants(parent.pid)
    assert len(workers) >= 2
    tally.attempt()
    parent.kill()
    parent.wait()
    until(lambda: not any(alive(pid) for pid in workers))
    tally.survive()


@pytest.mark.parametrize(("begin", "begun"), [(begin_jobs, 2), (begin_pieces, 0)])
def test_ctrl_c_in_the_terminal_ends_all_with_one_line(tally, begin, begun, tmp_path):
    """Ctrl-C, which reaches the whole process group, while worker processes start and while they work"""
    pipe = subprocess.PIPE
    parent = subprocess.Popen(
        command(begin, tmp_path), process_group=0, stdout=pipe, stderr=subprocess.STDOUT, text=True
    )
    until(
        lambda: len(list(tmp_path.iterdir())) >= begun and len(descendants(parent.pid)) > 1, programs=[parent]
    )
    workers = descendants(parent.pid)
    tally.attempt()
    os.killpg(parent.pid, signal.SIGINT)
    output = parent.communicate()[0]
    assert (parent.returncode, output.splitlines()) == (
        130,
        ["interrupted; finished work is kept; run again to resume"],
    )
    until(lambda: not any(alive(pid) for pid in workers))
    tally.survive()


def hangs_at_its_end():
    atexit.register(time.sleep, 600)
    return os.getpid()


def test_a_worker_that_hangs_at_its_end_is_killed(monkeypatch):
    monkeypatch.setattr(local, "LEAVING", 1.0)
    with contextlib.closing(WorkerProcesses(1, "JOBS", 30.0)) as processes:
        pid = processes.submit(hangs_at_its_end).result()
    until(lambda: not alive(pid))
