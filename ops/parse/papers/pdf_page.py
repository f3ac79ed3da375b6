"""The glyphs of PDF pages as segments: runs of text on one baseline, with their position and font.

Belongs here: opening a document with pdfium, what makes it damaged, glyphs, and words inside of pictures. Not
here: columns and lines (pdf_layout.py), headings and paragraphs (pdf.py).

Sideways text, and the words in a picture (an image, or a drawing that was included as a whole), are left out.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeAlias

import pypdfium2
import pypdfium2.raw as pdfium

from silverloom.ops.parse.source import ParseError
from silverloom.ops.text.holes import HOLE

#: A gap of this many font sizes starts a new segment; so does a step off the baseline. A smaller glyph needs
#: a smaller step: it is raised or lowered.
_GAP, _STEP, _SMALL_STEP, _SMALLER = 1.2, 0.6, 0.1, 0.85
#: A glyph may reach over the next one, like the tail of a Q.
_BACK = 1.6
#: An image may reach over the word before it by this many font sizes.
_NEAR = 0.3
_Box: TypeAlias = tuple[float, float, float, float]
_LINE_BREAKS, _SPACES = (0x0A, 0x0D), (0x20, 0xA0)
#: Surrogates: pdfium gives some signs as two glyphs, each with half of the code.
_HIGH, _LOW, _END = 0xD800, 0xDC00, 0xE000
#: Codes that pdfium gives for a hyphen at a line end.
_HYPHENS = (0x02, 0xFFFE)
#: Fonts whose codes are no letters where their Unicode is missing.
_MATH_FONT = re.compile(r"CM(?:MI|SY|EX)|MS[AB]M|Math|Symbol|MT(?:MI|SY|EX)|rsfs|eufm", re.I)
#: The prime of TeX's fonts of symbols, which some files leave without Unicode.
_PRIME_FONT, _PRIME_CODE, PRIME = re.compile(r"(?:CM|MT)SY"), 0x30, "\u2032"
#: Bullets of Symbol and Wingdings, which have no Unicode.
_BULLETS = (0xF0B7, 0xF0A7, 0xF06E, 0xF076, 0xF0D8)
_LIGATURES = range(0xFB00, 0xFB07)
#: TeX prints an accent and its letter as two glyphs, one over the other.
_ACCENTS = {
    "`": "\u0300", "\u00b4": "\u0301", "\u02c6": "\u0302", "^": "\u0302", "\u02dc": "\u0303",
    "\u00af": "\u0304", "\u02d8": "\u0306", "\u02d9": "\u0307", "\u00a8": "\u0308", "\u02da": "\u030a",
    "\u02dd": "\u030b", "\u02c7": "\u030c", "\u00b8": "\u0327",
}  # fmt: skip
_OVER, _TIGHT = 0.35, 0.1
_DOTLESS = {"\u0131": "i", "\u0237": "j"}
_SIDEWAYS = 0.1
#: Weights in font descriptors are often wrong; names are not.
_BOLD = re.compile(rb"bold|-medi|black|heavy|demi|cmbx|sfbx", re.I)
_BOLD_WEIGHT = 1000
_ITALIC, _ITALIC_FLAG = re.compile(rb"ital|obli|slant|cmti|cmsl", re.I), 0x40
#: An image is a picture with words in it if it is larger than this, in points: smaller ones are symbols.
_SYMBOL = 30
#: The beginning of an object, which nothing behind the last end of a whole file has.
_OBJECT = re.compile(rb"\d\s+\d{1,5}\s+obj\b")
#: A linearized file says how long it is at its head.
_LENGTH = re.compile(rb"/Linearized\b[^>]{0,200}?/L\s+(\d{1,12})")


class Segment(NamedTuple):
    """A run of text, with a space behind it if one is printed.

    Coordinates are in points from the lower left corner of its page.
    """

    text: str
    left: float
    right: float
    base: float
    size: float
    weight: float
    font: str
    """The font's name, without the prefix of a subset."""
    italic: bool


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
    """Raise ParseError if the content is not a PDF, or a truncated one.

    A whole file ends with its table of objects ("startxref"). Anything but further objects may follow:
    servers and mail programs pad files.
    """
    if not content.strip():
        raise ParseError("the file is empty")
    if b"%PDF-" not in content[:1024]:
        raise ParseError("not a PDF: %PDF- is not at its head")
    end = max(content.rfind(b"%%EOF"), content.rfind(b"startxref"))
    if end < 0 or _OBJECT.search(content, end):
        raise ParseError(f"the PDF is cut short: no %%EOF at its end (byte offset {len(content)})")
    if (length := _LENGTH.search(content, 0, 1024)) and int(length[1]) > len(content):
        raise ParseError(f"the PDF is cut short: it has {len(content)} of {int(length[1])} bytes")


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
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise ParseError("the PDF is encrypted, and wants a password") from None
        raise ParseError(f"a PDF that cannot be opened: {error}") from None


