"""The first page: the DAG and its datasets, at a glance.

Belongs here: what the page shows of the graph and of each dataset. Not here: where boxes and arrows lie
(drawing.py), the pages of single datasets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assets.declare.graph import AssetGraph
from assets.declare.report import Files
from orchestration.lineage.rows import Counted
from orchestration.pages import drawing
from orchestration.pages.html import render


def pages(graph: AssetGraph, numbers: Mapping[str, Counted]) -> Files:
    """Yield the overview, with a graph for each system; the sources have one only where they are alone."""
    groups = dict.fromkeys(dataset.item.key.path[0] for dataset in numbers.values())
    yield render(
        "index.html",
        "overview.html",
        "Overview",
        graphs=[
            (group, _drawn(graph, numbers, group))
            for group in groups
            if group != "sources" or len(groups) == 1
        ],
        box=(drawing.WIDTH, drawing.HEIGHT),
        numbers=numbers,
        lacking=list(_lacking(graph, numbers)),
    )


def _lacking(graph: AssetGraph, numbers: Mapping[str, Counted]) -> Iterator[str]:
    """Yield the datasets that the pages do not show, or of which they do not show all partitions."""
    for name, item in graph.datasets.items():
        if item.shape is not None and name not in numbers:
            yield name
        elif item.shape is not None and (missing := len(item.made_months) - len(numbers[name].rows)):
            yield f"{name} ({missing} of {len(item.made_months)} partitions)"


def _drawn(graph: AssetGraph, numbers: Mapping[str, Counted], group: str) -> drawing.Drawing:
    """Draw the datasets of a group, and those of others that they are made of."""
    items = [dataset.item for dataset in numbers.values() if dataset.item.key.path[0] == group]
    wanted = {member.name for item in items for member in (item, *graph.ancestors(item))}
    return drawing.draw(
        {
            name: [parent.name for parent in graph.upstream(dataset.item) if parent.name in numbers]
            for name, dataset in numbers.items()
            if name in wanted
        }
    )
