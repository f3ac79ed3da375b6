"""The lines of PDF pages in reading order, in one or two columns.

Belongs here: opening a document with pdfium; glyphs as segments, which are runs of text on one baseline with
their position and font; columns, bands that span both, lines, and what repeats at the edges of pages. Not
here: classifying lines (pdf.py).
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from ops.parse.source import ParseError

#: The gutter is in the middle of the page, where at most this share of the text crosses it.
_MIDDLE = (0.35, 0.65)
_CROSSING = 0.3
_STEPS = 60
_LEAST_LINES = 4
#: Share of the page height at top and bottom where running heads and page numbers are.
_EDGE = 0.12
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:(?:page|p\.)\s*)?(?:\d{1,5}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,5})?[\W_]*", re.I
)
#: Minimum number of line numbers per page in the ruler of a review copy.
_RULER = 20


class Line(NamedTuple):
    """A line of a column."""

    text: str
    page: int
    column: int
    """0 if the line spans the page, otherwise 1 or 2."""
    left: float
    right: float
    base: float
    size: float
    bold: bool
    cells: int
    """The number of pieces separated by gaps; a table row has several."""


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
    """Return the position between the columns of a page, or None if it has one column."""
    if len(segments) < 2 * _LEAST_LINES:
        return None
    weight = sum(one.size for one in segments)
    start, end = (share * page.width for share in _MIDDLE)
    places = [start + (end - start) * step / _STEPS for step in range(_STEPS + 1)]
    crossed = [sum(one.size for one in segments if one.left < place < one.right) for place in places]
    least = min(crossed)
    if least > _CROSSING * weight:
        return None
    # The middle of the widest stretch that the least text crosses.
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
    # The columns must be side by side: the right one starts above the end of the left one.
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
    """Return the part of a line that recurs on other pages: its words with masked digits, and its height."""
    return re.sub(r"\d+", "0", line.text.lower()), round(line.base / 6)


def _repeated(pages: Sequence[PrintedPage], by_page: Sequence[Sequence[Line]]) -> frozenset[tuple[str, int]]:
    """Return the forms of running heads: those at the edge of two pages, or of three in longer papers.

    Three is not more, because even and odd pages often have different heads.
    """
    forms: Counter[tuple[str, int]] = Counter()
    for page, lines in zip(pages, by_page, strict=True):
        forms.update({_form(line) for line in lines if _edge(page, line)})
    least = 2 if len(pages) < 6 else 3
    return frozenset(form for form, count in forms.items() if count >= least)


#: A gap of this many font sizes starts a new segment; so does a step off the baseline (superscripts are
#: closer).
_GAP, _STEP = 1.2, 0.6
#: The trailer must be within this many bytes of the end, whatever was appended after it.
_TAIL = 4096
_LINE_BREAKS = (0x0A, 0x0D)
#: Codes that pdfium gives for a hyphen at a line end.
_HYPHENS = {0x02: "-", 0xFFFE: "-"}
_LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
_SIDEWAYS = 0.1
_BOLD = 600


class Segment(NamedTuple):
    """A run of text; coordinates are in points from the lower left corner of its page."""

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool


class PrintedPage(NamedTuple):
    """The segments of a page in drawing order."""

    width: float
    height: float
    segments: list[Segment]


def pages_of(content: bytes) -> list[PrintedPage]:
    """Return the pages of a document. Raises ParseError if it is truncated, encrypted or not a PDF."""
    check_whole(content)
    with _opened(content) as document:
        if not len(document):
            raise ParseError("a PDF without pages")
        return [_page(document, number) for number in range(len(document))]


def check_whole(content: bytes) -> None:
    """Raise ParseError if the content is not a PDF, or a truncated one."""
    if not content.strip():
        raise ParseError("the file is empty")
    if b"%PDF-" not in content[:1024]:
        raise ParseError("not a PDF: %PDF- is not at its head")
    if b"%%EOF" not in content[-_TAIL:]:
        raise ParseError(f"the PDF is cut short: no %%EOF at its end (byte offset {len(content)})")


def title_of(content: bytes) -> str:
    """Return the title in a PDF's metadata, or "". Raises ParseError."""
    with _opened(content) as document:
        return str(document.get_metadata_value("Title"))


