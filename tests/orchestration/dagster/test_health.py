"""How often the health asks Dagster."""

from types import SimpleNamespace

import pytest

from silverloom.orchestration.dagster import health
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
    graph = SimpleNamespace(selected=lambda select: [stale])
    view = SimpleNamespace(workspace=SimpleNamespace(graph=graph, datasets={}), known=lambda *_: "a manifest")
    monkeypatch.setattr(health, "instance", Instance)
    monkeypatch.setattr(health, "rejected_sources", lambda *_: [])
    monkeypatch.setattr(
        health, "plan", lambda _: [Step(stale, name, ("code changed",), certain=True) for name in names]
    )
    unfresh = health.health(view)
    assert {partition.state for partition in unfresh} == {"stale"} and len(unfresh) == months
    assert asked == ["get_run_records"]
