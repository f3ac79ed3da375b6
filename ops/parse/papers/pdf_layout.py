"""The lines of PDF pages in reading order.

Belongs here: columns, rows, and what repeats at the edges of pages. Not here: glyphs (pdf_page.py), what a
line is (pdf_headings.py).

A page is cut where a gutter has running text on both sides; whatever crosses the gutter ends the columns
above it. Every part is cut again, so a page may have one column here and three there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from silverloom.ops.parse.papers.pdf_page import PrintedPage, Segment
from silverloom.ops.parse.papers.pdf_rows import is_prose, is_word, joined, main_of, rows_of, with_holes

#: Places where a gutter is tried; the lines of running text that it must have, some of them on either side.
_STEPS, _LEAST_LINES = 60, 6
#: A line crosses a gutter if it goes on for this many font sizes on either side.
_CROSSING = 1.5
#: The short last line of a paragraph is at most this many font sizes below the line above it.
_LAST_LINE = 1.5
#: A gap of this many font sizes separates the cells of a row, and columns.
_CELL = 0.8
#: A gap of this many font sizes over the whole page parts the abstract from the text below.
_APART = 1.8
_ABSTRACT = re.compile(r"A ?(?:b ?s ?t ?r ?a ?c ?t|B ?S ?T ?R ?A ?C ?T)\b")
_NO_ABSTRACT = re.compile(
    r"[\dI.:]{0,3}\s*(?:I ?NTRODUCTION|Introduction|Background|BACKGROUND)\Z|(?:Fig|Tab)[a-z]*\.? \d"
)
#: Share of the page height at top and bottom where running heads and page numbers are.
_EDGE = 0.12
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:(?:page|p\.)\s*)?(?:\d{1,5}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,5})?[\W_]*", re.I
)
#: Minimum number of line numbers per page in the ruler of a review copy.
_RULER = 20
_HEAVIER = 1.25


class Line(NamedTuple):
    """A line of a column; `edges` are the left and right edge of the column."""

    text: str
    page: int
    column: int
    edges: tuple[float, float]
    left: float
    right: float
    base: float
    size: float
    bold: bool
    italic: bool
    font: str
    cells: int
    """The number of pieces separated by gaps; a table row has several."""
    parts: tuple[Line, ...] = ()
    """The bold or slanted beginning of the line and the rest, if it has both."""
    run_in: bool = False
    """Whether the line is such a beginning, and a heading with text behind it."""


class _Piece(NamedTuple):
    """Neighbouring segments of a row, without a wide gap."""

    segments: tuple[Segment, ...]
    text: str
    left: float
    right: float
    base: float
    size: float

    def is_beside(self, other: _Piece) -> bool:
        """Say whether another piece is on the same baseline."""
        return abs(self.base - other.base) < 0.3 * self.size

    @property
    def is_prose(self) -> bool:
        return is_prose(self.text)


def lines_of(pages: Sequence[PrintedPage]) -> list[Line]:
    """Return the lines of all pages in reading order, without running heads and page numbers."""
    weights: Counter[float] = Counter()
    for page in pages:
        for segment in page.segments:
            weights[segment.weight] += len(segment.text)
    bold = _HEAVIER * (weights.most_common(1)[0][0] if weights else 0)
    by_page = [_pieces(_without_ruler(page.segments)) for page in pages]
    heads = _repeated(pages, by_page)
    lines: list[Line] = []
    for number, (page, pieces) in enumerate(zip(pages, by_page, strict=True), 1):
        body = [piece for piece in pieces if not _is_furniture(page, piece, heads)]
        parts = _around_abstract(body) if number == 1 else [body]
        columns = (column for part in parts for column in _columns(part))
        for column, pieces_of_column in enumerate(columns, 1):
            lines += _lines(pieces_of_column, number, column, bold)
    return lines


def _without_ruler(segments: Sequence[Segment]) -> Sequence[Segment]:
    ruler = {
        segment for segment in segments if segment.text.strip().isdecimal() and len(segment.text.strip()) == 3
    }
    return [segment for segment in segments if segment not in ruler] if len(ruler) >= _RULER else segments


def _pieces(segments: Iterable[Segment]) -> list[_Piece]:
    pieces = []
    for row in rows_of(segments):
        part = [row[0]]
        for segment in row[1:]:
            if segment.left - max(piece.right for piece in part[-3:]) > _CELL * max(
                segment.size, part[-1].size
            ):
                pieces.append(_piece(part))
                part = []
            part.append(segment)
        pieces.append(_piece(part))
    return pieces


def _piece(row: Sequence[Segment]) -> _Piece:
    main = main_of(row)
    right = max(segment.right for segment in row)
    return _Piece(tuple(row), joined(row, main), row[0].left, right, main.base, main.size)


def _is_furniture(page: PrintedPage, piece: _Piece, heads: frozenset[tuple[str, int]]) -> bool:
    return _is_at_edge(page, piece) and (
        _form(piece) in heads or _PAGE_NUMBER.fullmatch(piece.text) is not None
    )


def _is_at_edge(page: PrintedPage, piece: _Piece) -> bool:
    return not _EDGE * page.height < piece.base < (1 - _EDGE) * page.height


def _form(piece: _Piece) -> tuple[str, int]:
    """Return the part of a line that recurs on other pages: its words with masked digits, and its height."""
    return re.sub(r"\d+", "0", piece.text.lower()), round(piece.base / 6)


def _repeated(
    pages: Sequence[PrintedPage], by_page: Sequence[Sequence[_Piece]]
) -> frozenset[tuple[str, int]]:
    """Return the forms of running heads: those at the edge of two pages, or of three in longer papers.

    Three is not more, because even and odd pages often have different heads.
    """
    forms: Counter[tuple[str, int]] = Counter()
    for page, pieces in zip(pages, by_page, strict=True):
        forms.update({_form(piece) for piece in pieces if _is_at_edge(page, piece)})
    least = 2 if len(pages) < 6 else 3
    return frozenset(form for form, count in forms.items() if count >= least)


def _around_abstract(pieces: Sequence[_Piece]) -> list[Sequence[_Piece]]:
    """Part a page at the gap below an abstract that is in two columns of its own, above those of the text."""
    label = next((piece for piece in pieces if _ABSTRACT.match(piece.text)), None)
    if label is None:
        return [pieces]
    ordered = sorted(pieces, key=lambda piece: -piece.base)
    for index, (before, piece) in enumerate(pairwise(ordered), 1):
        if before.base < label.base and before.base - piece.base > _APART * before.size:
            abstract = [piece for piece in ordered[:index] if piece.base <= label.base]
            gutter = _gutter(abstract)
            sides = _sides(abstract, gutter) if gutter is not None else ([], [])
            other = any(_NO_ABSTRACT.match(piece.text) for piece in ordered[:index])
            apart = all(sides) and sides[1][0].is_prose and not other
            return [ordered[:index], ordered[index:]] if apart else [pieces]
    return [pieces]


def _columns(pieces: Sequence[_Piece]) -> Iterator[Sequence[_Piece]]:
    """Yield the columns of a page, or of a part of one, in reading order."""
    gutter = _gutter(pieces)
    if gutter is None:
        yield pieces
        return
    rest: list[_Piece] = []
    for crossing, band in _bands(_ordered(pieces), gutter):
        left, right = _sides(band, gutter)
        if crossing or not (any(piece.is_prose for piece in left) and any(piece.is_prose for piece in right)):
            rest += band
            continue
        if rest:
            yield from _columns(rest)
            rest = []
        yield from _columns(left)
        yield from _columns(right)
    if rest:
        yield from _columns(rest)


def _ordered(pieces: Iterable[_Piece]) -> list[_Piece]:
    """Return pieces from top to bottom."""
    return sorted(pieces, key=lambda piece: (-piece.base, piece.left))


def _bands(ordered: Sequence[_Piece], gutter: float) -> Iterator[tuple[bool, list[_Piece]]]:
    """Yield ordered pieces: in turn those that cross the gutter, and those that do not."""
    marked: list[tuple[bool, _Piece]] = []
    for index, piece in enumerate(ordered):
        reach = _CROSSING * piece.size
        crossing = piece.left < gutter - reach and piece.right > gutter + reach
        if not crossing and marked and marked[-1][0]:
            crossing = _ends(marked[-1][1], piece) and not any(
                map(piece.is_beside, ordered[index + 1 : index + 2])
            )
        marked.append((crossing, piece))
    return ((crossing, [piece for _, piece in band]) for crossing, band in groupby(marked, itemgetter(0)))


def _ends(before: _Piece, piece: _Piece) -> bool:
    """Say whether a piece is the short last line of a paragraph."""
    below = 0 < before.base - piece.base < _LAST_LINE * piece.size
    return below and abs(before.left - piece.left) < piece.size / 2 and abs(before.size - piece.size) < 0.5


def _sides(band: Iterable[_Piece], gutter: float) -> tuple[list[_Piece], list[_Piece]]:
    sides: tuple[list[_Piece], list[_Piece]] = ([], [])
    for piece in band:
        sides[piece.left + piece.right > 2 * gutter].append(piece)
    return sides


def _gutter(pieces: Sequence[_Piece]) -> float | None:
    """Return the place with most text beside it in columns, in the middle of its widest stretch."""
    prose = _ordered(piece for piece in pieces if piece.is_prose)
    if len(prose) < _LEAST_LINES:
        return None
    start, end = min(piece.left for piece in prose), max(piece.right for piece in prose)
    places = [start + (end - start) * step / _STEPS for step in range(_STEPS // 10, _STEPS - _STEPS // 10)]
    last = max(piece.left + _CROSSING * piece.size for piece in prose)
    places = [place for place in places if place <= last]  # nothing begins to the right of the others
    scores = [
        sum(_letters_in_columns(band, x) for crossing, band in _bands(prose, x) if not crossing)
        for x in places
    ]
    best = max(scores, default=0)
    if not best:
        return None
    runs: list[list[float]] = [[]]
    for place, score in zip(places, scores, strict=True):
        if score == best:
            runs[-1].append(place)
        elif runs[-1]:
            runs.append([])
    widest = max(runs, key=len)
    return (widest[0] + widest[-1]) / 2


def _letters_in_columns(band: Sequence[_Piece], gutter: float) -> int:
    """Return how much text two columns have, or 0 if these are not columns side by side."""
    left, right = _sides(band, gutter)
    if not left or not right or len(band) < _LEAST_LINES:
        return 0
    if left[0].base < right[-1].base or right[0].base < left[-1].base:
        return 0
    return sum(len(piece.text) for piece in band)


def _lines(pieces: Iterable[_Piece], page: int, column: int, bold: float) -> list[Line]:
    """Return the lines of a column from top to bottom."""
    rows = with_holes(rows_of(segment for piece in pieces for segment in piece.segments))
    if not rows:
        return []
    lefts = Counter(
        round(row[0].left) for row in rows for _ in range(sum(len(part.text) for part in row) // 10)
    )
    rights = sorted(max(segment.right for segment in row) for row in rows)
    left = float(lefts.most_common(1)[0][0]) if lefts else rows[0][0].left
    edges = (left, rights[int(0.9 * (len(rights) - 1))])
    return [_line(row, page, column, edges, bold) for row in rows]


def _line(row: Sequence[Segment], page: int, column: int, edges: tuple[float, float], bold: float) -> Line:
    main = main_of(row)
    sizes: Counter[float] = Counter()
    fonts: Counter[str] = Counter()
    for segment in row:
        sizes[segment.size] += len(segment.text)
        fonts[segment.font] += len(segment.text)
    words = [segment for segment in row if is_word(segment)]
    return Line(
        text=joined(row, main),
        page=page,
        column=column,
        edges=edges,
        left=row[0].left,
        right=max(segment.right for segment in row),
        base=main.base,
        size=sizes.most_common(1)[0][0],
        bold=bool(words) and all(segment.weight > bold for segment in words),
        italic=bool(words) and all(segment.italic for segment in words),
        font=fonts.most_common(1)[0][0],
        cells=1 + sum(after.left - before.right > _CELL * after.size for before, after in pairwise(row)),
        parts=tuple(_line(part, page, column, edges, bold) for part in _parts(row, bold)),
    )


def _parts(row: Sequence[Segment], bold: float) -> tuple[Sequence[Segment], ...]:
    """Return the bold or slanted beginning of a row, and the rest, if it has both; formulas have no look."""
    words = [segment for segment in row if is_word(segment)]
    for looks in [segment.weight > bold for segment in words], [segment.italic for segment in words]:
        if looks and looks[0] and False in looks:
            rest = row.index(words[looks.index(False)])
            return row[:rest], row[rest:]
    return ()
