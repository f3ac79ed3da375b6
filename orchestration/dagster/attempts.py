"""Which partitions Dagster shows as failed: their last attempt was, and nothing was made since.

Belongs here: asking Dagster's event log. Not here: what else keeps a partition from being fresh (health.py).
"""

from __future__ import annotations

import dagster as dg

from assets.declare.dagster_asset import asset_key
from assets.declare.declaration import Declaration
from orchestration.compat import DATA_VERSION_TAG
from orchestration.dagster.instance import instance

#: The data version of what is not on disk as it was made.
ABSENT = "absent"

_FAILED = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
_PARTITION = "dagster/partition"


def failed_run(item: Declaration, month: str) -> str | None:
    """Return the run of a partition's last attempt if it failed and nothing was made since."""
    last = instance().get_latest_planned_materialization_info(asset_key(item.key), month or None)
    run = instance().get_run_by_id(last.run_id) if last else None
    if last is None or run is None or run.status not in _FAILED:
        return None
    later = dg.AssetRecordsFilter(
        asset_key(item.key), asset_partitions=[month] if month else None, after_storage_id=last.storage_id
    )
    for event in instance().fetch_materializations(later, limit=10).records:
        tags = (event.asset_materialization and event.asset_materialization.tags) or {}
        if tags.get(DATA_VERSION_TAG) != ABSENT:
            return None
    return last.run_id


def once_failed() -> set[tuple[str, str]]:
    """Return, as datasets and months, the partitions of all runs that failed, in one query."""
    return {
        (key.to_user_string(), run.tags.get(_PARTITION, ""))
        for run in instance().get_runs(dg.RunsFilter(statuses=_FAILED))
        for key in run.asset_selection or ()
    }