def _opened(content: bytes) -> pypdfium2.PdfDocument:
    # If pdfium fails without a cause, it reports that of the last failure: this call sets a neutral one.
    pdfium.FPDF_LoadMemDocument64(b"-", 1, None)
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ParseError("the PDF is encrypted, and wants a password") from None
        raise ParseError(f"a PDF that cannot be opened: {error}") from None


def _page(document: pypdfium2.PdfDocument, number: int) -> PrintedPage:
    try:
        page = document[number]
        text = page.get_textpage()
        width, height = page.get_size()
        found = PrintedPage(width, height, list(_segments(text)))
        blank = not found.segments and not pdfium.FPDFPage_CountObjects(page.raw)
        text.close()
        page.close()
    except pypdfium2.PdfiumError as error:
        raise ParseError(f"page {number + 1} cannot be read: {error}") from None
    if blank and number + 1 < len(document):  # the last page of a paper may be blank
        raise ParseError(f"page {number + 1} holds nothing: is the PDF damaged?")
    return found


class _Run:
    """A segment under construction."""

    def __init__(self, size: float, bold: bool, left: float, base: float) -> None:
        self.size, self.bold, self.left, self.base = size, bold, left, base
        self.right = left
        self.signs: list[str] = []
        self.space = False

    def takes(self, left: float, base: float) -> bool:
        """Say whether a glyph continues this segment."""
        near = -_GAP * self.size < left - self.right < _GAP * self.size
        return near and abs(base - self.base) < _STEP * self.size

    def finished(self) -> Iterator[Segment]:
        text = "".join(self.signs).strip()
        if text:
            yield Segment(_whole(text), self.left, self.right, self.base, self.size, self.bold)


def _segments(text: pypdfium2.PdfTextPage) -> Iterator[Segment]:
    box, x, y = pdfium.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    raw, run, height = text.raw, None, -1.0
    size = 1.0
    for index in range(text.count_chars()):
        code = pdfium.FPDFText_GetUnicode(raw, index)
        if code in _LINE_BREAKS:
            if run is not None:
                yield from run.finished()
            run = None
            continue
        if code == 0:
            continue
        if code in (0x20, 0xA0):
            if run is not None:
                run.space = True
            continue
        pdfium.FPDFText_GetLooseCharBox(raw, index, box)
        pdfium.FPDFText_GetCharOrigin(raw, index, x, y)
        if abs(box.top - box.bottom - height) > 0.05:
            height = box.top - box.bottom
            size = _size(raw, index)
        if run is None or not run.takes(box.left, y.value):
            if run is not None:
                yield from run.finished()
            run = None
            if _is_sideways(raw, index):
                continue
            run = _Run(
                size,
                pdfium.FPDFText_GetFontWeight(raw, index) >= _BOLD or _is_bold(raw, index),
                box.left,
                y.value,
            )
        if run.space and run.signs:
            run.signs.append(" ")
        run.space = False
        run.signs.append(_sign(code))
        run.right = max(run.right, box.right)
        if code in _HYPHENS:
            yield from run.finished()
            run = None
    if run is not None:
        yield from run.finished()


def _sign(code: int) -> str:
    if code in _HYPHENS or code in _LIGATURES:
        return _HYPHENS.get(code) or _LIGATURES[code]
    return "\ufffd" if code < 0x20 else chr(code)


def _whole(text: str) -> str:
    """Return a text with surrogate pairs combined."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _size(raw: object, index: int) -> float:
    matrix = pdfium.FS_MATRIX()
    size = float(pdfium.FPDFText_GetFontSize(raw, index))
    if pdfium.FPDFText_GetMatrix(raw, index, matrix):
        size *= math.hypot(matrix.c, matrix.d)
    return size or 1.0


def _is_sideways(raw: object, index: int) -> bool:
    return bool(abs(math.sin(pdfium.FPDFText_GetCharAngle(raw, index))) > _SIDEWAYS)


def _is_bold(raw: object, index: int) -> bool:
    flags = ctypes.c_int()
    name = ctypes.create_string_buffer(128)
    pdfium.FPDFText_GetFontInfo(raw, index, name, len(name), flags)
    return b"bold" in name.value.lower() or b"-medi" in name.value.lower()
