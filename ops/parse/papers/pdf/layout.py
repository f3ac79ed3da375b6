"""The lines of a page in reading order, in one column or two.

Belongs here: columns, bands that reach over both, lines, and what repeats at the edges of pages. Not here:
what a line is (outline.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ops.parse.papers.pdf.segments import PrintedPage, Segment

#: Two columns are divided within the middle of the page, where at most so much of the text crosses.
_MIDDLE = (0.35, 0.65)
_CROSSING = 0.3
_STEPS = 60
_LEAST_LINES = 4
#: Shares of the page at its top and bottom where running heads and page numbers stand.
_EDGE = 0.12
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:(?:page|p\.)\s*)?(?:\d{1,5}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,5})?[\W_]*", re.I
)
#: A ruler of a review copy numbers so many lines of a page at least.
_RULER = 20


class Line(NamedTuple):
    """A line of a column."""

    text: str
    page: int
    column: int
    """0 for what reaches over the page, else 1 or 2."""
    left: float
    right: float
    base: float
    size: float
    bold: bool
    cells: int
    """How many pieces with gaps between it has: a row of a table has some."""


def lines_of(pages: Sequence[PrintedPage]) -> list[Line]:
    """Return the lines of all pages in reading order, without running heads and page numbers."""
    by_page = [_of_page(page, number) for number, page in enumerate(pages, 1)]
    heads = _repeated(pages, by_page)
    return [
        line
        for page, lines in zip(pages, by_page, strict=True)
        for line in lines
        if not (_edge(page, line) and (_form(line) in heads or _PAGE_NUMBER.fullmatch(line.text)))
    ]


def _of_page(page: PrintedPage, number: int) -> list[Line]:
    segments = _without_ruler(page.segments)
    gutter = _gutter(page, segments)
    if gutter is None:
        return _lines(segments, number, 1)
    over = [one for one in segments if one.left < gutter - one.size and one.right > gutter + one.size]
    sides = [one for one in segments if one not in set(over)]
    lines: list[Line] = []
    crossing = _lines(over, number, 0)
    bounds = [float("inf"), *(line.base for line in crossing), float("-inf")]
    for index, (top, bottom) in enumerate(pairwise(bounds)):
        band = [one for one in sides if bottom < one.base <= top]
        lines += _lines((one for one in band if (one.left + one.right) / 2 < gutter), number, 1)
        lines += _lines((one for one in band if (one.left + one.right) / 2 >= gutter), number, 2)
        lines += crossing[index : index + 1]
    return lines


def _without_ruler(segments: Sequence[Segment]) -> Sequence[Segment]:
    ruler = [one for one in segments if one.text.isdecimal() and len(one.text) == 3]
    return [one for one in segments if one not in set(ruler)] if len(ruler) >= _RULER else segments


def _gutter(page: PrintedPage, segments: Sequence[Segment]) -> float | None:
    """Return where the columns of a page part, None where it has one."""
    if len(segments) < 2 * _LEAST_LINES:
        return None
    weight = sum(one.size for one in segments)
    start, end = (share * page.width for share in _MIDDLE)
    places = [start + (end - start) * step / _STEPS for step in range(_STEPS + 1)]
    crossed = [sum(one.size for one in segments if one.left < place < one.right) for place in places]
    least = min(crossed)
    if least > _CROSSING * weight:
        return None
    # The middle of the widest stretch that is crossed least.
    runs: list[list[float]] = [[]]
    for place, found in zip(places, crossed, strict=True):
        if found <= least:
            runs[-1].append(place)
        elif runs[-1]:
            runs.append([])
    widest = max(runs, key=len)
    gutter = (widest[0] + widest[-1]) / 2
    left = [one for one in segments if one.right <= gutter]
    right = [one for one in segments if one.left >= gutter]
    # Columns stand beside each other: the right one begins above the end of the left one.
    if min(len(left), len(right)) < _LEAST_LINES:
        return None
    beside = sum(any(abs(one.base - other.base) < 12 * one.size for other in left) for one in right)
    wide = sum(one.right - one.left > 0.25 * page.width for one in (*left, *right))
    return gutter if beside >= len(right) / 2 and wide >= _LEAST_LINES else None


def _lines(segments: Iterable[Segment], page: int, column: int) -> list[Line]:
    """Return the lines of a column from top to bottom."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda one: (-one.base, one.left)):
        if rows and _is_beside(rows[-1], segment):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [_line(sorted(row, key=lambda one: one.left), page, column) for row in rows]


def _is_beside(row: Sequence[Segment], segment: Segment) -> bool:
    largest = max(row, key=lambda one: one.size)
    apart = abs(largest.base - segment.base)
    return apart < 0.5 * max(largest.size, segment.size) and all(
        segment.left >= one.right - 0.3 * one.size or segment.right <= one.left + 0.3 * one.size
        for one in row
    )


def _line(row: Sequence[Segment], page: int, column: int) -> Line:
    pieces, cells = [row[0].text], 1
    for before, segment in pairwise(row):
        gap = segment.left - before.right
        pieces.append(" " if gap > 0.15 * segment.size else "")
        pieces.append(segment.text)
        cells += gap > segment.size
    sizes: Counter[float] = Counter()
    for segment in row:
        sizes[segment.size] += len(segment.text)
    main = max(row, key=lambda one: len(one.text))
    size = sizes.most_common(1)[0][0]
    right = max(one.right for one in row)
    bold = all(one.bold for one in row if any(sign.isalpha() for sign in one.text))
    return Line("".join(pieces), page, column, row[0].left, right, main.base, size, bold, cells)


def _edge(page: PrintedPage, line: Line) -> bool:
    return not _EDGE * page.height < line.base < (1 - _EDGE) * page.height


def _form(line: Line) -> tuple[str, int]:
    """Return what of a line recurs from page to page: its words, digits masked, and where it stands."""
    return re.sub(r"\d+", "0", line.text.lower()), round(line.base / 6)


def _repeated(pages: Sequence[PrintedPage], by_page: Sequence[Sequence[Line]]) -> frozenset[tuple[str, int]]:
    """Return the forms of running heads: at the edge of two pages of few, of three of many.

    Even and odd pages often have different ones.
    """
    forms: Counter[tuple[str, int]] = Counter()
    for page, lines in zip(pages, by_page, strict=True):
        forms.update({_form(line) for line in lines if _edge(page, line)})
    least = 2 if len(pages) < 6 else 3
    return frozenset(form for form, count in forms.items() if count >= least)
