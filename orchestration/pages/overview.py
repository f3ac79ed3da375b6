"""The first page: the DAG and its datasets, at a glance.

Belongs here: the drawing of the graph and the table. Not here: the pages of single datasets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assets.declaration import Declaration, Files
from orchestration.graph import upstream
from orchestration.pages.html import address, first_line, render
from orchestration.pages.rows import Counted

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 158, 76, 36, 22, 6


@dataclass(frozen=True)
class Box:
    """A dataset in the drawing; x and y of its upper left corner, in pixels."""

    item: Declaration
    counts: Counted
    x: int
    y: int

    @property
    def link(self) -> str:
        """The dataset's page."""
        return address(self.item.name)


def pages(numbers: Mapping[str, Counted]) -> Files:
    """Yield the overview."""
    boxes = _layout(numbers)
    arrows = [
        _arrow(boxes[parent.name], box)
        for box in boxes.values()
        for parent in upstream(box.item)
        if parent.name in boxes
    ]
    width = max((box.x for box in boxes.values()), default=0) + _WIDTH + _MARGIN
    height = max((box.y for box in boxes.values()), default=0) + _HEIGHT + _MARGIN
    about = {name: first_line(one.item.function.__doc__) for name, one in numbers.items()}
    yield render(
        "index.html",
        "overview.html",
        "Overview",
        boxes=sorted(boxes.values(), key=lambda box: (box.y, box.x)),  # as one reads, so Tab goes
        arrows=arrows,
        size=(width, height, _WIDTH, _HEIGHT),
        numbers=list(numbers.values()),
        about=about,
    )


def _layout(numbers: Mapping[str, Counted]) -> dict[str, Box]:
    """Place every dataset one column right of the last of its inputs, each group in a band of its own."""
    depth: dict[str, int] = {}
    for name, one in numbers.items():
        depth[name] = 1 + max((depth[parent.name] for parent in upstream(one.item)), default=-1)
    boxes: dict[str, Box] = {}
    top = _MARGIN
    for group in dict.fromkeys(one.item.key.path[0] for one in numbers.values()):
        members = {name: one for name, one in numbers.items() if one.item.key.path[0] == group}
        taken: dict[int, int] = {}
        for name, one in members.items():
            row = taken.get(depth[name], 0)
            taken[depth[name]] = row + 1
            x = _MARGIN + depth[name] * (_WIDTH + _GAP_X)
            boxes[name] = Box(one.item, one, x, top + row * (_HEIGHT + _GAP_Y))
        top += max(taken.values()) * (_HEIGHT + _GAP_Y) + _GAP_Y
    return boxes


def _arrow(start: Box, end: Box) -> str:
    """Return the path of an SVG curve from the right side of one box to the left side of another."""
    x1, y1 = start.x + _WIDTH, start.y + _HEIGHT // 2
    x2, y2 = end.x - 4, end.y + _HEIGHT // 2
    bend = max(28, (x2 - x1) // 2)
    return f"M{x1},{y1} C{x1 + bend},{y1} {x2 - bend},{y2} {x2},{y2}"
