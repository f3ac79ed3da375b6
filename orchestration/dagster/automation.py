"""What Dagster does on its own: observing source folders, sensors, schedules, and the health check.

Belongs here: what is requested, and when. Not here: how a folder is versioned (ops/parse/scan.py), and the
automation conditions of datasets (assets/declare/conditions.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import dagster as dg

from silverloom.assets.declare.dagster_asset import asset_key, partitions, source_key
from silverloom.assets.declare.declaration import Dataset
from silverloom.orchestration.compat import DATA_VERSION_IS_USER_PROVIDED_TAG, DATA_VERSION_TAG
from silverloom.orchestration.dagster.health import HARMLESS, health, summary
from silverloom.orchestration.dagster.instance import latest_by_partition, logged
from silverloom.orchestration.files.identity import FileStamp, file_stamp
from silverloom.orchestration.messages import markdown_table
from silverloom.orchestration.state.addresses import HOST, PORT, Addresses
from silverloom.orchestration.state.freshness import View
from silverloom.orchestration.state.sources import RECRAWL, corpus, source_stamps
from silverloom.orchestration.workspace.workspace import Workspace

#: The module that Dagster loads, which is also the name of its code location.
DEFINITIONS = "silverloom.orchestration.definitions"

#: Seconds that a tick waits for MLflow. Other sensors wait just as long.
SENDING = 10.0


def sensors(workspace: Workspace) -> list[dg.SensorDefinition]:
    """Return the sensors on source folders, on what MLflow lacks, and on the newest partition.

    The last one asks the server that `silverloom ui` started, and is not there without it.
    """
    newest = [reload_definitions(workspace)] if _has_newest(workspace) else []
    return [source_files(workspace), *newest, runs_to_mlflow(workspace)]


def _has_newest(workspace: Workspace) -> bool:
    return PORT in os.environ and workspace.settings.partitions.every != "none"


def source_files(workspace: Workspace) -> dg.AutomationConditionSensorDefinition:
    """Return the sensor that watches the source folders and makes what their changes affect."""
    return dg.AutomationConditionSensorDefinition(
        "source_files",
        target=_all(workspace) | dg.AssetSelection.assets(*map(source_key, observed(workspace))),
        minimum_interval_seconds=60,
        default_status=dg.DefaultSensorStatus.STOPPED,
        emit_backfills=False,
        description=(
            "Checks the source folders every 15 minutes and makes the partitions whose files changed, in one "
            "run with their readers of the same month, then others that read them if their data version "
            "changed. Each change is tried once, so a failure is "
            "not retried for ever. It ignores partitions that are stale because params or code changed."
        ),
    )


def reload_definitions(workspace: Workspace) -> dg.SensorDefinition:
    """Return the sensor that has the definitions loaded again if the newest partition is another one."""
    loaded = workspace.settings.partitions.names[-1]
    seen: list[object] = []

    @dg.sensor(
        minimum_interval_seconds=300,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Has the definitions loaded again if the newest partition is another one.",
    )
    def reload_definitions():  # type: ignore[no-untyped-def]  # Dagster rejects string annotations
        from dagster_graphql import DagsterGraphQLClient, DagsterGraphQLClientError

        nonlocal seen
        params, today = file_stamp(workspace.root / "params.yaml"), datetime.now(UTC).date()
        follows = observed(workspace) if workspace.settings.partitions.follows_sources else ()
        stamps = [source_stamps(workspace, records) for records in follows]
        found: list[object] = [params, today, *stamps]
        if found == seen or (newest := _newest(workspace)) == loaded:
            seen = found
            return dg.SkipReason(f"{loaded} is the newest partition")
        server = DagsterGraphQLClient(HOST, port_number=Addresses(workspace).base_port())
        try:
            answer = server.reload_repository_location(DEFINITIONS).status.value
        except DagsterGraphQLClientError:
            answer = "Dagster's UI does not answer, so the next tick asks it again"
        return dg.SkipReason(f"the newest partition is {newest}, no longer {loaded}; {answer}")

    return reload_definitions


#: The stamps of all manifests.
_Manifests: TypeAlias = dict[Path, FileStamp | None]


def runs_to_mlflow(workspace: Workspace) -> dg.SensorDefinition:
    """Return the sensor that sends the runs of Dagster's daemon to MLflow.

    A slow server does not block a tick: sending continues in the background, and a later tick reports the
    outcome. A failure to send does not fail the tick, because Dagster keeps failed ticks for ever. MLflow is
    only asked if a manifest changed since it had all runs.
    """
    under_way: list[tuple[subprocess.Popen[str], _Manifests]] = []
    complete: _Manifests = {}

    @dg.sensor(
        minimum_interval_seconds=60,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Sends MLflow the runs that it lacks, if any partition was made since the last time. If sending "
            "fails, the tick says why, and the next tick tries again."
        ),
    )
    def runs_to_mlflow():  # type: ignore[no-untyped-def]  # Dagster rejects string annotations
        nonlocal complete
        if not under_way:
            if (present := _manifests(workspace)) == complete:
                return dg.SkipReason("nothing was made since MLflow had all runs")
            under_way.append((begin(workspace, "send"), present))
        try:
            _, complaint = under_way[0][0].communicate(timeout=SENDING)
        except subprocess.TimeoutExpired:
            return dg.SkipReason("still sending")
        process, present = under_way.pop()
        if process.returncode:
            return dg.SkipReason(complaint.strip() or "sending failed")
        complete = present
        return dg.SkipReason("MLflow has all runs")

    return runs_to_mlflow


def _manifests(workspace: Workspace) -> _Manifests:
    return {path: file_stamp(path) for path in (workspace.root / "manifests").rglob("*.json")}


def newest_partition(workspace: Workspace) -> dg.ScheduleDefinition:
    """Return the schedule for the newest partition of params.yaml.

    A tick looks it up anew. Dagster cannot request a partition that the loaded definitions lack.
    """
    partition = workspace.settings.partitions.names[-1]

    @dg.schedule(
        cron_schedule="0 3 1 * *",
        target=_all(workspace),
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description=(
            "On the first of each month, makes what is stale or missing in the newest partition (the last "
            "one in params.yaml) and its readers, in one run, inputs first. Crawls fetch from the web "
            "again. Datasets over all partitions are left to `make run`."
        ),
    )
    def newest_partition():  # type: ignore[no-untyped-def]  # Dagster rejects string annotations
        if (newest := _newest(workspace)) != partition:
            return dg.SkipReason(f"the newest is {newest} now, not {partition}: reload the definitions")
        keys = [asset_key(dataset.key) for dataset in due(View(workspace), partition)]
        if not keys:
            return dg.SkipReason(f"{partition} is fresh")
        return dg.RunRequest(
            partition_key=partition, asset_selection=keys, tags={RECRAWL: "true"}, run_config=logged()
        )

    return newest_partition


def _newest(workspace: Workspace) -> str:
    """Return the newest partition as of now: this process keeps the params and sources that it began with.

    Raises RuntimeError with the complaint of the command that was asked.
    """
    planned, complaint = (asked := begin(workspace, "plan", "--json")).communicate()
    if asked.returncode:
        raise RuntimeError(complaint.strip())
    return str(json.loads(planned)["newest"])


def due(view: View, partition: str) -> list[Dataset]:
    """Return the datasets whose partition is stale, is a crawl, or reads one of these; inputs first."""
    due: dict[str, Dataset] = {}
    for dataset in view.workspace.datasets.values():
        if dataset.partitioned and partition in dataset.made_partitions:
            reads = (upstream.name for upstream in view.workspace.graph.upstream(dataset))
            if dataset.crawl or not (view.status(dataset, partition).fresh and due.keys().isdisjoint(reads)):
                due[dataset.name] = dataset
    return list(due.values())


def health_check(workspace: Workspace, key: dg.AssetKey) -> dg.AssetChecksDefinition:
    """Return the health check, attached to an asset. It fails if anything is not fresh, and never blocks."""

    @dg.asset_check(
        asset=key,
        name="health",
        blocking=False,
        description="No partition of any dataset is failed, stale or missing right now.",
    )
    def check():  # type: ignore[no-untyped-def]  # Dagster rejects string annotations
        unfresh = health(View(workspace))
        failed = any(partition.state in ("failed", "rejected") for partition in unfresh)
        rows = [
            (stale.dataset, stale.partition, stale.state, stale.why, stale.run or "") for stale in unfresh
        ]
        shown = markdown_table(["dataset", "partition", "state", "why", "run"], rows)
        return dg.AssetCheckResult(
            passed=all(partition.state in HARMLESS for partition in unfresh),
            severity=dg.AssetCheckSeverity.ERROR if failed else dg.AssetCheckSeverity.WARN,
            description=summary(unfresh),
            metadata={"partitions": dg.MetadataValue.md(shown)},
        )

    return check


def hourly(check: dg.AssetChecksDefinition) -> dg.ScheduleDefinition:
    """Return the schedule of the health check."""
    return dg.ScheduleDefinition(
        name="health",
        target=dg.AssetSelection.checks(check),
        cron_schedule="0 * * * *",
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description="Every hour, lists what is failed or stale.",
    )


def _all(workspace: Workspace) -> dg.AssetSelection:
    """Select every dataset, but no plain Dagster assets: their partitions may differ."""
    return dg.AssetSelection.assets(*(asset_key(dataset.key) for dataset in workspace.datasets.values()))


#: How often files are checked while the sensor `source_files` is on: every 15 minutes.
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
        description=f"The files in the source folders listed under sources.{records} in params.yaml.",
        partitions_def=partitions(),
        automation_condition=dg.AutomationCondition.in_latest_time_window()
        & dg.AutomationCondition.cron_tick_passed(OFTEN),
    )
    def observe(context):  # type: ignore[no-untyped-def]  # Dagster rejects string annotations
        present = versions(workspace, records)
        former = _observed(context.instance, key, present)
        return dg.DataVersionsByPartition(
            {partition: version for partition, version in present.items() if former.get(partition) != version}
        )

    return observe


def versions(workspace: Workspace, records: str) -> dict[str, str]:
    """Return the version of each partition of some records. Raises SourceError if a folder is unreadable."""
    names = workspace.settings.partitions.names
    return {partition: corpus(workspace, records).version(partition) for partition in names}


def observe_now(workspace: Workspace, instance: dg.DagsterInstance) -> None:
    """Report source versions that Dagster does not know yet: runs record them as their inputs' versions."""
    for records in observed(workspace):
        key, present = source_key(records), versions(workspace, records)
        former = _observed(instance, key, present)
        for partition, version in present.items():
            if former.get(partition) != version:
                tags = {DATA_VERSION_TAG: version, DATA_VERSION_IS_USER_PROVIDED_TAG: "true"}
                instance.report_runless_asset_event(dg.AssetObservation(key, partition=partition, tags=tags))


def _observed(instance: dg.DagsterInstance, key: dg.AssetKey, present: Iterable[str]) -> dict[str, str]:
    """Return the versions that Dagster knows, so that no event is reported twice."""
    latest = latest_by_partition(instance.fetch_observations, key, present)
    events = {partition: record.asset_observation for partition, record in latest.items()}
    return {name: (event.tags or {}).get(DATA_VERSION_TAG, "") for name, event in events.items() if event}


def begin(workspace: Workspace, *command: str) -> subprocess.Popen[str]:
    """Start a `silverloom` command."""
    argv, pipe = [sys.executable, "-m", "silverloom.orchestration.cli", *command], subprocess.PIPE
    return subprocess.Popen(argv, cwd=workspace.root, stdout=pipe, stderr=pipe, text=True)
