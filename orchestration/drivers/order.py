"""Which partitions may be made by now, and which datasets others wait for most.

Belongs here: questions over the partitions that a loop is asked for. Not here: making them (loop.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from assets.declare.declaration import Declaration
from assets.declare.graph import AssetGraph
from ops.periods import is_over
from orchestration.workspace.workspace import Workspace

Wanted: TypeAlias = Sequence[tuple[Declaration, Sequence[str]]]


def check_over(workspace: Workspace, wanted: Wanted) -> None:
    """Raise ValueError for a month that is not over by the clock of this machine, as Dagster has it."""
    today, every = datetime.now(UTC).date(), workspace.settings.partitions.every
    asked = sorted({month for item, months in wanted if item.partitioned for month in months})
    if ahead := [month for month in asked if not is_over(month, every, today)]:
        raise ValueError(
            f"params.yaml: partitions: the {every} {ahead[0]} is not over by the clock of this machine, "
            f"which says {today:%Y-%m-%d}; mend the clock, or let `end` be a {every} that is over"
        )


def heights(graph: AssetGraph, wanted: Wanted) -> dict[str, int]:
    """Return, by dataset, the length of the longest chain of datasets that wait for it, itself included."""
    longest = dict.fromkeys((item.name for item, _ in wanted), 1)
    for item, _ in reversed(wanted):
        for source in graph.upstream(item):
            if source.name in longest:
                longest[source.name] = max(longest[source.name], longest[item.name] + 1)
    return longest
