"""The plan: which partitions would be made, and why.

Belongs here: following staleness along the graph. Not here: whether one partition is stale
(freshness.py), printing the plan (cli/plan.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

from silverloom.assets.declare.declaration import Dataset
from silverloom.orchestration.state.freshness import View
from silverloom.orchestration.state.sources import empty_partitions


@dataclass(frozen=True)
class Step:
    """A partition that would, or might, be made."""

    dataset: Dataset
    partition: str
    reasons: tuple[str, ...]
    certain: bool
    """False if only inputs are stale: if they come out unchanged, nothing needs to be made."""
    empty: bool = False
    """Whether it has no records, and is made together with its dataset's other empty partitions."""


#: How many inputs a reason names before it only counts the rest.
_NAMED = 3


def plan(view: View, select: str | None = None) -> list[Step]:
    """Return what is stale by itself or because of its inputs, inputs first."""
    graph = view.workspace.graph
    steps: list[Step] = []
    stale: dict[str, dict[str, None]] = {}  # dicts as ordered sets
    for dataset in graph.selected(select):
        empty = set(empty_partitions(view.workspace, dataset, dataset.made_partitions))
        inputs = [
            (upstream.name, whole, stale.get(upstream.name, {})) for upstream, whole in graph.reads(dataset)
        ]
        stale_partitions = stale[dataset.name] = dict[str, None]()
        for partition in dataset.made_partitions:
            changing = [
                (name, partitions if whole else [partition])
                for name, whole, partitions in inputs
                if (partitions if whole else partition in partitions)
            ]
            state = view.status(dataset, partition)
            if not state.fresh or changing:
                stale_partitions[partition] = None
                certain = not (state.fresh or state.waiting)
                reasons = state.reasons if certain else (if_changed(changing),) if changing else ()
                steps.append(Step(dataset, partition, reasons, certain, partition in empty))
    return steps


def if_changed(inputs: Sequence[tuple[str, Collection[str]]]) -> str:
    """Return the reason for a partition that only becomes stale if one of these inputs changes."""
    places = ((name, partition) for name, partitions in inputs for partition in partitions)
    names = [" ".join(place).strip() for place in islice(places, _NAMED)]
    rest = sum(len(partitions) for _, partitions in inputs) - len(names)
    others = "" if not rest else " or another input" if rest == 1 else f" or one of {rest} others"
    return f"if {', '.join(names)}{others} changes"
