"""Dagster's sensor on the source folders.

Belongs here: turning what changed into requests for runs. Not here: noticing it (source_changes.py).
"""

from __future__ import annotations

import json

import dagster as dg

from assets.declare.dagster_asset import asset_key
from orchestration.dagster.child_process import ask
from orchestration.workspace.workspace import Workspace


def source_files(workspace: Workspace) -> dg.SensorDefinition:
    """Return the sensor; a source or params.yaml that cannot be read fails the tick."""

    @dg.sensor(
        target=dg.AssetSelection.all(),
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
        requests = []
        for request in found["requests"]:
            name, month = request["dataset"], request["month"]
            check_known(workspace, name, month)
            requests.append(
                dg.RunRequest(
                    run_key=f"{name} {month} {request['state']}",
                    partition_key=month or None,
                    asset_selection=[asset_key(workspace.datasets[name].key)],
                    tags={"silverloom/noticed": found["reason"][:200]},
                )
            )
        cursor = json.dumps(found["memory"])
        if not requests:
            return dg.SensorResult(skip_reason=found["reason"], cursor=cursor)
        return dg.SensorResult(run_requests=requests, cursor=cursor)

    return source_files


def check_known(workspace: Workspace, name: str, month: str) -> None:
    """Raise LookupError for a partition that was declared after this process read the params."""
    if name not in workspace.datasets or month not in workspace.datasets[name].months:
        raise LookupError(f"{name} {month} is new since the definitions were loaded: reload them")