def _page(document: pypdfium2.PdfDocument, number: int) -> PrintedPage:
    try:
        page = document[number]
        text = page.get_textpage()
        width, height = page.get_size()
        objects = _Objects(page)
        segments: list[Segment] = []
        pictured: list[Segment] = []
        for segment, drawn in _segments(text, objects):
            (pictured if drawn else segments).append(segment)
        segments += [hole for box in objects.symbols for hole in _in_line(box, segments)]
        blank = not segments and not pictured and not objects.count
        text.close()
        page.close()
    except pypdfium2.PdfiumError as error:
        raise ParseError(f"page {number + 1} cannot be read: {error}") from None
    if blank and number + 1 < len(document):  # the last page of a paper may be blank
        raise ParseError(f"page {number + 1} holds nothing: is the PDF damaged?")
    # Some programs include whole pages, or lay text over the picture of a scanned page.
    if _letters(pictured) > _letters(segments):
        segments += pictured
    return PrintedPage(width, height, segments)


def _in_line(box: _Box, segments: list[Segment]) -> list[Segment]:
    """Return a hole, in a list, where a small image is between the words of a line."""
    left, bottom, right, top = box
    line = [segment for segment in segments if bottom - segment.size / 2 < segment.base < top]
    near = [segment for segment in line if -_NEAR < (left - segment.right) / segment.size < _GAP]
    over = [segment for segment in line if segment.left < (left + right) / 2 < segment.right]
    return [near[0]._replace(text=HOLE, left=left, right=right)] if near and not over else []


def _letters(segments: list[Segment]) -> int:
    return sum(len(segment.text) for segment in segments)


class _Objects:
    """What is on a page: its own text objects, and the boxes of its images; small ones are symbols."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self.count = pdfium.FPDFPage_CountObjects(page.raw)
        self.texts: set[int] = set()
        self.images: list[_Box] = []
        self.symbols: list[_Box] = []
        box = [ctypes.c_float() for _ in range(4)]
        for index in range(self.count):
            raw = pdfium.FPDFPage_GetObject(page.raw, index)
            kind = pdfium.FPDFPageObj_GetType(raw)
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                self.texts.add(_address(raw))
            elif kind == pdfium.FPDF_PAGEOBJ_IMAGE and pdfium.FPDFPageObj_GetBounds(raw, *box):
                left, bottom, right, top = (side.value for side in box)
                larger = min(right - left, top - bottom) > _SYMBOL
                (self.images if larger else self.symbols).append((left, bottom, right, top))

    def pictures(self, text: int, x: float, y: float) -> bool:
        """Say whether a glyph at (x, y) is part of an included drawing, or lies on an image."""
        if any(left < x < right and bottom < y < top for left, bottom, right, top in self.images):
            return True
        return text != 0 and text not in self.texts


def _address(raw: Any) -> int:
    return ctypes.addressof(raw.contents) if raw else 0


class _Font(NamedTuple):
    """Weight, name and slant of a text object's font."""

    weight: float
    name: str
    italic: bool


