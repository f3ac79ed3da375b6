"""`make health`: what is failed or stale right now; the same as a check in Dagster.

Belongs here: telling failed from stale and missing, by freshness and by Dagster's event log. Not here: what
is fresh (freshness.py), what would be made next (plan.py).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial

import dagster as dg

from assets.declare.dagster_asset import asset_key
from assets.declare.declaration import Declaration
from orchestration.dagster.attempts import failed_run
from orchestration.dagster.instance import cause, instance, with_store
from orchestration.messages.markdown import table
from orchestration.state import validation_history as history
from orchestration.state.freshness import View
from orchestration.state.plan import Step, plan
from orchestration.state.rejects import rejected_sources
from orchestration.workspace.workspace import Workspace

#: How a partition can stand otherwise than fresh, worst first.
STATES = ("failed", "rejected", "stale", "missing", "excluded")


@dataclass(frozen=True)
class Unfresh:
    """A partition that is not fresh."""

    dataset: str
    month: str
    state: str
    """`failed`: its last attempt was, and nothing was made since; `rejected`: no record of a source could be
    read; `stale`: it was made of something else, or what it reads is stale; `missing`: it was never made;
    `excluded` in params.yaml."""
    why: str
    run: str | None
    """The run that failed, or else the one that made what is there."""


def health(view: View) -> list[Unfresh]:
    """Return every partition that is not fresh, inputs first, and every source that was rejected whole."""
    steps = {(step.item.name, step.month): step for step in plan(view)}
    found = []
    for item in view.workspace.datasets.values():
        for month in item.months:
            if (reason := item.excluded(month)) is not None:
                found.append(Unfresh(item.name, month, "excluded", reason, None))
            elif (step := steps.get((item.name, month))) is not None:
                found.append(with_store(partial(_unfresh, view, step)))
    for source in rejected_sources(view, view.workspace.datasets.values()):
        found.append(Unfresh(source.item.name, "", "rejected", str(source), None))
    return found


def _unfresh(view: View, step: Step) -> Unfresh:
    item, month = step.item, step.month
    if (run := failed_run(item, month)) is not None:
        return Unfresh(item.name, month, "failed", _cause(item, run), run)
    manifest = view.known(item, month)
    state = "missing" if manifest is None else "stale"
    run = history.made_by(view.workspace, item, month, manifest.version) if manifest else None
    why = "never made" if step.reasons == ("missing",) else "; ".join(step.reasons)
    return Unfresh(item.name, month, state, why, run)


def _cause(item: Declaration, run_id: str) -> str:
    kinds, key = dg.DagsterEventType, asset_key(item.key)
    ends = {kinds.RUN_FAILURE, kinds.RUN_CANCELED}
    logs = instance().all_logs(run_id, of_type={kinds.STEP_FAILURE, kinds.ASSET_CHECK_EVALUATION, *ends})
    events = [entry.dagster_event for entry in logs if entry.dagster_event]
    of_item = [
        event
        for event in events
        if event.step_key == key.to_python_identifier()
        or (event.event_type is kinds.ASSET_CHECK_EVALUATION and event.asset_key == key)
    ]
    if of_item:
        return cause(of_item)
    messages = [event.message for event in events if event.event_type in ends and event.message]
    return messages[-1] if messages else "its run ended before it began"


def health_check(workspace: Workspace, key: dg.AssetKey) -> dg.AssetChecksDefinition:
    """Return the check, hung on an asset; it does not block, and fails while something is failed or stale."""

    @dg.asset_check(
        asset=key,
        name="health",
        blocking=False,
        description="Nothing is failed, stale or missing right now: in any dataset, in any month.",
    )
    def check():  # type: ignore[no-untyped-def]  # Dagster takes no annotation that is a string
        found = health(View(workspace))
        failed = any(partition.state in ("failed", "rejected") for partition in found)
        rows = [(item.dataset, item.month, item.state, item.why, item.run or "") for item in found]
        shown = table(["dataset", "month", "state", "why", "run"], rows)
        return dg.AssetCheckResult(
            passed=all(partition.state == "excluded" for partition in found),
            severity=dg.AssetCheckSeverity.ERROR if failed else dg.AssetCheckSeverity.WARN,
            description=summary(found),
            metadata={"partitions": dg.MetadataValue.md(shown)},
        )

    return check


def summary(found: list[Unfresh]) -> str:
    """Return in a line how many partitions are in each state."""
    numbers = Counter(partition.state for partition in found)
    return ", ".join(f"{numbers[state]} {state}" for state in STATES if numbers[state]) or "all is fresh"


def show(workspace: Workspace) -> int:
    """Print what is not fresh or was rejected whole; 1 if there is any, but for what is excluded."""
    found = health(View(workspace))
    for partition in sorted(found, key=lambda partition: STATES.index(partition.state)):
        run = f"  [run {partition.run}]" if partition.run else ""
        name = f"{partition.dataset} {partition.month}".strip()
        print(f"{partition.state:8}  {name}: {partition.why}{run}")
    print(summary(found))
    return 1 if any(partition.state != "excluded" for partition in found) else 0
