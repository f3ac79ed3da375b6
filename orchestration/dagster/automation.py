"""What Dagster does by itself: sensors on the source folders and the outbox, schedules of month and health.

Belongs here: when something is asked for, and of what. Not here: looking at the folders (source_files.py),
the condition by which a change is followed (assets/declare/automation.py).
"""

from __future__ import annotations

import subprocess

import dagster as dg

from assets.declare.dagster_asset import asset_key, source_key
from orchestration.dagster.child_process import begin
from orchestration.dagster.source_files import observed
from orchestration.mlflow.outbox import waiting
from orchestration.state.crawls import RECRAWL
from orchestration.workspace.workspace import Workspace

#: Seconds that a tick waits for MLflow: as long, other sensors wait for it.
_SENDING = 10.0


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
            _, complaint = under_way[0].communicate(timeout=_SENDING)
        except subprocess.TimeoutExpired:
            return dg.SkipReason(f"{len(waiting(workspace))} still wait, and are being sent")
        failed = under_way.pop().returncode
        return dg.SkipReason(complaint.strip() or "it failed" if failed else "what waited was sent")

    return runs_to_mlflow


def newest_month(workspace: Workspace) -> dg.ScheduleDefinition:
    """Return the schedule of the newest month, as params.yaml had it when the definitions were loaded."""
    month = workspace.settings.partitions.months[-1]
    items = [item for item in workspace.datasets.values() if item.partitioned and month in item.made_months]

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
        keys = [asset_key(item.key) for item in items]
        return dg.RunRequest(partition_key=month, asset_selection=keys, tags={RECRAWL: "true"})

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
    return dg.AssetSelection.assets(*(asset_key(item.key) for item in workspace.datasets.values()))