class _Glyph(NamedTuple):
    """A glyph at a place of the page's text, its font and text object, and whether a space is before it."""

    place: int
    sign: str
    spaced: bool
    left: float
    right: float
    base: float
    size: float
    font: _Font
    source: int

    def is_over(self, other: _Glyph) -> bool:
        """Say whether this accent belongs to a letter."""
        apart = abs(self.left + self.right - other.left - other.right) / 2
        return other.sign.isalpha() and apart < _OVER * other.size


class _Run:
    """A segment under construction."""

    def __init__(self, glyph: _Glyph, drawn: bool) -> None:
        self.glyphs = [glyph]
        self.drawn = drawn
        self.right = glyph.right
        self.after_accent = self.space = False

    def takes(self, glyph: _Glyph) -> bool:
        """Add a glyph if it continues this segment; put an accent over its letter."""
        first = self.glyphs[0]
        if glyph.sign in _ACCENTS and self._accents(glyph):
            self.after_accent = True
            return True
        near = -_BACK * first.size < glyph.left - self.right < _GAP * first.size
        if not (near and self._is_on_line(glyph) and glyph.font == first.font):
            self.space = glyph.spaced
            return False
        if self.after_accent and glyph.left - self.right < _TIGHT * glyph.size:
            glyph = glyph._replace(spaced=False)  # pdfium puts a space behind the accent
        self.after_accent = False
        self.glyphs.append(glyph)
        self.right = max(self.right, glyph.right)
        return True

    def _is_on_line(self, glyph: _Glyph) -> bool:
        first = self.glyphs[0]
        if glyph.base == first.base:
            return True
        small = min(glyph.size, first.size) < _SMALLER * max(glyph.size, first.size)
        return abs(glyph.base - first.base) < (_SMALL_STEP if small else _STEP) * first.size

    def _accents(self, accent: _Glyph) -> bool:
        for place in range(len(self.glyphs) - 1, -1, -1):
            if accent.is_over(self.glyphs[place]):
                self.glyphs[place] = _accented(self.glyphs[place], accent)
                return True
        return False

    def segment(self) -> Segment:
        """Return the segment."""
        signs = "".join(" " * glyph.spaced + glyph.sign for glyph in self.glyphs)
        glyph = self.glyphs[0]
        return Segment(
            signs.strip() + " " * self.space, glyph.left, self.right, glyph.base, glyph.size, *glyph.font
        )


def _segments(text: pypdfium2.PdfTextPage, objects: _Objects) -> Iterator[tuple[Segment, bool]]:
    """Yield the segments of a page, each with whether it is part of a picture."""
    run: _Run | None = None
    for glyph in _with_accents(_glyphs(text.raw, text.count_chars())):
        if run is not None and (glyph is None or not run.takes(glyph)):
            yield run.segment(), run.drawn
            run = None
        if glyph is None or run is not None:
            continue
        if not _is_sideways(text.raw, glyph.place):
            run = _Run(glyph, objects.pictures(glyph.source, glyph.left, glyph.base))
    if run is not None:
        yield run.segment(), run.drawn


