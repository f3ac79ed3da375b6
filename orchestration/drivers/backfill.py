"""`make backfill`: make the partitions of some months, one run each, several at once.

Belongs here: which partitions a backfill is about. Not here: the loop over them (loop.py), Dagster's own
backfill, which the daemon does.
"""

from __future__ import annotations

from ops.periods import fault
from orchestration.drivers.loop import Wanted
from orchestration.drivers.run import drive
from orchestration.state.freshness import View
from orchestration.workspace.workspace import Workspace

#: The tag by which the runs of a backfill are found in Dagster.
TAG = "silverloom/backfill"


def backfill(
    workspace: Workspace, first: str, last: str, select: str | None, jobs: int = 1, force: bool = False
) -> int:
    """Make the partitions of the months `first` to `last` that are not fresh, or all; 1 if any failed."""
    months = chosen(workspace, first, last)
    wanted = [
        (item, [month for month in item.made_months if month in months])
        for item in workspace.graph.selected(select)
    ]
    needed = missing_inputs(workspace, wanted)
    both = [(item, sorted({*asked, *needed.get(item.name, ())})) for item, asked in wanted]
    over_all = [item.name for item, months in both if not item.partitioned and not months]
    notes = [
        f"needed by them, and so made as well where that could be: {name} {', '.join(months)}"
        for name, months in needed.items()
    ]
    if over_all:
        notes.append(f"not by month, so not in a backfill: {', '.join(over_all)}; `make run` makes them")
    by_month = [(item, months) for item, months in both if item.partitioned or months]
    return drive(workspace, by_month, jobs, force, {TAG: f"{first}..{last}"}, notes)


def chosen(workspace: Workspace, first: str, last: str) -> list[str]:
    """Return the months from `first` to `last`. Raises ValueError that says what to change."""
    known = workspace.settings.partitions
    if known.every == "none":
        raise ValueError("params.yaml has no months or years (every: none): `make run` makes all there is")
    for name, month in (("FROM", first), ("TO", last)):
        if wrong := fault(month, known.every):
            raise ValueError(f"{name} {wrong}, found {month!r}")
    if last < first:
        raise ValueError(f"FROM ({first}) is after TO ({last})")
    for month, key, lies_out in (("FROM", "start", first < known.start), ("TO", "end", last > known.end)):
        if lies_out:
            value = first if month == "FROM" else last
            raise ValueError(
                f"{month} ({value}) lies outside the {known.every}s of params.yaml, "
                f"{known.start} to {known.end}: choose one of these, or set partitions.{key} to {value}"
            )
    return [month for month in known.months if first <= month <= last]


def missing_inputs(workspace: Workspace, wanted: Wanted) -> dict[str, list[str]]:
    """Return partitions of other months that those wanted read and that were never made, by dataset.

    What reads all months cannot be made of some. Others that are there, stale or not, are read as they are.
    """
    view, found = View(workspace), dict[str, list[str]]()
    queue = [(item, month) for item, months in wanted for month in months]
    planned = {(item.name, month) for item, month in queue}
    for item, month in queue:  # which grows
        for name, parts in workspace.graph.input_months(item, month).items():
            upstream = workspace.datasets[name]
            for part in parts:
                if (name, part) not in planned and view.known(upstream, part) is None:
                    planned.add((name, part))
                    found.setdefault(name, []).append(part)
                    queue.append((upstream, part))
    return {name: sorted(months) for name, months in found.items()}
