"""In which order partitions are made, and by how many processes."""

from types import SimpleNamespace

import pytest
from rich.console import Console

from orchestration.catalogue import workspace
from orchestration.dagster import sync
from orchestration.drivers import loop


def test_datasets_that_most_others_wait_for_come_first():
    wanted = [(item, item.made_months) for item in workspace().datasets.values()]
    longest = loop.heights(workspace().graph, wanted)
    for item, _ in wanted:
        for source in workspace().graph.upstream(item):
            assert longest[source.name] > longest[item.name]
    assert min(longest.values()) == 1
    assert longest["talksumm/training_sets"] > longest["talksumm/tuning"]


def test_a_dataset_that_is_not_wanted_gives_no_height():
    pairs = workspace().datasets["talksumm/pairs"]
    assert loop.heights(workspace().graph, [(pairs, pairs.made_months)]) == {"talksumm/pairs": 1}


@pytest.mark.parametrize(("stale", "processes"), [(1, 1), (2, 2), (5, 3)])
def test_there_are_no_more_processes_than_stale_partitions(monkeypatch, stale, processes):
    papers = [workspace().datasets["sources/papers"], workspace().datasets["sources/talks"]]
    wanted = [(item, item.made_months) for item in papers]
    places = [(item.name, month) for item, months in wanted for month in months]
    begun = []

    class Runners:
        free = True

        def __init__(self, jobs: int):
            begun.append(jobs)

        def start(self, item, month, tags):
            raise InterruptedError  # it is enough to know who would make the first

        def release(self):
            pass

        def close(self):
            pass

    status = SimpleNamespace(fresh=False, reasons=["missing"]), SimpleNamespace(fresh=True, reasons=[])
    monkeypatch.setattr(
        loop.View, "status", lambda view, item, month: status[(item.name, month) not in places[-stale:]]
    )
    monkeypatch.setattr(loop, "Here", lambda *_: Runners(1))
    monkeypatch.setattr(loop, "Pool", lambda jobs, _: Runners(jobs))
    monkeypatch.setattr(sync, "sync", lambda _: None)
    with pytest.raises(InterruptedError):
        list(loop.bring_up_to_date(workspace(), wanted, Console(), jobs=3))
    assert begun == [processes]
