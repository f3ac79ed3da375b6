"""`make plan`: what would be made again, and why; nothing is made.

Belongs here: following staleness down the graph. Not here: what staleness is (freshness.py).
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass

from assets.declaration import Declaration
from assets.settings import settings
from orchestration.dvc import check_rendered
from orchestration.freshness import View
from orchestration.graph import input_months, selected
from orchestration.lockfile import check_lock
from orchestration.prune import leftovers


@dataclass(frozen=True)
class Step:
    """A partition that would be made, or perhaps made."""

    item: Declaration
    month: str
    reasons: tuple[str, ...]
    certain: bool
    """False where only inputs are stale: if they come out as they were, nothing is done."""
    upstream: tuple[tuple[str, str], ...] = ()
    """The inputs (dataset, month) that are stale themselves."""


def plan(select: str | None = None, view: View | None = None) -> list[Step]:
    """Return what is stale by itself or through its inputs, inputs first."""
    check_lock()
    steps: list[Step] = []
    stale: set[tuple[str, str]] = set()
    view = view or View()
    for item in selected(select):
        for month in item.made_months:
            upstream = tuple(
                (name, part)
                for name, months in input_months(item, month).items()
                for part in months
                if (name, part) in stale
            )
            state = view.status(item, month)
            if not state.fresh or upstream:
                stale.add((item.name, month))
                named = ", ".join(" ".join(place).strip() for place in upstream)
                perhaps = (f"if {named} changes",) if upstream else ()
                certain = not (state.fresh or state.waiting)
                steps.append(Step(item, month, state.reasons if certain else perhaps, certain, upstream))
    return steps


def show(select: str | None) -> None:
    """Print the plan as a table."""
    check_rendered()
    steps = plan(select)
    for item in selected(select):
        for month in leftovers(item):
            print(f"{item.name} {month} would be removed: it is no partition any more")
    if not steps:
        print("everything is up to date")
        return
    rows = [("dataset", "month", "made again", "because")]
    for step in steps:
        rows.append(
            (step.item.name, step.month, "yes" if step.certain else "perhaps", "; ".join(step.reasons))
        )
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]))


def show_json(select: str | None) -> None:
    """Print the plan for programs: the newest month, and each step with its dataset, month and reasons."""
    steps = [
        {"dataset": step.item.name, "month": step.month, "reasons": step.reasons, "certain": step.certain}
        for step in plan(select)
    ]
    print(json.dumps({"newest": settings().partitions.end, "steps": steps}))


if __name__ == "__main__":
    from orchestration.command import run

    parser = argparse.ArgumentParser(description="What would be made again, and why.")
    parser.add_argument("--select", default=None)
    parser.add_argument("--json", action="store_true", help="for programs")
    arguments = parser.parse_args()
    run(lambda: (show_json if arguments.json else show)(arguments.select or None))
