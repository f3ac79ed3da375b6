"""What the health lists, and how often it asks Dagster."""

import json
from datetime import UTC, datetime
from types import SimpleNamespace

import dagster as dg
import pytest

from silverloom.assets.declare import graph
from silverloom.orchestration.compat import DATA_VERSION_TAG
from silverloom.orchestration.dagster import health
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.state.freshness import Manifest, View
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


def test_a_warning_of_a_fresh_partition_is_listed_with_its_time_and_is_no_failure(monkeypatch, capsys):
    dataset = workspace().datasets["talksumm/pairs"]
    unmet = {"expected": "rows >= 50", "severity": "warning", "passed": False, "observed": "20 rows"}
    manifest = Manifest({}, {}, checks={"warnings": [unmet, {**unmet, "passed": True}]})
    monkeypatch.setattr(View, "known", lambda *_: manifest)
    monkeypatch.setattr(health, "plan", lambda _: [])
    monkeypatch.setattr(health, "rejected_sources", lambda *_: [])
    monkeypatch.setattr(type(workspace().graph), "selected", lambda *_: [dataset])
    month, *others = dataset.partitions
    with dg.instance_for_test() as instance:
        monkeypatch.setattr(health, "instance", lambda: instance)
        for version in ("former", manifest.version, manifest.version):
            tags = {DATA_VERSION_TAG: version}
            key = dg.AssetKey([*dataset.key])
            instance.report_runless_asset_event(dg.AssetMaterialization(key, partition=month, tags=tags))
        records = instance.fetch_materializations(key, limit=3).records
        assert health.show(workspace(), as_json=True) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(found["partition"], found["since"] is None) for found in listed] == [
        (month, False),
        *((other, True) for other in others),
    ]
    assert {(found["state"], found["why"]) for found in listed} == {("warning", "rows >= 50: 20 rows")}
    made = datetime.fromtimestamp(records[1].timestamp, UTC).isoformat(timespec="seconds")
    assert listed[0]["since"] == made
