"""The first page: the DAG and its datasets at a glance.

Belongs here: what the page shows of the graph and of each dataset, and the layout of boxes and arrows. Not
here: the pages of single datasets (dataset.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
from grandalf.graphs import Edge, Graph, Vertex
from grandalf.layouts import SugiyamaLayout

from silverloom.assets.declare.graph import AssetGraph, Files
from silverloom.assets.rows.reading import Counted
from silverloom.pages.html import render

WIDTH, HEIGHT = 162, 76
_GAP_X, _GAP_Y, _MARGIN = 10, 36, 6

#: Layout passes over the layers; each tries to reduce the crossings further.
_PASSES = 20
Point = tuple[float, float]


def pages(graph: AssetGraph, numbers: Mapping[str, Counted]) -> Files:
    """Yield the overview, with a graph for each system; sources get a graph only if there is no system."""
    groups = dict.fromkeys(counted.dataset.key.path[0] for counted in numbers.values())
    yield render(
        "index.html",
        "overview.html",
        "Overview",
        graphs=[
            (group, _drawn(graph, numbers, group))
            for group in groups
            if group != "sources" or len(groups) == 1
        ],
        box=(WIDTH, HEIGHT),
        numbers=numbers,
        lacking=list(_lacking(graph, numbers)),
    )


@dataclass(frozen=True)
class Drawing:
    """A drawing of boxes of WIDTH x HEIGHT pixels."""

    width: int
    height: int
    corners: Mapping[str, tuple[int, int]]
    """x and y of the upper left corner of each box."""
    arrows: Sequence[str]
    """Paths of SVG curves, from the bottom of one box to the top of another."""


class _View:
    def __init__(self) -> None:
        self.w, self.h = WIDTH, HEIGHT
        self.xy: Point = (0.0, 0.0)
        self.path: list[Point] = []

    def setpath(self, points: list[Point]) -> None:
        self.path = points


class _Vertex(Vertex):  # type: ignore[misc]  # grandalf has no types
    """A box. Its hash is its number, not its memory address, so that a graph is always drawn the same way."""

    def __init__(self, number: int, name: str) -> None:
        super().__init__(name)
        self.number, self.view = number, _View()

    def __hash__(self) -> int:
        return self.number


class _Edge(Edge):  # type: ignore[misc]
    """An arrow, hashed by number for the same reason."""

    def __init__(self, number: int, parent: Vertex, child: Vertex) -> None:
        super().__init__(parent, child)
        self.number, self.view = number, _View()

    def __hash__(self) -> int:
        return self.number


def draw(inputs: Mapping[str, Sequence[str]]) -> Drawing:
    """Draw a graph, given each name's inputs, in layers with few crossings (Sugiyama et al. 1981).

    Arrows that others imply are left out (transitive reduction). Unconnected parts are drawn side by side.
    """
    graph = nx.DiGraph((parent, name) for name, parents in inputs.items() for parent in parents)
    vertices = {name: _Vertex(number, name) for number, name in enumerate(inputs)}
    joined = sorted(nx.transitive_reduction(graph).edges)
    edges = [_Edge(number, vertices[a], vertices[b]) for number, (a, b) in enumerate(joined)]
    corners: dict[str, tuple[int, int]] = {}
    arrows: list[str] = []
    left, lowest = _MARGIN, 0
    for part in Graph(list(vertices.values()), edges).C:
        layout = SugiyamaLayout(part)
        layout.xspace, layout.yspace = _GAP_X, _GAP_Y
        layout.init_all()
        layout.draw(_PASSES)
        layout.draw_edges()
        dx = left - min(vertex.view.xy[0] for vertex in part.sV) + WIDTH / 2
        dy = _MARGIN - min(vertex.view.xy[1] for vertex in part.sV) + HEIGHT / 2
        for vertex in part.sV:
            x, y = vertex.view.xy
            corners[vertex.data] = (round(x + dx - WIDTH / 2), round(y + dy - HEIGHT / 2))
        arrows += sorted(_curve([(x + dx, y + dy) for x, y in edge.view.path]) for edge in part.sE)
        left = max(corners[vertex.data][0] for vertex in part.sV) + WIDTH + _GAP_X
        lowest = max(lowest, *(corners[vertex.data][1] for vertex in part.sV))
    return Drawing(left - _GAP_X + _MARGIN, lowest + HEIGHT + _MARGIN, corners, arrows)


def _lacking(graph: AssetGraph, numbers: Mapping[str, Counted]) -> Iterator[str]:
    """Yield the datasets that the pages do not show, or not with all partitions."""
    for name, dataset in graph.datasets.items():
        if dataset.shape is not None and name not in numbers:
            yield name
        elif dataset.shape is not None and (
            missing := len(dataset.made_partitions) - len(numbers[name].rows)
        ):
            yield f"{name} ({missing} of {len(dataset.made_partitions)} partitions)"


def _drawn(graph: AssetGraph, numbers: Mapping[str, Counted], group: str) -> Drawing:
    """Draw the datasets of a group and their direct inputs from other groups."""
    datasets = [counted.dataset for counted in numbers.values() if counted.dataset.key.path[0] == group]
    wanted = {member.name for dataset in datasets for member in (dataset, *graph.ancestors(dataset))}
    return draw(
        {
            name: [parent.name for parent in graph.upstream(counted.dataset) if parent.name in numbers]
            for name, counted in numbers.items()
            if name in wanted
        }
    )


def _curve(points: Sequence[Point]) -> str:
    """Return a path through points that enters and leaves each of them vertically."""
    (x, y), *between, (end_x, end_y) = points
    stations = [(x, y + HEIGHT / 2), *between, (end_x, end_y - HEIGHT / 2 - 4)]
    path = f"M{stations[0][0]:.0f},{stations[0][1]:.0f}"
    for (x1, y1), (x2, y2) in itertools.pairwise(stations):
        middle = (y1 + y2) / 2
        path += f" C{x1:.0f},{middle:.0f} {x2:.0f},{middle:.0f} {x2:.0f},{y2:.0f}"
    return path
