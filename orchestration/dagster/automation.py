"""What Dagster does by itself: sensors on the source folders and the outbox, schedules of month and health.

Belongs here: when something is asked for, and of what. Not here: noticing what changed in the folders
(source_changes.py), what is fresh (state/freshness.py).
"""

from __future__ import annotations

import subprocess

import dagster as dg

from assets.declare.dagster_asset import asset_key
from orchestration.dagster.child_process import ask, begin
from orchestration.mlflow.outbox import waiting
from orchestration.state.crawls import RECRAWL
from orchestration.state.freshness import ONLY_STALE
from orchestration.workspace.workspace import Workspace

#: Seconds that a tick waits for MLflow: as long, other sensors wait for it.
_SENDING = 10.0


def source_files(workspace: Workspace) -> dg.SensorDefinition:
    """Return the sensor; a source or params.yaml that cannot be read fails the tick."""

    @dg.sensor(
        target=_all(workspace),
        minimum_interval_seconds=60,
        default_status=dg.DefaultSensorStatus.STOPPED,
        description=(
            "Makes the partitions that new or changed files in the source folders touch, and what reads them "
            "as soon as its inputs are made; each once for the same state, so one that fails is not tried "
            "for ever. What is stale because params or code changed is left alone."
        ),
    )
    def source_files(context):  # type: ignore[no-untyped-def]  # Dagster takes no annotation that is a string
        found = ask(workspace, "source-changes", text=context.cursor or "")
        requests = [
            dg.RunRequest(
                run_key="{dataset} {month} {state}".format_map(request),
                partition_key=request["month"] or None,
                asset_selection=[_key(workspace, request["dataset"], request["month"])],
                tags={"silverloom/noticed": found["reason"][:200]},
            )
            for request in found["requests"]
        ]
        reason = None if requests else found["reason"]
        return dg.SensorResult(requests, skip_reason=reason, cursor=found["cursor"])

    return source_files


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
    """Return the schedule of the newest month; params.yaml that cannot be read fails the tick."""

    @dg.schedule(
        cron_schedule="0 3 1 * *",
        target=_all(workspace),
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description=(
            "Makes what is not fresh of the newest month, the last one of params.yaml: on the first of a "
            "month, in one run, inputs first. Crawls ask the web again, for what changed since. Datasets "
            "over all months are left to `make run`."
        ),
    )
    def newest_month(context):  # type: ignore[no-untyped-def]  # Dagster takes no annotation that is a string
        plan = ask(workspace, "plan", "--json")
        month = plan["newest"]
        due = dict.fromkeys(step["dataset"] for step in plan["steps"] if step["month"] == month)
        keys = [_key(workspace, name, month) for name in due | dict.fromkeys(_crawled(workspace, month))]
        if not keys:
            return dg.SkipReason(f"every partition of {month}, the newest month, is fresh or excluded")
        tags = {ONLY_STALE: "true", RECRAWL: "true"}
        return dg.RunRequest(partition_key=month, asset_selection=keys, tags=tags)

    return newest_month


def _crawled(workspace: Workspace, month: str) -> list[str]:
    """Return the crawls of a month, and what of the month is made of them: a crawl may find other pages."""
    found: list[str] = []
    for name, item in workspace.datasets.items():
        asks = item.crawl and item.records in (None, *workspace.settings.sources)
        reads = any(source.key.to_user_string() in found for source in item.inputs)
        if item.partitioned and month in item.made_months and (asks or reads):
            found.append(name)
    return found


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
    """Select every dataset, and none of assets/plain, whose partitions may be others."""
    return dg.AssetSelection.assets(*(asset_key(item.key) for item in workspace.datasets.values()))


def _key(workspace: Workspace, name: str, month: str) -> dg.AssetKey:
    """Return a dataset's key. Raises LookupError for a partition that was declared since params were read."""
    if name not in workspace.datasets or month not in workspace.datasets[name].months:
        raise LookupError(f"{name} {month} is new since the definitions were loaded: reload them")
    return asset_key(workspace.datasets[name].key)
