"""The order of partitions, the number of processes, and what a failure ends."""

import errno
import io
from concurrent.futures import FIRST_COMPLETED, Future
from types import SimpleNamespace
from uuid import UUID

import pytest
from rich.console import Console

from silverloom.orchestration.dagster import sync
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.executors.base import (
    NO_CLUSTER,
    ClusterLostError,
    WorkerDiedError,
    WorkerNotStartedError,
)
from silverloom.orchestration.executors.local import ThisProcess
from silverloom.orchestration.executors.parts import STARTING
from silverloom.orchestration.files.full_disk import FULL, DiskFullError
from silverloom.orchestration.run import dagster_run, loop
from silverloom.orchestration.run.dagster_run import Ran
from silverloom.orchestration.run.loop import heights
from silverloom.orchestration.state.freshness import Status, View


def test_the_datasets_that_most_others_wait_for_come_first():
    wanted = [(dataset, dataset.made_partitions) for dataset in workspace().datasets.values()]
    longest = heights(workspace().graph, wanted)
    for dataset, _ in wanted:
        for source in workspace().graph.upstream(dataset):
            assert longest[source.name] > longest[dataset.name]
    assert min(longest.values()) == 1
    assert longest["talksumm/training_sets"] > longest["talksumm/tuning"]


def test_an_unselected_dataset_adds_no_height():
    pairs = workspace().datasets["talksumm/pairs"]
    assert heights(workspace().graph, [(pairs, pairs.made_partitions)]) == {"talksumm/pairs": 1}


PAPERS, TALKS = (workspace().datasets[name] for name in ("sources/papers", "sources/talks"))
MADE = Ran("1", None)
WANTED = [(dataset, dataset.made_partitions) for dataset in (PAPERS, TALKS)]
PLACES = [(dataset.name, month) for dataset, months in WANTED for month in months]


@pytest.fixture
def stale(monkeypatch):
    """Make some partitions look stale, and make nothing."""
    found = set()

    def status(_, dataset, month):
        fresh = (dataset.name, month) not in found
        return Status(None, () if fresh else ("missing",))

    monkeypatch.setattr(loop.View, "status", status)
    monkeypatch.setattr(loop.View, "known", lambda *_: None)
    monkeypatch.setattr(sync, "sync", lambda _: None)
    return found


def made(monkeypatch, jobs=1, submit=None):
    """Output of the loop over papers and talks whose partitions are made by `submit`."""
    begun = []

    class Executor(ThisProcess):
        def __init__(self, places=1, *_):
            begun.append(places)

        def submit(self, make, name, month, *_):
            return super().submit(submit or (lambda *_: (MADE, 1.0)), name, month)

    monkeypatch.setattr(loop, "ThisProcess", Executor)
    monkeypatch.setattr(loop, "WorkerProcesses", Executor)
    console = Console(width=200, file=io.StringIO())
    reports = list(loop.bring_up_to_date(View(workspace()), WANTED, console, jobs=jobs))
    return begun, {report.dataset.name: report for report in reports}, console.file.getvalue()


@pytest.mark.parametrize("months", [["2018-06"], ["2018-06", "2018-07"]])
def test_a_partition_that_is_made_alone_may_use_several_processes(monkeypatch, stale, months):
    stale.update(("sources/papers", month) for month in months)
    given = []

    class Executor(ThisProcess):
        def __init__(self, *_):
            pass

        def submit(self, make, name, month, run_id, tags, processes, listener):
            given.append(processes)
            return super().submit(lambda: (MADE, 1.0))

    monkeypatch.setattr(loop, "ThisProcess", Executor)
    monkeypatch.setattr(loop, "WorkerProcesses", Executor)
    wanted = [(workspace().datasets["sources/papers"], months)]
    list(loop.bring_up_to_date(View(workspace()), wanted, Console(file=io.StringIO()), jobs=3))
    assert given == ([3] if len(months) == 1 else [1, 3])


@pytest.mark.parametrize(("number", "processes"), [(0, [1]), (1, [1]), (2, [2]), (5, [3])])
def test_there_are_no_more_processes_than_stale_partitions(monkeypatch, stale, number, processes):
    stale.update(PLACES[:number])
    begun, reports, _ = made(monkeypatch, jobs=3)
    assert begun == processes
    assert sum(len(report.made) for report in reports.values()) == number


@pytest.mark.parametrize(
    ("seconds", "busy"), [(1.5, [1, 1, 1, 1, 1, 1]), (6.0, [1, 1, 4, 2]), (11.0, [1, 4, 2])]
)
def test_more_processes_start_while_partitions_wait_long(monkeypatch, stale, seconds, busy):
    stale.update(PLACES)
    clock, seen = [0.0], []

    class Executor(ThisProcess):
        def __init__(self, places=1, *_):
            self.places = places

        def submit(self, *_):
            return Future()

    def wait(futures, timeout, when):
        """Let time pass. What was begun ends soon after, or when four are busy or nothing is left."""
        assert (timeout, when) == (STARTING, FIRST_COMPLETED)
        clock[0] += seconds
        seen.append(len(futures))
        ended = {*futures} if seconds < 2 or len(futures) == 4 or 4 in seen else set()
        for future in ended:
            future.set_result((MADE, 1.0))
        return SimpleNamespace(done=ended)

    monkeypatch.setattr(loop, "WorkerProcesses", Executor)
    monkeypatch.setattr(loop, "wait", wait)
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    reports = list(
        loop.bring_up_to_date(View(workspace()), WANTED, Console(file=io.StringIO()), jobs=4, patient=True)
    )
    assert sum(len(report.made) for report in reports) == len(PLACES)
    assert seen == busy