def _glyphs(raw: object, count: int) -> Iterator[_Glyph | None]:
    """Yield glyphs in drawing order; None ends a line."""
    box, x, y = pdfium.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    size, base, bottom, source, font = 1.0, 0.0, 0.0, -1, _Font(0, "", False)
    spaced, maths, half = False, False, 0
    for index in range(count):
        code = pdfium.FPDFText_GetUnicode(raw, index)
        if _HIGH <= code < _LOW and _LOW <= pdfium.FPDFText_GetUnicode(raw, index + 1) < _END:
            half = code
            continue
        if half and _LOW <= code < _END:
            code = 0x10000 + (half - _HIGH) * 0x400 + code - _LOW
        if code in _LINE_BREAKS:
            yield None
            continue
        if code in _SPACES:
            spaced = True
            continue
        pdfium.FPDFText_GetLooseCharBox(raw, index, box)
        text = _address(pdfium.FPDFText_GetTextObject(raw, index))
        if text != source or box.bottom != bottom:  # else the place and size of the last one
            pdfium.FPDFText_GetCharOrigin(raw, index, x, y)
            bottom, base, size = box.bottom, y.value, _size(raw, index)
        if text != source:
            source, font = text, _font(raw, index)
            maths = is_math_font(font.name)
        sign = _sign(code)
        suspect = (maths or code in _HYPHENS) and code not in _BULLETS
        if suspect and pdfium.FPDFText_HasUnicodeMapError(raw, index) > 0:  # the code is that of the font
            sign = PRIME if code == _PRIME_CODE and _PRIME_FONT.match(font.name) else HOLE
        yield _Glyph(index, sign, spaced, box.left, box.right, base, size, font, source)
        spaced, half = False, 0
        if code in _HYPHENS and sign != HOLE:
            yield None


def _with_accents(glyphs: Iterable[_Glyph | None]) -> Iterator[_Glyph | None]:
    """Yield glyphs; an accent that is printed before its letter is put over it."""
    before: _Glyph | None = None
    accent: _Glyph | None = None
    for glyph in glyphs:
        if accent is not None:
            if glyph is not None and accent.is_over(glyph):
                gap = before is None or glyph.left - before.right > _TIGHT * glyph.size
                glyph = _accented(glyph, accent)._replace(spaced=glyph.spaced or (accent.spaced and gap))
            else:
                yield accent
            accent = None
        if glyph is not None and glyph.sign in _ACCENTS:
            accent = glyph
        else:
            yield glyph
            before = glyph
    if accent is not None:
        yield accent


def _accented(letter: _Glyph, accent: _Glyph) -> _Glyph:
    sign = _DOTLESS.get(letter.sign, letter.sign) + _ACCENTS[accent.sign]
    return letter._replace(sign=unicodedata.normalize("NFC", sign))


@cache
def _sign(code: int) -> str:
    """Return the text of a glyph; a hole if its code is no sign of Unicode."""
    if code in _HYPHENS:
        return "-"
    if code in _BULLETS:
        return "\u2022"
    if code < 0x20 or code == 0xFFFD or unicodedata.category(chr(code)) in ("Co", "Cn", "Cs"):
        return HOLE
    return unicodedata.normalize("NFKC", chr(code)) if code in _LIGATURES else chr(code)


def _size(raw: object, index: int) -> float:
    matrix = pdfium.FS_MATRIX()
    size = float(pdfium.FPDFText_GetFontSize(raw, index))
    if pdfium.FPDFText_GetMatrix(raw, index, matrix):
        size *= math.hypot(matrix.c, matrix.d)
    return size or 1.0


def _is_sideways(raw: object, index: int) -> bool:
    return bool(abs(math.sin(pdfium.FPDFText_GetCharAngle(raw, index))) > _SIDEWAYS)


def _font(raw: object, index: int) -> _Font:
    flags = ctypes.c_int()
    name = ctypes.create_string_buffer(128)
    pdfium.FPDFText_GetFontInfo(raw, index, name, len(name), flags)
    return _font_named(name.value, flags.value, pdfium.FPDFText_GetFontWeight(raw, index))


@lru_cache
def _font_named(name: bytes, flags: int, weight: int) -> _Font:
    italic = flags & _ITALIC_FLAG or _ITALIC.search(name)
    bold = _BOLD_WEIGHT if _BOLD.search(name) else weight
    return _Font(bold, name.rpartition(b"+")[2].decode("latin-1"), bool(italic))


@lru_cache
def is_math_font(name: str) -> bool:
    """Say whether a font has the letters and signs of formulas."""
    return _MATH_FONT.search(name) is not None
