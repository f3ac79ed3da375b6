"""Outcomes come in the order of their pieces, however many processes make them."""

import multiprocessing
import os
import pickle
import signal
from concurrent.futures import Future
from contextlib import nullcontext
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.assets.declare.params_file import document
from silverloom.assets.declare.settings import EngineParams, TaskResources
from silverloom.ops.core.extras import MissingExtraError
from silverloom.orchestration.executors.base import WorkerDiedError
from silverloom.orchestration.executors.local import ThisProcess
from silverloom.orchestration.executors.parts import LocalEngine, RayEngine, engine, in_order
from silverloom.orchestration.workspace.workspace import Workspace
from tests.orchestration.executors.pieces import noted, numbered, sizes, sleeps_after_two
from tests.waiting import until


class Ticking:
    """A clock by which the first piece takes half a second, and each other one a second."""

    def __init__(self):
        self.now, self.reads = 0.0, 0

    def monotonic(self):
        self.reads += 1
        self.now += 0.0 if self.reads % 2 else 0.5 if self.reads == 2 else 1.0
        return self.now


@given(st.lists(st.integers(0, 9), max_size=4))
@settings(max_examples=10)
def test_one_process_keeps_the_order(pieces):
    assert sizes(LocalEngine().map(numbered, iter(pieces), 3)) == [piece * 3 for piece in pieces]


def test_two_processes_keep_the_order():
    assert sizes(LocalEngine(2).map(numbered, iter(range(7)), 3)) == [piece * 3 for piece in range(7)]


@pytest.mark.parametrize(
    ("count", "is_shared"), [(1, False), (3, False), (4, True), (8, True), (None, False)]
)
def test_other_processes_join_a_map_if_what_is_left_takes_longer_than_their_start(
    monkeypatch, count, is_shared
):
    joined = []

    def begun(places, setting, beside):
        joined.append((places, setting, beside))
        return Delayed(places, [99] * 10)

    monkeypatch.setattr("silverloom.orchestration.executors.parts.WorkerProcesses", begun)
    pieces = range(count or 8)
    for starting, expected in ((5, []), (0, [(1, "JOBS", 1)] if is_shared else [])):
        monkeypatch.setattr("silverloom.orchestration.executors.parts.STARTING", starting)
        monkeypatch.setattr("silverloom.orchestration.executors.parts.time", Ticking())
        found = LocalEngine(2, is_thrifty=True).map(divmod, iter(pieces), 7, count=count)
        assert [*found] == [divmod(piece, 7) for piece in pieces]
        assert joined == expected


def test_this_process_goes_on_while_another_starts(monkeypatch, tmp_path):
    def pieces():
        while len(list(tmp_path.iterdir())) < 2:
            yield tmp_path

    monkeypatch.setattr("silverloom.orchestration.executors.parts.STARTING", 0)
    places = sizes(LocalEngine(2, is_thrifty=True).map(noted, pieces(), count=1_000_000))
    other = next(at for at, place in enumerate(places) if place != os.getpid())
    assert places[:other].count(os.getpid()) > 2, "the first two are timed"
    assert len(set(places)) == 2


class Late(Future):
    """The result of a task that ends when somebody waits for it, or earlier."""

    def __init__(self, task, later):
        super().__init__()
        self.task, self.later = task, later

    def end(self):
        if not self.done():
            ended = ThisProcess().submit(self.task)
            error = ended.exception()
            self.set_exception(error) if error else self.set_result(ended.result())

    def result(self, timeout=None):
        self.end()
        return super().result()


class Delayed:
    """An executor whose tasks end after so many ticks."""

    def __init__(self, places, delays):
        self.places, self.delays, self.tasks, self.most = places, iter(delays), [], 0

    def share(self, value):
        return lambda: value

    def tick(self):
        for task in self.tasks:
            task.later -= 1
            if task.later < 0:
                task.end()

    def submit(self, function, *arguments):
        self.tasks.append(Late(partial(function, *arguments), next(self.delays)))
        self.most = max(self.most, sum(not task.done() for task in self.tasks))
        return self.tasks[-1]

    def close(self):
        pass


@given(st.lists(st.integers(0, 30), min_size=3, max_size=40), st.integers(1, 3), st.integers(0, 60))
def test_results_and_errors_keep_their_order_while_this_process_takes_part(delays, others, fails):
    def reciprocal(piece, last):
        return 1 / (last - piece)

    taken = 0

    def pieces():
        nonlocal taken
        for taken in range(1, len(delays) - others + 1):
            elsewhere.tick()
            yield taken - 1

    elsewhere, found = Delayed(others, delays), []
    with pytest.raises(ZeroDivisionError) if fails < len(delays) - others else nullcontext():
        for result in in_order(elsewhere, reciprocal, pieces(), fails, here=ThisProcess()):
            found.append(result)
            assert taken - len(found) <= 4 * (others + 1), "few results wait for their turn"
    assert found == [1 / (fails - piece) for piece in range(min(fails, len(delays) - others))]
    assert elsewhere.most <= 2 * others


