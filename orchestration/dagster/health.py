"""`make health`: what is failed, stale or missing right now.

Belongs here: telling failed from stale and missing, by freshness and Dagster's event log. Not here: what is
fresh (state/freshness.py), what would be made next (state/plan.py), the same as an asset check
(automation.py).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import dagster as dg

from silverloom.assets.declare.dagster_asset import asset_key
from silverloom.assets.declare.declaration import Dataset
from silverloom.orchestration.checks.rejects import rejected_sources
from silverloom.orchestration.compat import DATA_VERSION_TAG, events_of_run, last_attempt
from silverloom.orchestration.dagster.instance import cause, dagster_errors, instance
from silverloom.orchestration.partition.dagster_events import UNCHANGED
from silverloom.orchestration.state.freshness import View
from silverloom.orchestration.state.plan import Step, plan
from silverloom.orchestration.workspace.workspace import Workspace

#: States other than fresh, worst first.
STATES = ("failed", "rejected", "stale", "missing", "warning", "excluded")

#: States with which everything is as it should be.
HARMLESS = ("warning", "excluded")


@dataclass(frozen=True)
class Unfresh:
    """A partition that is not fresh, or whose rows do not meet an expectation that only warns."""

    dataset: str
    partition: str
    state: str
    """`failed`: the last attempt failed, and nothing was made since; `rejected`: no record of a source
    could be read; `stale`: made from other inputs, params or code than today's, or reads something stale;
    `missing`: never made; `warning`: fresh, but a check warns; `excluded`: by params.yaml."""
    why: str
    run: str | None = None
    """The run that failed."""
    since: str | None = None
    """When it first failed since it was last made, or since when the rows with the warning are here, in
    ISO 8601; None for other states: nobody noted when."""


def health(view: View) -> list[Unfresh]:
    """Return what is not fresh of the targets, inputs first, with warnings, and sources rejected whole."""
    wanted = view.workspace.graph.selected(None)
    steps = {(step.dataset.name, step.partition): step for step in plan(view)}
    unfresh = []
    with dagster_errors():
        suspects = once_failed(view.workspace)
        for dataset in wanted:
            for partition in dataset.partitions:
                if (reason := dataset.excluded(partition)) is not None:
                    unfresh.append(Unfresh(dataset.name, partition, "excluded", reason))
                elif (step := steps.get((dataset.name, partition))) is not None:
                    unfresh.append(_unfresh(view, step, suspects))
                elif (manifest := view.known(dataset, partition)) is not None and manifest.warnings:
                    since, why = (
                        made_since(dataset, partition, manifest.version),
                        "; ".join(manifest.warnings),
                    )
                    unfresh.append(Unfresh(dataset.name, partition, "warning", why, since=since))
    for source in rejected_sources(view, wanted):
        unfresh.append(Unfresh(source.dataset.name, "", "rejected", str(source)))
    return unfresh


def _unfresh(view: View, step: Step, suspects: Mapping[tuple[str, str], Sequence[datetime]]) -> Unfresh:
    dataset, partition = step.dataset, step.partition
    times = suspects.get((dataset.name, partition))
    if times and (run := failed_run(dataset, partition)) is not None:
        since = failed_since(dataset, partition, times).isoformat(timespec="seconds")
        return Unfresh(dataset.name, partition, "failed", _cause(dataset, run), run, since)
    state = "missing" if view.known(dataset, partition) is None else "stale"
    why = "never made" if step.reasons == ("missing",) else "; ".join(step.reasons)
    return Unfresh(dataset.name, partition, state, why)


def failed_since(dataset: Dataset, partition: str, times: Sequence[datetime]) -> datetime:
    """Return the first of the times of failure that is later than the partition's last materialisation."""
    made = _made(dataset, partition)
    last = datetime.fromtimestamp(made[0].timestamp, UTC) if made else datetime.min.replace(tzinfo=UTC)
    later = [time for time in times if time > last]
    return min(later or times)


def _cause(dataset: Dataset, run_id: str) -> str:
    kinds, key = dg.DagsterEventType, asset_key(dataset.key)
    ends = {kinds.RUN_FAILURE, kinds.RUN_CANCELED}
    events = events_of_run(instance(), run_id, {kinds.STEP_FAILURE, kinds.ASSET_CHECK_EVALUATION, *ends})
    of_dataset = [
        event
        for event in events
        if event.step_key == "__".join(key.path)
        or (event.event_type is kinds.ASSET_CHECK_EVALUATION and event.asset_key == key)
    ]
    messages = [event.message for event in events if event.event_type in ends and event.message]
    return cause(of_dataset, messages[-1] if messages else "its run ended before it started")


