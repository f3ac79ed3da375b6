"""The first page: the DAG and its datasets, at a glance.

Belongs here: what the page shows of the graph and of each dataset. Not here: where boxes and arrows lie
(drawing.py), the pages of single datasets.
"""

from __future__ import annotations

from collections.abc import Mapping

from assets.declare.graph import Graph
from assets.declare.report import Files
from orchestration.lineage.rows import Counted
from orchestration.pages import drawing
from orchestration.pages.html import first_line, render


def pages(graph: Graph, numbers: Mapping[str, Counted]) -> Files:
    """Yield the overview."""
    yield render(
        "index.html",
        "overview.html",
        "Overview",
        graphs=[(group, _drawn(graph, numbers, group)) for group in _groups(numbers)],
        box=(drawing.WIDTH, drawing.HEIGHT),
        numbers=numbers,
        about={name: first_line(one.item.function.__doc__) for name, one in numbers.items()},
    )


def _groups(numbers: Mapping[str, Counted]) -> list[str]:
    """Return the systems, each with a graph of its own; the sources have one only where they are alone."""
    groups = list(dict.fromkeys(one.item.key.path[0] for one in numbers.values()))
    return [group for group in groups if group != "sources"] or groups


def _drawn(graph: Graph, numbers: Mapping[str, Counted], group: str) -> drawing.Drawing:
    """Draw the datasets of a group, and those of others that they are made of."""
    own = [one.item for one in numbers.values() if one.item.key.path[0] == group]
    wanted = {item.name for one in own for item in (one, *graph.ancestors(one))}
    return drawing.draw(
        {
            name: [parent.name for parent in graph.upstream(one.item) if parent.name in numbers]
            for name, one in numbers.items()
            if name in wanted
        }
    )
