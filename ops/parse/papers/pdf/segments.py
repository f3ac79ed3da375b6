"""The glyphs of a PDF as segments: runs of text on one baseline, with their place and font.

Belongs here: opening a document with pdfium, and reading its pages. Not here: the order of segments
(layout.py), what they are (outline.py).
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from ops.parse.source import ParseError

#: A gap of so many font sizes begins another segment; so does a step off the baseline (superscripts are
#: nearer).
_GAP, _STEP = 1.2, 0.6
#: The end of a file has its trailer in so many bytes, whatever was put behind it.
_TAIL = 4096
_LINE_BREAKS = (0x0A, 0x0D)
#: How pdfium shows the hyphen that a line ends in.
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
    """A run of text; places are in points from the lower left corner of its page."""

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool


class PrintedPage(NamedTuple):
    """The segments of a page, in the order that they are drawn in."""

    width: float
    height: float
    segments: list[Segment]


def pages_of(content: bytes) -> list[PrintedPage]:
    """Return the pages of a document. Raises ParseError for what is cut short, encrypted, or no PDF."""
    check_whole(content)
    with _opened(content) as document:
        if not len(document):
            raise ParseError("a PDF without pages")
        return [_page(document, number) for number in range(len(document))]


def check_whole(content: bytes) -> None:
    """Raise ParseError for what is no PDF, or none to its end."""
    if not content.strip():
        raise ParseError("the file is empty")
    if b"%PDF-" not in content[:1024]:
        raise ParseError("not a PDF: %PDF- is not at its head")
    if b"%%EOF" not in content[-_TAIL:]:
        raise ParseError(f"the PDF is cut short: no %%EOF at its end (byte offset {len(content)})")


def title_of(content: bytes) -> str:
    """Return the title of a PDF's metadata, "" where it has none. Raises ParseError."""
    with _opened(content) as document:
        return str(document.get_metadata_value("Title"))


def _opened(content: bytes) -> pypdfium2.PdfDocument:
    # Where pdfium fails without a cause, that of the last failure stays: let it be this one.
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
    if blank and number + 1 < len(document):  # papers end in a blank page, perhaps
        raise ParseError(f"page {number + 1} holds nothing: is the PDF damaged?")
    return found


class _Run:
    """A segment that is being read."""

    def __init__(self, size: float, bold: bool, left: float, base: float) -> None:
        self.size, self.bold, self.left, self.base = size, bold, left, base
        self.right = left
        self.signs: list[str] = []
        self.space = False

    def takes(self, left: float, base: float) -> bool:
        """Tell whether a glyph goes on from the last one."""
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
    """Return a text in which halves of surrogate pairs are put together."""
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
