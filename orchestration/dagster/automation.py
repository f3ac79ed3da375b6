"""What Dagster does by itself: source folders that it observes, sensors, and schedules of month and health.

Belongs here: when something is asked for, and of what. Not here: how a folder is versioned
(ops/parse/scan.py), the condition by which a change is followed (assets/declare/dagster_asset.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import dagster as dg

from assets.declare.dagster_asset import asset_key, partitions, source_key
from orchestration.compat import DATA_VERSION_IS_USER_PROVIDED_TAG, DATA_VERSION_TAG
from orchestration.mlflow.tracking import waiting
from orchestration.state.sources import RECRAWL, corpus
from orchestration.workspace.workspace import Workspace

#: Seconds that a tick waits for MLflow: as long, other sensors wait for it.
SENDING = 10.0


def source_files(workspace: Workspace) -> dg.AutomationConditionSensorDefinition:
    """Return the sensor that looks at the source folders and makes what a change of theirs reaches."""
    return dg.AutomationConditionSensorDefinition(
        "source_files",
        target=_all(workspace) | dg.AssetSelection.assets(*map(source_key, observed(workspace))),
        minimum_interval_seconds=60,
        default_status=dg.DefaultSensorStatus.STOPPED,
        emit_backfills=False,
        description=(
            "Looks at the source folders every quarter of an hour, and makes the partitions whose files "
            "changed; then what reads them, where their data version changed. Each once for a change, so one "
            "that fails is not tried for ever. What is stale because params or code changed is left alone."
        ),
    )


def runs_to_mlflow(workspace: Workspace) -> dg.SensorDefinition:
    """Return the sensor that sends the runs of Dagster's daemon.

    A slow server keeps no tick: what sends goes on, and a later tick says how it ended. What cannot be sent
    fails none either: Dagster keeps ticks that fail for ever.
    """
    under_way: list[subprocess.Popen[str]] = []

    @dg.sensor(
        minimum_interval_seconds=60,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Sends to MLflow the runs that wait in the outbox. What cannot be sent stays, the tick says why, "
            "and the next one tries again."
        ),
    )
    def runs_to_mlflow():  # type: ignore[no-untyped-def]  # Dagster takes no annotation that is a string
        if not under_way:
            if not waiting(workspace):
                return dg.SkipReason("no run waits for MLflow")
            under_way.append(begin(workspace, "send"))
        try:
            _, complaint = under_way[0].communicate(timeout=SENDING)
        except subprocess.TimeoutExpired:
            return dg.SkipReason(f"{len(waiting(workspace))} still wait, and are being sent")
        failed = under_way.pop().returncode
        return dg.SkipReason(complaint.strip() or "it failed" if failed else "what waited was sent")

    return runs_to_mlflow


def newest_month(workspace: Workspace) -> dg.ScheduleDefinition:
    """Return the schedule of the newest month, as params.yaml had it when the definitions were loaded."""
    partition = workspace.settings.partitions.months[-1]
    datasets = [
        dataset
        for dataset in workspace.datasets.values()
        if dataset.partitioned and partition in dataset.made_partitions
    ]

    @dg.schedule(
        cron_schedule="0 3 1 * *",
        target=_all(workspace),
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description=(
            "Makes the newest month, the last one of params.yaml: on the first of a month, in one run, "
            "inputs first; what is fresh stays as it is. Crawls ask the web again, for what changed since. "
            "Datasets over all months are left to `make run`."
        ),
    )
    def newest_month():  # type: ignore[no-untyped-def]  # Dagster takes no annotation that is a string
        keys = [asset_key(dataset.key) for dataset in datasets]
        return dg.RunRequest(partition_key=partition, asset_selection=keys, tags={RECRAWL: "true"})

    return newest_month


def hourly(check: dg.AssetChecksDefinition) -> dg.ScheduleDefinition:
    """Return the schedule of the health check."""
    return dg.ScheduleDefinition(
        name="health",
        target=dg.AssetSelection.checks(check),
        cron_schedule="0 * * * *",
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description="Lists what is failed or stale, every hour.",
    )


def _all(workspace: Workspace) -> dg.AssetSelection:
    """Select every dataset, and no plain asset, whose partitions may be others."""
    return dg.AssetSelection.assets(*(asset_key(dataset.key) for dataset in workspace.datasets.values()))


#: How often files are looked at while the sensor `source_files` is on: every quarter of an hour.
OFTEN = "*/15 * * * *"


def source_assets(workspace: Workspace) -> list[dg.SourceAsset]:
    """Return an observable source asset for each `sources.<records>` that has folders."""
    return [_source_asset(workspace, records) for records in observed(workspace)]


def observed(workspace: Workspace) -> list[str]:
    """Return the names of the records that datasets read from folders."""
    names = {dataset.records for dataset in workspace.datasets.values() if dataset.records}
    return [name for name in sorted(names) if workspace.settings.folders(name)]


def _source_asset(workspace: Workspace, records: str) -> dg.SourceAsset:
    key = source_key(records)

    @dg.observable_source_asset(
        key=key,
        group_name=key.path[0],
        description=f"The files of the folders that params.yaml names under sources.{records}.",
        partitions_def=partitions(),
        automation_condition=dg.AutomationCondition.on_cron(OFTEN),
    )
    def observe(context):  # type: ignore[no-untyped-def]  # Dagster takes no annotation that is a string
        present = _asked(workspace, context.run_id).get(records)
        if present is None:
            raise LookupError(f"sources.{records} has no folders any more: reload the definitions")
        former = _observed(context.instance, key, present)
        return dg.DataVersionsByPartition(
            {partition: version for partition, version in present.items() if former.get(partition) != version}
        )

    return observe


def versions(workspace: Workspace) -> dict[str, dict[str, str]]:
    """Return the version of each month's records, by the name of the records.

    Raises SourceError for a folder that cannot be read, ParamsError for params that cannot be used.
    """
    present = workspace.settings.partitions.months
    return {
        name: {partition: corpus(workspace, name).version(partition) for partition in present}
        for name in observed(workspace)
    }


def observe_now(workspace: Workspace, instance: dg.DagsterInstance) -> None:
    """Tell Dagster the versions of sources that it does not know: what is made of them records these."""
    for records, present in versions(workspace).items():
        key = source_key(records)
        former = _observed(instance, key, present)
        for partition, version in present.items():
            if former.get(partition) != version:
                tags = {DATA_VERSION_TAG: version, DATA_VERSION_IS_USER_PROVIDED_TAG: "true"}
                instance.report_runless_asset_event(dg.AssetObservation(key, partition=partition, tags=tags))


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


#: Dagster gives a tick 60 seconds.
SECONDS = 50.0


def ask(workspace: Workspace, command: str, *options: str, seconds: float = SECONDS) -> Any:
    """Return what a command prints, read as JSON.

    Raises RuntimeError with its last line of complaint where it fails, TimeoutError where it takes too long.
    """
    with begin(workspace, command, *options) as process:
        try:
            printed, complaint = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise TimeoutError(
                f"`silverloom {command}` took more than {seconds:.0f} s; in a terminal it has no limit"
            ) from error
    if process.returncode != 0:
        ended = f"`silverloom {command}` ended with status {process.returncode}"
        raise RuntimeError((complaint.strip() or ended).splitlines()[-1].removeprefix("error: "))
    return json.loads(printed)


def begin(workspace: Workspace, command: str, *options: str) -> subprocess.Popen[str]:
    """Begin a command that can be written to, and read from."""
    argv, pipe = [sys.executable, "-m", "orchestration.cli", command, *options], subprocess.PIPE
    return subprocess.Popen(argv, cwd=workspace.root, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
