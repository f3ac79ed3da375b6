"""What Dagster's past runs tell: how long partitions took, and which runs are no longer needed.

Belongs here: asking Dagster. Not here: what is failed now (health.py), printing (cli/).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import dagster as dg

from silverloom.assets.declare.dagster_asset import asset_key
from silverloom.orchestration.compat import events_of_run, last_attempt
from silverloom.orchestration.dagster.instance import dagster_errors, instance
from silverloom.orchestration.workspace.workspace import Workspace

#: The tag that says what a run of silverloom's commands made: Dagster's list of runs shows only the job.
DATASET = "silverloom/dataset"

#: Stands for any partition.
ANY = "*"

#: How many runs are looked at for their durations, newest first.
_RUNS = 5_000


def durations() -> Mapping[tuple[str, str], float]:
    """Return the seconds that the last runs of one dataset each took, by dataset and partition.

    The partition ANY has the longest of a dataset. Manifests hold no times. An unusable store knows none.
    """
    seconds: dict[tuple[str, str], float] = {}
    try:
        with dagster_errors():
            succeeded = dg.RunsFilter(statuses=[dg.DagsterRunStatus.SUCCESS])
            for record in instance().get_run_records(succeeded, limit=_RUNS):
                tags = record.dagster_run.tags
                selected = [key.to_user_string() for key in record.dagster_run.asset_selection or ()]
                names = [tags[DATASET]] if DATASET in tags else selected  # of runs from the browser
                if len(names) == 1 and record.start_time and record.end_time:
                    took, (name,) = record.end_time - record.start_time, names
                    seconds.setdefault((name, tags.get("dagster/partition", "")), took)
                    seconds[name, ANY] = max(took, seconds.get((name, ANY), 0.0))
    except RuntimeError:
        return {}
    return seconds


def old_runs(workspace: Workspace, days: int) -> list[str]:
    """Return the failed runs from before some days that made nothing and are no partition's last attempt.

    Runs that made something stay: Dagster's staleness follows readers to the events of what they read.
    """
    before = datetime.now(UTC) - timedelta(days=days)
    failed = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
    with dagster_errors():
        records = instance().get_run_records(dg.RunsFilter(statuses=failed, created_before=before))
        needed = _last_attempts(workspace) if records else set()
        old = [record.dagster_run.run_id for record in records if record.dagster_run.run_id not in needed]
        made = {dg.DagsterEventType.ASSET_MATERIALIZATION}
        return [run for run in old if not events_of_run(instance(), run, made)]


def _last_attempts(workspace: Workspace) -> set[str]:
    places = [(dataset, name) for dataset in workspace.datasets.values() for name in dataset.partitions]
    attempts = [last_attempt(instance(), asset_key(dataset.key), name) for dataset, name in places]
    return {attempt[0] for attempt in attempts if attempt}
