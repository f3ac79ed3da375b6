"""What the health lists, and how often it asks Dagster."""

from types import SimpleNamespace

import pytest

from silverloom.assets.declare import graph
from silverloom.orchestration.dagster import health
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.state.freshness import View
from silverloom.orchestration.state.plan import Step


@pytest.mark.parametrize("months", [20, 2_000])
def test_stale_partitions_ask_dagster_nothing(monkeypatch, months):
    names = [f"{1800 + number // 12}-{number % 12 + 1:02}" for number in range(months)]
    asked = []

    class Instance:
        def __getattr__(self, name):
            asked.append(name)
            return lambda *_, **__: []

    stale = SimpleNamespace(name="talksumm/pairs", partitions=names, excluded=lambda _: None)
    selected = SimpleNamespace(selected=lambda select: [stale])
    view = SimpleNamespace(
        workspace=SimpleNamespace(graph=selected, datasets={}), known=lambda *_: "a manifest"
    )
    monkeypatch.setattr(health, "instance", Instance)
    monkeypatch.setattr(health, "rejected_sources", lambda *_: [])
    monkeypatch.setattr(
        health, "plan", lambda _: [Step(stale, name, ("code changed",), certain=True) for name in names]
    )
    unfresh = health.health(view)
    assert {partition.state for partition in unfresh} == {"stale"} and len(unfresh) == months
    assert asked == ["get_run_records"]


def test_only_what_targets_need_is_missing(monkeypatch):
    def named(*targets):
        monkeypatch.setattr(graph, "settings", lambda: SimpleNamespace(targets=list(targets)))
        return {partition.dataset for partition in health.health(View(workspace()))}

    monkeypatch.setattr(health, "once_failed", lambda _: {})
    monkeypatch.setattr(View, "known", lambda *_: None)
    datasets = workspace().datasets
    wanted = {"discofuse/candidates"}
    wanted |= {dataset.name for dataset in workspace().graph.ancestors(datasets["discofuse/candidates"])}
    assert named("discofuse/candidates") == wanted and not named("talksumm/pairs") & {"discofuse/candidates"}
    assert named() == set(datasets)