def test_records_without_a_source_are_named(monkeypatch, stale):
    stale.update(PLACES)
    monkeypatch.delitem(workspace().settings.sources, "talks")
    *_, output = made(monkeypatch)
    assert f"{PLACES[-1][0]} {PLACES[-1][1]}: no rows: params.yaml has no sources.talks" in output
    assert f"{PLACES[0][0]} {PLACES[0][1]}: 0 kept, 0 dropped, 0 rejected" in output


def test_a_dead_worker_fails_only_its_partition_and_its_run_is_closed(monkeypatch, stale):
    stale.update(PLACES[:2])
    (_, first), (_, second) = PLACES[:2]
    ended = []
    monkeypatch.setattr(dagster_run, "end", lambda run_id, error: ended.append((UUID(run_id).version, error)))

    def submit(name, month):
        if month == first:
            raise WorkerDiedError("its worker process was ended by SIGKILL")
        return MADE, 1.0

    _, reports, output = made(monkeypatch, 2, submit)
    assert ended == [(4, "its worker process was ended by SIGKILL")]
    assert reports[PAPERS.name].failed == {first: "its worker process was ended by SIGKILL"}
    assert reports[PAPERS.name].made == [second]
    assert f"{PAPERS.name} {first}: failed: its worker process was ended by SIGKILL" in output


def test_workers_that_cannot_start_end_the_loop(monkeypatch, stale):
    stale.update(PLACES[:2])

    def submit(*_):
        raise WorkerNotStartedError("worker process ended with status 1 before it could start")

    with pytest.raises(WorkerNotStartedError, match="before it could start"):
        made(monkeypatch, 2, submit)


def test_a_full_disk_ends_the_loop(monkeypatch, stale):
    stale.update(PLACES[:2])
    with pytest.raises(DiskFullError, match=FULL):
        made(monkeypatch, 2, lambda *_: (Ran("1", FULL, DiskFullError(errno.ENOSPC, FULL)), 1.0))


LOST = f"{NO_CLUSTER} any more: no node for 5:00"


def test_a_lost_cluster_ends_the_loop_with_its_own_line(monkeypatch, stale):
    stale.update(PLACES[:2])
    with pytest.raises(ClusterLostError, match=f"^{LOST}$"):
        ran = Ran("1", f"sources/papers 2018-06: {LOST}", ClusterLostError(LOST))
        made(monkeypatch, 2, lambda *_: (ran, 1.0))


@pytest.fixture
def on_ray(monkeypatch):
    monkeypatch.setenv("SILVERLOOM_ENGINE", "ray")


def test_a_worker_that_ray_may_have_ended_fails_only_its_partition(monkeypatch, stale, on_ray):
    """Status 1 does not show that the cluster is lost: the next partition connects, and would say so."""
    stale.update(PLACES[:2])
    (_, first), (_, second) = PLACES[:2]
    monkeypatch.setattr(dagster_run, "end", lambda *_: None)

    def submit(name, month):
        if month == first:
            death = WorkerDiedError("its worker process ended with status 1")
            death.status = 1
            raise death
        return MADE, 1.0

    _, reports, output = made(monkeypatch, 2, submit)
    assert reports[PAPERS.name].made == [second]
    failure = reports[PAPERS.name].failed[first]
    assert failure.startswith("its worker process ended with status 1; ") and NO_CLUSTER not in failure
    assert "if `ray status` finds no cluster, start it again with `ray start`" in failure
    assert failure in " ".join(output.split())


def test_on_a_cluster_even_one_partition_is_made_by_a_worker(monkeypatch, stale, on_ray):
    """Ray may end a connected process without a word, so the one that reports is not connected."""
    stale.update(PLACES[:1])
    connected = []
    monkeypatch.setattr(loop, "begin", lambda: connected.append(True))
    monkeypatch.setattr(loop, "ThisProcess", None)

    class Executor(ThisProcess):
        def __init__(self, places, *_):
            assert places == 1

        def submit(self, *_):
            return super().submit(lambda: (MADE, 1.0))

    monkeypatch.setattr(loop, "WorkerProcesses", Executor)
    (papers, _) = loop.bring_up_to_date(View(workspace()), WANTED, Console(file=io.StringIO()), jobs=1)
    assert len(papers.made) == 1 and connected == []


def test_partitions_made_together_with_another_count_as_made(monkeypatch, stale):
    stale.update(PLACES[:3])

    def submit(*_):
        stale.clear()
        return MADE, 1.0

    _, reports, output = made(monkeypatch, 1, submit)
    assert sum(len(report.made) for report in reports.values()) == 3
    assert output.count("kept") + output.count("written") == 1
