"""Dagster's schedules: the newest month, and health.

Belongs here: when something is asked for, and of what. Not here: what is fresh (freshness.py).
"""

from __future__ import annotations

import dagster as dg

from assets.declare.dagster_asset import asset_key
from orchestration.dagster.child_process import ask
from orchestration.dagster.sensors import check_known
from orchestration.state.crawls import RECRAWL
from orchestration.state.freshness import ONLY_STALE
from orchestration.workspace.workspace import Workspace


def newest_month(workspace: Workspace) -> dg.ScheduleDefinition:
    """Return the schedule of the newest month; params.yaml that cannot be read fails the tick."""

    @dg.schedule(
        cron_schedule="0 3 1 * *",
        target=dg.AssetSelection.all(),
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
        stale = {step["dataset"] for step in plan["steps"] if step["month"] == month}
        due = [name for name in workspace.datasets if name in stale | _crawled(workspace, month)]
        if not due:
            return dg.SkipReason(f"every partition of {month}, the newest month, is fresh or excluded")
        for name in {*stale, *due}:
            check_known(workspace, name, month)
        return dg.RunRequest(
            partition_key=month,
            asset_selection=[asset_key(workspace.datasets[name].key) for name in due],
            tags={ONLY_STALE: "true", RECRAWL: "true"},
        )

    return newest_month


def _crawled(workspace: Workspace, month: str) -> set[str]:
    """Return the crawls of a month, and what of the month is made of them: a crawl may find other pages."""
    found: set[str] = set()
    for name, item in workspace.datasets.items():
        asks = item.crawl is not None and item.records in workspace.settings.sources
        reads = not found.isdisjoint(source.key.to_user_string() for source in item.inputs)
        if item.partitioned and month in item.made_months and (asks or reads):
            found.add(name)
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
