"""A run waits a limited time for a cluster on which no task can run, and says so meanwhile."""

import threading

import pytest

from silverloom.orchestration.executors.base import (
    NO_CLUSTER,
    ClusterLostError,
    Resources,
    WorkerNotStartedError,
)

pytest.importorskip("ray")

from silverloom.orchestration.executors.absence import RECONNECT, Absence, Patience
from silverloom.orchestration.executors.cluster import SILENT, ClusterHead, check_room

GPU = Resources(1, 1)


class Clock:
    """A clock that the test moves."""

    now = 100.0

    def __call__(self):
        return self.now


def machine(name, alive=True, **resources):
    return {
        "NodeID": name,
        "NodeManagerHostname": name,
        "NodeManagerAddress": f"10.0.0.{len(name)}",
        "Alive": alive,
        "Resources": resources if alive else {},
        "DeathReasonMessage": None if alive else "health check failed",
    }


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def nodes():
    """The machines of the cluster: a head, where no task runs, and another one."""
    return [machine("head", CPU=0), machine("node-2", CPU=1.0)]


@pytest.fixture
def head(nodes):
    head = ClusterHead(lambda: list(nodes))
    head.machines()
    return head


def waiting(clock, limit=300.0):
    lines = []
    return Patience(limit, lines.append, clock), lines


def test_while_a_machine_has_room_nothing_is_awaited(head, clock):
    patience, lines = waiting(clock)
    for _ in range(3):
        patience.check(Absence.of(head, Resources()))
        clock.now += 1000
    assert lines == []


def test_the_loss_of_the_last_machine_ends_a_run_after_the_limit(head, nodes, clock):
    nodes[1] = machine("node-2", alive=False)
    patience, lines = waiting(clock)
    for _ in range(300):
        patience.check(Absence.of(head, Resources()))
        clock.now += 1
    with pytest.raises(ClusterLostError) as caught:
        patience.check(Absence.of(head, Resources()))
    lost = "node-2 (10.0.0.6) was lost, health check failed"
    assert str(caught.value).startswith(
        f"{NO_CLUSTER} any more: no node for 5:00: {lost}; start it again with `ray start --address="
    )
    assert "finished parts are kept" in str(caught.value)
    assert lines[0] == f"no node for 0:10 of 5:00: {lost}" and lines[4].startswith(
        "no node for 2:10 of 5:00: "
    )


def test_a_machine_that_comes_back_within_the_limit_starts_the_clock_anew(head, nodes, clock):
    patience, _ = waiting(clock)
    for _ in range(3):
        nodes[1] = machine("node-2", alive=False)
        patience.check(Absence.of(head, Resources()))
        clock.now += 299
        patience.check(Absence.of(head, Resources()))
        nodes[1] = machine("node-2", CPU=1.0)
        patience.check(Absence.of(head, Resources()))


def test_the_machine_with_what_a_task_needs_is_named_and_others_may_go_on(nodes, clock):
    nodes.append(machine("node-gpu", CPU=1.0, GPU=1.0))
    head = ClusterHead(lambda: list(nodes))
    head.machines()
    nodes.append(machine("node-old", alive=False))
    nodes[2] = machine("node-gpu", alive=False)
    patience, _ = waiting(clock)
    patience.check(Absence.of(head, GPU))
    clock.now += 300
    with pytest.raises(WorkerNotStartedError) as caught:
        patience.check(Absence.of(head, GPU))
    assert str(caught.value).startswith("no node with 1 processors, 1 GPUs for 5:00: node-gpu (")
    assert "node-old" not in str(caught.value) and NO_CLUSTER not in str(caught.value)


def test_a_silent_head_ends_a_run_before_ray_ends_its_process(nodes, clock, monkeypatch):
    monkeypatch.delenv(RECONNECT, raising=False)
    answers = threading.Semaphore(1)

    def ask():
        assert answers.acquire(timeout=600)
        return list(nodes)

    head = ClusterHead(ask, clock)
    head.machines()
    patience, lines = waiting(clock)
    assert head.machines(0.0) == [*head.machines(0.0)] and not head.silent
    clock.now += SILENT + 1
    assert head.silent
    patience.check(Absence.of(head, Resources()))
    clock.now += 20
    patience.check(Absence.of(head, Resources()))
    assert lines == ["no answer from Ray's head for 0:20 of 0:45: at HOST:PORT"]
    clock.now += 25
    with pytest.raises(
        ClusterLostError, match=r"any more: no answer from Ray's head for 0:45.*`ray start --head`"
    ):
        patience.check(Absence.of(head, Resources()))
    answers.release(100)
    head.machines()
    assert Absence.of(head, Resources()) is None and not head.silent


def test_a_failure_of_the_listener_does_not_end_a_run(head, nodes, clock):
    def fails(_):
        raise OSError("no space left")

    nodes[1] = machine("node-2", alive=False)
    patience = Patience(300.0, fails, clock)
    patience.check(Absence.of(head, Resources()))
    clock.now += 100
    patience.check(Absence.of(head, Resources()))


def test_room_on_a_lost_machine_is_awaited_and_room_that_never_was_is_refused(head, nodes, monkeypatch):
    monkeypatch.setattr("silverloom.orchestration.executors.cluster.HEAD", head)
    nodes[1] = machine("node-2", alive=False)
    check_room(Resources())
    with pytest.raises(WorkerNotStartedError, match="no machine in the cluster has 1 processors, 1 GPUs"):
        check_room(GPU)
