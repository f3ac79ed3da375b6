"""`make plan`: what would be made again, and why; nothing is made.

Belongs here: following staleness down the graph. Not here: what staleness is (freshness.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assets.declare.declaration import Declaration
from orchestration.state.empty import empty_months
from orchestration.state.freshness import View

#: Inputs that a reason names; of more it tells how many there are.
_NAMED = 3


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
    empty: bool = False
    """Whether it has no records, and is settled together with others of its dataset."""


def plan(view: View, select: str | None = None) -> list[Step]:
    """Return what is stale by itself or through its inputs, inputs first."""
    graph = view.workspace.graph
    steps: list[Step] = []
    stale: set[tuple[str, str]] = set()
    for item in graph.selected(select):
        empty = set(empty_months(view.workspace, item, item.made_months))
        for month in item.made_months:
            upstream = tuple(
                (name, part)
                for name, months in graph.input_months(item, month).items()
                for part in months
                if (name, part) in stale
            )
            state = view.status(item, month)
            if not state.fresh or upstream:
                stale.add((item.name, month))
                perhaps = (_if_changed(upstream),) if upstream else ()
                certain = not (state.fresh or state.waiting)
                reasons = state.reasons if certain else perhaps
                steps.append(Step(item, month, reasons, certain, upstream, month in empty))
    return steps


def _if_changed(places: Sequence[tuple[str, str]]) -> str:
    names = [" ".join(place).strip() for place in places]
    more = f" or one of {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"if {', '.join(names[:_NAMED])}{more} changes"
