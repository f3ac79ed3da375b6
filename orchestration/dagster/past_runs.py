"""What Dagster's past runs tell: how long partitions took, and which runs are no longer needed.

Belongs here: asking Dagster. Not here: what is failed now (health.py), printing (cli/).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import dagster as dg

from silverloom.assets.declare.dagster_asset import asset_key
from silverloom.orchestration.compat import last_attempt
from silverloom.orchestration.dagster.health import made_by
from silverloom.orchestration.dagster.instance import dagster_errors, instance, latest_by_partition
from silverloom.orchestration.state.freshness import read_manifest
from silverloom.orchestration.workspace.workspace import Workspace

#: The tag that says what a run of silverloom's commands made: Dagster's list of runs shows only the job.
DATASET = "silverloom/dataset"

#: Stands for any partition.
ANY = "*"

#: How many runs are looked at for their durations, newest first.
_RUNS = 5_000


def durations() -> Mapping[tuple[str, str], float]:
    """Return the seconds that partitions took when silverloom last made them, by dataset and partition.

    The partition ANY has the longest of a dataset. Manifests hold no times. An unusable store knows none.
    """
    seconds: dict[tuple[str, str], float] = {}
    try:
        with dagster_errors():
            succeeded = dg.RunsFilter(statuses=[dg.DagsterRunStatus.SUCCESS])
            for record in instance().get_run_records(succeeded, limit=_RUNS):
                tags = record.dagster_run.tags
                if DATASET in tags and record.start_time and record.end_time:
                    took, name = record.end_time - record.start_time, tags[DATASET]
                    seconds.setdefault((name, tags.get("dagster/partition", "")), took)
                    seconds[name, ANY] = max(took, seconds.get((name, ANY), 0.0))
    except RuntimeError:
        return {}
    return seconds


def old_runs(workspace: Workspace, days: int) -> list[str]:
    """Return the ended runs from before some days that no partition needs any more.

    A partition needs the run that made its version, the last one that reported on it, and its last attempt,
    which says whether it is failed.
    """
    before = datetime.now(UTC) - timedelta(days=days)
    ended = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
    with dagster_errors():
        old = instance().get_run_records(dg.RunsFilter(statuses=ended, created_before=before))
        needed = _needed(workspace) if old else set()
    return [record.dagster_run.run_id for record in old if record.dagster_run.run_id not in needed]


def _needed(workspace: Workspace) -> set[str]:
    needed = set[str]()
    for dataset in workspace.datasets.values():
        key = asset_key(dataset.key)
        latest = latest_by_partition(instance().fetch_materializations, key, dataset.partitions)
        needed |= {record.run_id for record in latest.values()}
        for partition in dataset.partitions:
            manifest = read_manifest(workspace, dataset, partition)
            if manifest and (run := made_by(dataset, partition, manifest.version)):
                needed.add(run)
            if attempt := last_attempt(instance(), key, partition):
                needed.add(attempt[0])
    return needed
