"""The folders of raw sources, as Dagster's observable source assets: when files change, so does a version.

Belongs here: what Dagster sees of them, a version a partition. Not here: what is made when one changes
(assets/declare/automation.py), the sensor that looks at them (automation.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import dagster as dg

from assets.declare.dagster_asset import months, source_key
from orchestration.compat import DATA_VERSION_IS_USER_PROVIDED_TAG, DATA_VERSION_TAG
from orchestration.dagster.child_process import ask
from orchestration.state.corpora import corpus
from orchestration.workspace.workspace import Workspace

#: How often files are looked at while the sensor `source_files` is on: every quarter of an hour.
OFTEN = "*/15 * * * *"


def source_assets(workspace: Workspace) -> list[dg.SourceAsset]:
    """Return an observable source asset for each `sources.<records>` that has folders."""
    return [_source_asset(workspace, records) for records in observed(workspace)]


def observed(workspace: Workspace) -> list[str]:
    """Return the names of the records that datasets read from folders."""
    names = {item.records for item in workspace.datasets.values() if item.records}
    return [name for name in sorted(names) if workspace.settings.folders(name)]


def _source_asset(workspace: Workspace, records: str) -> dg.SourceAsset:
    key = source_key(records)

    @dg.observable_source_asset(
        key=key,
        group_name=key.path[0],
        description=f"The files of the folders that params.yaml names under sources.{records}.",
        partitions_def=months(),
        automation_condition=dg.AutomationCondition.on_cron(OFTEN),
    )
    def observe(context):  # type: ignore[no-untyped-def]  # Dagster takes no annotation that is a string
        present = _asked(workspace, context.run_id).get(records)
        if present is None:
            raise LookupError(f"sources.{records} has no folders any more: reload the definitions")
        former = _observed(context.instance, key, present)
        return dg.DataVersionsByPartition(
            {month: version for month, version in present.items() if former.get(month) != version}
        )

    return observe


def versions(workspace: Workspace) -> dict[str, dict[str, str]]:
    """Return the version of each month's records, by the name of the records.

    Raises SourceError for a folder that cannot be read, ParamsError for params that cannot be used.
    """
    present = workspace.settings.partitions.months
    return {
        name: {month: corpus(workspace, name).version(month) for month in present}
        for name in observed(workspace)
    }


def observe_now(workspace: Workspace, instance: dg.DagsterInstance) -> None:
    """Tell Dagster the versions of sources that it does not know: what is made of them records these."""
    for records, present in versions(workspace).items():
        key = source_key(records)
        former = _observed(instance, key, present)
        for month, version in present.items():
            if former.get(month) != version:
                tags = {DATA_VERSION_TAG: version, DATA_VERSION_IS_USER_PROVIDED_TAG: "true"}
                instance.report_runless_asset_event(dg.AssetObservation(key, partition=month, tags=tags))


@lru_cache(maxsize=1)
def _asked(workspace: Workspace, run_id: str) -> Mapping[str, Mapping[str, str]]:
    """Return the versions as of a run, which may look at several sources."""
    found: Mapping[str, Mapping[str, str]] = ask(workspace, "source-versions")
    return found


def _observed(instance: dg.DagsterInstance, key: dg.AssetKey, present: Iterable[str]) -> dict[str, str]:
    """Return the versions that Dagster knows: each that is told again is one more event."""
    kind = dg.DagsterEventType.ASSET_OBSERVATION
    ids = instance.get_latest_storage_id_by_partition(key, kind, set(present))
    chosen = dg.AssetRecordsFilter(key, storage_ids=sorted(ids.values()))
    events = instance.fetch_observations(chosen, limit=len(ids)).records if ids else []
    return {
        event.partition_key or "": (event.asset_observation.tags or {}).get(DATA_VERSION_TAG, "")
        for event in events
        if event.asset_observation
    }
