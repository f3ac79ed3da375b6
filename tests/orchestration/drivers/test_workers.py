"""Partitions run in workers: one that dies fails its own alone, all end with the one that began them."""

import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from multiprocessing import Pipe
from pathlib import Path

import numpy as np
import pytest

from orchestration.catalogue import workspace
from orchestration.dagster import runs
from orchestration.drivers.workers import Pool, _work
from orchestration.engine.processes import Worker
from orchestration.messages.progress import PartitionProgress, RecentPace, tell
from tests.processes import alive, descendants
from tests.waiting import until

MONTHS = ("2018-06", "2018-07", "2018-08", "2018-09")


def make(name, month, run_id, tags):
    """Stands in for the making of a partition: its tags say how it goes."""
    if "touch" in tags:
        Path(tags["touch"]).write_text(str(os.getpid()))
    tell(PartitionProgress(name, "op", 1, 2, RecentPace(1.0)))
    match tags["how"]:
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            os._exit(3)
        case "fails":
            raise ValueError("no such page")
        case "sleeps":
            time.sleep(600)
    return None


@pytest.fixture
def pool(monkeypatch):
    pool = Pool(2, events.append, make)
    ended.clear(), events.clear()
    monkeypatch.setattr(runs, "end", lambda run_id, error: ended.append(error))
    yield pool
    pool.close()


ended, events = [], []


def start(pool, month, how, **tags):
    pool.start(workspace().datasets["sources/papers"], month, {"how": how, **tags})


def test_a_worker_whose_driver_is_gone_before_it_begins_says_nothing(capfd):
    """As Ctrl-C leaves it where workers still begin."""
    ours, theirs = Pipe()
    worker = Worker(target=_work, args=(theirs, 1), name="0")
    worker.start()
    ours.close(), theirs.close()
    worker.join()
    assert (worker.exitcode, capfd.readouterr().err) == (0, "")


def results(pool, count):
    found = []
    while len(found) < count:
        found += [(done.month, done.error) for done in pool.wait()]
    return sorted(found)


def test_a_dead_worker_fails_its_partition_alone_is_replaced_and_its_run_is_ended(pool):
    start(pool, "2018-06", "killed")
    start(pool, "2018-07", "well")
    death = "its worker process was ended by SIGKILL (for want of memory? fewer JOBS need less)"
    assert results(pool, 2) == [("2018-06", death), ("2018-07", None)]
    assert ended == [death] and pool.free
    start(pool, "2018-08", "exit")
    start(pool, "2018-09", "fails")
    status = "its worker process ended with status 3"
    assert results(pool, 2) == [("2018-08", status), ("2018-09", "no such page")]


@pytest.mark.long
def test_a_worker_that_died_idle_is_replaced_without_a_word(pool, tmp_path):
    start(pool, "2018-06", "well", touch=str(tmp_path / "pid"))
    assert results(pool, 1) == [("2018-06", None)]
    pid = int((tmp_path / "pid").read_text())
    os.kill(pid, signal.SIGKILL)
    until(lambda: not pool._slots[0].process.is_alive())
    start(pool, "2018-07", "well")
    assert results(pool, 1) == [("2018-07", None)] and ended == []


def test_workers_tell_how_far_they_are(pool):
    start(pool, "2018-06", "well")
    assert results(pool, 1) == [("2018-06", None)]
    until(lambda: events)
    assert events == [PartitionProgress("sources/papers", "op", 1, 2, RecentPace(1.0))]


@pytest.mark.long
@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        ValueError("closed"),
    ],
)
def test_workers_are_listened_to_even_if_nothing_can_be_shown(tally, error):
    """What tells of the progress of workers cannot be written: a full disk, a closed terminal"""
    heard = []

    def show(event):
        heard.append(event)
        raise error

    with contextlib.closing(Pool(1, show, make)) as pool:
        tally.attempt()
        for month in MONTHS:
            start(pool, month, "well")
            assert results(pool, 1) == [(month, None)]
    assert len(heard) == len(MONTHS)
    tally.survive()


def test_what_is_under_way_is_interrupted_once_and_the_workers_end(pool, tmp_path):
    start(pool, "2018-06", "sleeps", touch=str(tmp_path / "pid"))
    until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    pool.close()
    assert not alive(int((tmp_path / "pid").read_text()))


def begin_jobs(place):
    """In a process of its own: two partitions under way."""
    with contextlib.closing(Pool(2, lambda event: None, make)) as pool:
        for number in range(2):
            start(pool, MONTHS[number], "sleeps", touch=f"{place}/{number}")
        list(pool.wait())


def begin_pieces(place):
    """In a process of its own: two pieces under way."""
    from orchestration.engine.local import LocalEngine
    from tests.orchestration.engine.test_local import sleeps_after_two

    list(LocalEngine(2).map(sleeps_after_two, range(2, 4), Path(place)))


def begin_kernels(place):
    """In a process of its own: two calls of compiled code under way, which last for many minutes."""
    from orchestration.engine.local import LocalEngine

    list(LocalEngine(2).map(stays_in_a_kernel, range(2), Path(place)))


def stays_in_a_kernel(piece, folder):
    from ops.talksumm.align import kernels

    for rows in (1, 10**12):  # the first call compiles
        if rows > 1:
            (folder / str(piece)).touch()
        kernels.lower(np.ones(1), np.ones((1, 1)), np.broadcast_to(np.int64(0), rows))


def command(begin, place):
    calls = f"lambda: test_workers.{begin.__name__}({str(place)!r})"
    return [
        sys.executable,
        "-c",
        f"from orchestration.cli import command; from tests.orchestration.drivers import test_workers; command.run({calls})",
    ]


@pytest.mark.parametrize(
    "begin",
    [begin_jobs, *(pytest.param(begin, marks=pytest.mark.long) for begin in (begin_pieces, begin_kernels))],
)
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


def write_held(path):
    """In a worker that has not begun yet: whether interrupts are held back."""
    Path(path).write_text(str(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])))


def begin_first(place):
    """In a process of its own, which has started no process yet."""
    worker = Worker(target=write_held, args=(f"{place}/held",))
    worker.start()
    worker.join()


@pytest.mark.long
def test_the_first_worker_of_a_process_begins_with_interrupts_held_back(tmp_path):
    subprocess.run(command(begin_first, tmp_path), check=True)
    assert (tmp_path / "held").read_text() == "True"


@pytest.mark.parametrize(
    ("begin", "begun"),
    [
        (begin_jobs, 2),
        (begin_pieces, 0),
        *(
            pytest.param(begin, begun, marks=pytest.mark.long)
            for begin, begun in [(begin_jobs, 0), (begin_jobs, 1), (begin_pieces, 1), (begin_pieces, 2)]
        ),
    ],
)
def test_an_interrupt_from_the_terminal_ends_all_with_one_line(tally, begin, begun, tmp_path):
    """Ctrl-C, which reaches the whole group of processes, while worker processes begin and while they work"""
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
        ["interrupted; what was finished is kept, run again to go on"],
    )
    until(lambda: not any(alive(pid) for pid in workers))
    tally.survive()
