"""Dagster's sensor on the source folders.

Belongs here: turning what changed into requests for runs. Not here: noticing it (notice.py).
"""

from __future__ import annotations

import json

import dagster as dg

from assets.declare.dagster_asset import asset_key
from orchestration.dagster.child_process import ask
from orchestration.state.graph import datasets


@dg.sensor(
    target=dg.AssetSelection.all(),
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description=(
        "Makes the partitions that new or changed files in the source folders touch, and what reads them as "
        "soon as its inputs are made; each once for the same state, so one that fails is not tried for ever. "
        "What is stale because params or code changed is left alone."
    ),
)
def source_files(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Ask for what changed files touch; a source or params.yaml that cannot be read fails the tick."""
    found = ask("source-changes", text=context.cursor or "")
    requests = []
    for request in found["requests"]:
        name, month = request["dataset"], request["month"]
        check_known(name, month)
        requests.append(
            dg.RunRequest(
                run_key=f"{name} {month} {request['state']}",
                partition_key=month or None,
                asset_selection=[asset_key(datasets()[name].key)],
                tags={"silverloom/noticed": found["reason"][:200]},
            )
        )
    cursor = json.dumps(found["memory"])
    if not requests:
        return dg.SensorResult(skip_reason=found["reason"], cursor=cursor)
    return dg.SensorResult(run_requests=requests, cursor=cursor)


def check_known(name: str, month: str) -> None:
    """Raise LookupError for a partition that was declared after this process read the params."""
    if name not in datasets() or month not in datasets()[name].months:
        raise LookupError(f"{name} {month} is new since the definitions were loaded: reload them")
