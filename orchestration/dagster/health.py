"""`make health`: what is failed or stale right now; the same as a check in Dagster.

Belongs here: telling failed from stale and missing, by freshness and by Dagster's event log. Not here: what
is fresh (freshness.py), what would be made next (plan.py).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG

from assets.declare.dagster_asset import asset_key
from assets.declare.declaration import Declaration
from orchestration.dagster.instance import cause, instance, with_store
from orchestration.dagster.sync import ABSENT
from orchestration.messages.markdown import table
from orchestration.state.freshness import View
from orchestration.state.graph import datasets, label
from orchestration.state.plan import Step, plan
from orchestration.state.records import read_record

#: How a partition can stand otherwise than fresh, worst first.
STATES = ("failed", "stale", "missing", "excluded")
FAILED = (dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED)


@dataclass(frozen=True)
class Standing:
    """A partition that is not fresh."""

    dataset: str
    month: str
    state: str
    """`failed`: its last attempt was, and nothing was made since; `stale`: it was made of something else, or
    what it reads is stale; `missing`: it was never made; `excluded` in params.yaml."""
    why: str
    run: str | None
    """The run that failed, or else the one that made what is there."""


def standing(view: View | None = None) -> list[Standing]:
    """Return every partition that is not fresh, inputs first; as a `view` has it, where one is given."""
    steps = {(step.item.name, step.month): step for step in plan(view=view)}
    found = []
    for item in datasets().values():
        for month in item.months:
            if (reason := item.excluded(month)) is not None:
                found.append(Standing(item.name, month, "excluded", reason, None))
            elif (step := steps.get((item.name, month))) is not None:
                found.append(with_store(partial(_standing, step)))
    return found


def _standing(step: Step) -> Standing:
    item, month = step.item, step.month
    if (failure := _failure(item, month)) is not None:
        return Standing(item.name, month, "failed", *failure)
    record = read_record(item, month)
    state = "missing" if record is None else "stale"
    why = "never made" if step.reasons == ("missing",) else "; ".join(step.reasons)
    return Standing(item.name, month, state, why, record.run_id if record else None)


def _failure(item: Declaration, month: str) -> tuple[str, str] | None:
    """Return cause and run of a partition's last attempt if it failed and nothing came after it."""
    last = instance().get_latest_planned_materialization_info(asset_key(item.key), month or None)
    run = instance().get_run_by_id(last.run_id) if last else None
    if last is None or run is None or run.status not in FAILED:
        return None
    record = read_record(item, month)
    if record is not None and record.run_id == last.run_id:
        return None  # another dataset of that run failed
    only = dg.AssetRecordsFilter(
        asset_key(item.key),
        asset_partitions=[month] if month else None,
        after_storage_id=last.storage_id,
    )
    for later in instance().fetch_materializations(only, limit=10).records:
        tags = (later.asset_materialization.tags if later.asset_materialization else None) or {}
        if later.run_id != last.run_id and tags.get(DATA_VERSION_TAG) != ABSENT:
            return None
    return _cause(item, last.run_id), last.run_id


def _cause(item: Declaration, run_id: str) -> str:
    kinds = dg.DagsterEventType
    wanted = {kinds.STEP_FAILURE, kinds.ASSET_CHECK_EVALUATION, kinds.RUN_FAILURE, kinds.RUN_CANCELED}
    events = [
        entry.dagster_event for entry in instance().all_logs(run_id, of_type=wanted) if entry.dagster_event
    ]
    own = [
        event
        for event in events
        if event.step_key == "__".join(item.key.path)
        or (event.event_type is kinds.ASSET_CHECK_EVALUATION and event.asset_key == asset_key(item.key))
    ]
    ends = [event.message for event in events if event.event_type in (kinds.RUN_FAILURE, kinds.RUN_CANCELED)]
    return cause(own) if own else (ends[-1] if ends and ends[-1] else "its run ended before it began")


def standing_check(key: dg.AssetKey) -> dg.AssetChecksDefinition:
    """Return the check, hung on an asset; it does not block, and fails while something is failed or stale."""

    @dg.asset_check(
        asset=key,
        name="standing",
        blocking=False,
        description="Nothing is failed, stale or missing right now: in any dataset, in any month.",
    )
    def check():  # type: ignore[no-untyped-def]  # Dagster takes no annotation that is a string
        found = standing()
        open_ones = [one for one in found if one.state != "excluded"]
        worst = any(one.state == "failed" for one in found)
        rows = [(one.dataset, one.month, one.state, one.why, one.run or "") for one in found]
        shown = table(["dataset", "month", "state", "why", "run"], rows)
        return dg.AssetCheckResult(
            passed=not open_ones,
            severity=dg.AssetCheckSeverity.ERROR if worst else dg.AssetCheckSeverity.WARN,
            description=summary(found),
            metadata={"standing": dg.MetadataValue.md(shown)},
        )

    return check


def summary(found: list[Standing]) -> str:
    """Return in a line how many partitions stand how."""
    numbers = Counter(one.state for one in found)
    return ", ".join(f"{numbers[state]} {state}" for state in STATES if numbers[state]) or "all is fresh"


def show() -> int:
    """Print what is not fresh; 1 if any of it is failed, stale or missing."""
    found = standing()
    for one in sorted(found, key=lambda one: STATES.index(one.state)):
        run = f"  [run {one.run}]" if one.run else ""
        print(f"{one.state:8}  {label(datasets()[one.dataset], one.month)}: {one.why}{run}")
    print(summary(found))
    return 1 if any(one.state != "excluded" for one in found) else 0
