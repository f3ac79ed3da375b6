"""Prints the plan, as a table or as JSON.

Belongs here: printing. Not here: deciding what is stale (state/plan.py).
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from silverloom.assets.declare.graph import label
from silverloom.orchestration.checks.rejects import sources_without_records
from silverloom.orchestration.dagster.past_runs import ANY, durations
from silverloom.orchestration.messages import aligned, duration, number_of
from silverloom.orchestration.partition.prune import leftovers, no_partitions, orphans
from silverloom.orchestration.state.dvc_files import check_lock
from silverloom.orchestration.state.freshness import UNCHECKED, View
from silverloom.orchestration.state.plan import Step, plan
from silverloom.orchestration.state.sources import count_outside, outside
from silverloom.orchestration.workspace.workspace import Workspace


def show(workspace: Workspace, select: str | None) -> None:
    """Print the plan as a table."""
    steps = _steps(workspace, select)
    selected = workspace.graph.selected(select)
    if gone := [
        label(dataset, partition) for dataset in selected for partition in leftovers(workspace, dataset)
    ]:
        print(f"would be removed, {no_partitions(gone)}")
    for folder in orphans(workspace):
        print(f"warning: {folder} is not declared here; `dvc checkout` removes it if DVC knows it")
    for source in sources_without_records(workspace, selected):
        print(source)
    for line in outside(workspace, selected):
        print(f"warning: {line}")
    if unconfigured := workspace.graph.unconfigured:
        print(unconfigured)
    if not steps:
        print("everything is up to date")
        return
    rows = [
        (step.dataset.name, step.partition, _made_again(step), "; ".join(step.reasons))
        for step in steps
        if not step.empty
    ]
    print(aligned([("dataset", "partition", "made again", "because"), *rows]))
    if empty := [step.dataset.name for step in steps if step.empty]:
        names = ", ".join(dict.fromkeys(empty))
        print(f"and {number_of(len(empty), 'partition')} without records, made together: {names}")
    print(expected(steps))


def expected(steps: Sequence[Step]) -> str:
    """Return how long all this takes, and which dataset takes most of it, by the last runs."""
    known = [
        (step.dataset.name, seconds)
        for step, seconds in zip(steps, _seconds(steps), strict=True)
        if seconds is not None
    ]
    if not known:
        return "how long it takes is not known"
    each = dict[str, float]()
    for name, seconds in known:
        each[name] = each.get(name, 0.0) + seconds
    longest, total = max(each, key=lambda name: each[name]), sum(each.values())
    unknown = len(steps) - len(known)
    beside = f", and {number_of(unknown, 'partition')} of which it is not known" if unknown else ""
    return f"about {duration(total)} if all is made, of which {duration(each[longest])} for {longest}{beside}"


def _seconds(steps: Sequence[Step]) -> list[float | None]:
    """Return how long each partition took here last, else its dataset's longest, else None."""
    took = durations() if steps else {}
    names = [(step.dataset.name, step.partition) for step in steps]
    return [took.get((name, partition), took.get((name, ANY))) for name, partition in names]


def _steps(workspace: Workspace, select: str | None) -> list[Step]:
    check_lock(workspace)
    return plan(View(workspace), select)


def _made_again(step: Step) -> str:
    if step.certain and step.reasons in UNCHECKED:
        return "checked"
    return "yes" if step.certain else "perhaps"


def show_json(workspace: Workspace, select: str | None) -> None:
    """Print the plan as JSON: the newest partition, the steps with their reasons, records in no partition.

    Those are counted by dataset and period.
    """
    planned = _steps(workspace, select)
    steps = [
        {
            "dataset": step.dataset.name,
            "partition": step.partition,
            "reasons": step.reasons,
            "certain": step.certain,
            "made_again": _made_again(step),
            "seconds": seconds,
        }
        for step, seconds in zip(planned, _seconds(planned), strict=True)
    ]
    newest = workspace.settings.partitions.names[-1]
    left = count_outside(workspace, workspace.graph.selected(select))
    print(json.dumps({"newest": newest, "steps": steps, "outside": left}))
