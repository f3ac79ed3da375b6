"""Prints the plan, as a table or as JSON.

Belongs here: printing. Not here: deciding what is stale (state/plan.py).
"""

from __future__ import annotations

import json

from silverloom.assets.declare.graph import label
from silverloom.orchestration.checks.rejects import sources_without_records
from silverloom.orchestration.messages import aligned
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
        print(f"warning: {folder} is no dataset of this branch; `dvc checkout` removes it if DVC knows it")
    for source in sources_without_records(workspace, selected):
        print(source)
    for line in outside(workspace, selected):
        print(f"warning: {line}")
    if workspace.graph.left_out:
        print(workspace.graph.left_out)
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
        print(f"and {len(empty)} partitions without records, made together: {names}")


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
    steps = [
        {
            "dataset": step.dataset.name,
            "partition": step.partition,
            "reasons": step.reasons,
            "certain": step.certain,
            "made_again": _made_again(step),
        }
        for step in _steps(workspace, select)
    ]
    newest = workspace.settings.partitions.names[-1]
    left = count_outside(workspace, workspace.graph.selected(select))
    print(json.dumps({"newest": newest, "steps": steps, "outside": left}))