def summary(unfresh: list[Unfresh]) -> str:
    """Return one line with the number of partitions in each state."""
    numbers = Counter(partition.state for partition in unfresh)
    return (
        ", ".join(f"{numbers[state]} {state}" for state in STATES if numbers[state]) or "everything is fresh"
    )


def show(workspace: Workspace, as_json: bool = False) -> int:
    """Print what is not fresh or was rejected whole, and warnings. Returns 1 unless all is harmless."""
    listed = sorted(health(View(workspace)), key=lambda unfresh: STATES.index(unfresh.state))
    status = 0 if all(partition.state in HARMLESS for partition in listed) else 1
    if as_json:
        print(json.dumps([asdict(unfresh) for unfresh in listed], ensure_ascii=False))
        return status
    for unfresh in listed:
        run = f"  [run {unfresh.run}]" if unfresh.run else ""
        since = f"  [since {unfresh.since}]" if unfresh.since else ""
        name = f"{unfresh.dataset} {unfresh.partition}".strip()
        print(f"{unfresh.state:8}  {name}: {unfresh.why}{run}{since}")
    print(summary(listed))
    return status


#: The data version of a partition that is missing or changed on disk.
ABSENT = "absent"

#: The job that tells Dagster what was made elsewhere.
SYNC = "sync"

_FAILED = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]


def failed_run(dataset: Dataset, partition: str) -> str | None:
    """Return the run of a partition's last attempt if it failed and nothing was made since."""
    if (last := last_attempt(instance(), asset_key(dataset.key), partition)) is None:
        return None
    run_id, storage_id = last
    run = instance().get_run_by_id(run_id)
    if run is None or run.status not in _FAILED:
        return None
    return None if _made(dataset, partition, storage_id) else run_id


#: How many events of a partition are searched for the run that made it.
_EVENTS = 20


def _made(dataset: Dataset, partition: str, after: int | None = None) -> list[dg.EventLogRecord]:
    """Return the last events, newest first, that say that a partition was made, not that it is absent."""
    asked = dg.AssetRecordsFilter(
        asset_key(dataset.key), [partition] if partition else None, after_storage_id=after
    )
    return [
        record
        for record in instance().fetch_materializations(asked, limit=_EVENTS).records
        if (((event := record.asset_materialization) and event.tags) or {}).get(DATA_VERSION_TAG) != ABSENT
    ]


def made_since(dataset: Dataset, partition: str, version: str) -> str | None:
    """Return since when a partition has a version here, in ISO 8601, if Dagster's last events tell."""
    records = _made(dataset, partition)
    since = None
    for record in records:
        event = record.asset_materialization
        if event is None or (event.tags or {}).get(DATA_VERSION_TAG) != version:
            break
        since = datetime.fromtimestamp(record.timestamp, UTC).isoformat(timespec="seconds")
    else:
        since = since if len(records) < _EVENTS else None
    return since


def made_by(dataset: Dataset, partition: str, version: str) -> str | None:
    """Return the last run here that made or checked a version of a partition, if Dagster knows one."""
    for record in _made(dataset, partition):
        event = record.asset_materialization
        if event is None or record.event_log_entry.job_name == SYNC or UNCHANGED in event.metadata:
            continue
        if (event.tags or {}).get(DATA_VERSION_TAG) == version:
            return record.run_id
    return None


def once_failed(workspace: Workspace) -> dict[tuple[str, str], list[datetime]]:
    """Return when the runs ended that ever failed, by (dataset, partition), in one query."""
    failed: dict[tuple[str, str], list[datetime]] = {}
    for record in instance().get_run_records(dg.RunsFilter(statuses=_FAILED)):
        run, ended = record.dagster_run, record.update_timestamp
        if record.end_time:
            ended = datetime.fromtimestamp(record.end_time, UTC)
        names = [key.to_user_string() for key in run.asset_selection or ()] or workspace.datasets
        for name in names:
            failed.setdefault((name, run.tags.get("dagster/partition", "")), []).append(ended)
    return failed