def test_more_pieces_are_under_way_once_there_are_more_places():
    elsewhere = Delayed(1, [9] * 40)

    def pieces():
        for piece in range(40):
            elsewhere.places = 1 if piece < 20 else 3
            elsewhere.tick()
            yield piece

    found = in_order(elsewhere, divmod, pieces(), 7, here=ThisProcess())
    assert [*found] == [divmod(piece, 7) for piece in range(40)]
    assert elsewhere.most == 6


class Counted:
    """Counts how often it was pickled."""

    pickled = 0

    def __reduce__(self):
        Counted.pickled += 1
        return int, (3,)


def test_data_shared_by_pieces_is_pickled_once_a_worker():
    Counted.pickled = 0
    assert sizes(LocalEngine(2).map(numbered, range(6), Counted())) == [piece * 3 for piece in range(6)]
    assert Counted.pickled == 2


def test_shared_data_that_cannot_be_pickled_fails_the_map():
    with pytest.raises((pickle.PicklingError, AttributeError), match="pickle"):
        list(LocalEngine(2).map(numbered, range(6), lambda: None))


def test_a_failing_piece_fails_the_map():
    with pytest.raises(TypeError):
        list(LocalEngine(2).map(numbered, iter([1, None, 2]), 3))


def test_the_engine_is_set_by_params_or_the_environment(monkeypatch):
    monkeypatch.delenv("SILVERLOOM_WORKERS", raising=False)
    assert engine() == LocalEngine(1, is_thrifty=True)
    monkeypatch.setenv("SILVERLOOM_WORKERS", "3")
    assert engine() == LocalEngine(3)
    monkeypatch.setenv("SILVERLOOM_ENGINE", "ray")
    monkeypatch.setenv("SILVERLOOM_RAY_ADDRESS", "node-1:6379")
    found = engine("parasci/sentences", {"encoder": "0f"})
    assert found == RayEngine(
        EngineParams(kind="ray", address="node-1:6379"), "parasci/sentences", {"encoder": "0f"}
    )


def test_an_unknown_engine_is_refused(monkeypatch):
    monkeypatch.setenv("SILVERLOOM_ENGINE", "spark")
    with pytest.raises(ValueError, match="SILVERLOOM_ENGINE must be local or ray, found 'spark'"):
        engine()


def test_the_engine_is_not_part_of_a_key():
    section = {"kind": "ray", "address": "local", "resources": {"discofuse": {"processors": 2}}}
    for dataset in Workspace.here().datasets.values():
        assert dataset.values_in({**document(), "engine": section}) == dataset.values_in(document())


def test_a_dataset_needs_the_resources_set_for_it_or_for_its_group():
    small, large = TaskResources(processors=2), TaskResources(gpus=1, memory=1 << 30)
    params = EngineParams(resources={"parasci": small, "parasci/sentences": large})
    named = ("parasci/sentences", "parasci/scored", "talksumm/pairs")
    assert [params.needs(name) for name in named] == [large, small, TaskResources()]


def test_a_cluster_without_ray_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        MissingExtraError, match=r"not installed: ray; run `pip install 'silverloom\[cluster\]'`"
    ):
        list(RayEngine(EngineParams(kind="ray")).map(numbered, [1], 3))


@pytest.mark.parametrize("text", ["0", "two", "-1"])
def test_a_bad_number_of_workers_is_refused(monkeypatch, text):
    monkeypatch.setenv("SILVERLOOM_WORKERS", text)
    with pytest.raises(ValueError, match="SILVERLOOM_WORKERS must be a whole number from 1"):
        engine()


def test_a_dead_worker_ends_the_map_with_the_signal():
    with pytest.raises(WorkerDiedError, match=r"its worker process was ended by SIGKILL \(out of memory\?"):
        list(LocalEngine(2).map(dies_at, range(8), 3))


def dies_at(piece, last):
    if piece == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return numbered(piece, 1)


def test_a_map_that_is_left_midway_ends_its_workers_at_once(tmp_path):
    outcomes = LocalEngine(2).map(sleeps_after_two, range(8), tmp_path)
    next(outcomes)
    until(lambda: len(list(tmp_path.iterdir())) >= 2)
    outcomes.close()
    until(lambda: not multiprocessing.active_children())  # a process closes its files before it can be reaped
