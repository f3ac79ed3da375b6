"""Papers as PDF: their text layer in reading order, with sections recognised by fonts and numbers.

Belongs here: this format, and classifying a line by font, position and words: title, heading, paragraph,
caption, note, table row. Not here: finding the lines (pdf_page.py), sentences (body.py).

Pages may have one or two columns. Running heads, page numbers and sideways text are left out. Captions, notes
and table rows come after the running text that they interrupt. A file without a text layer is refused, and so
is a truncated or encrypted one: pdfium would silently return empty pages, or only those that it can find.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from pydantic import Field

from ops.core.params import Params
from ops.parse.files import whole_files, with_options
from ops.parse.papers.extraction_tools import Tei, tei_of
from ops.parse.papers.paper import Paper, PaperBuilder
from ops.parse.papers.pdf_page import Line, check_whole, lines_of, pages_of, title_of
from ops.parse.papers.plain import is_name_of_section
from ops.parse.source import Only, ParseError, Raw, Source


class PdfOptions(Params):
    """Options of PDF sources: which program reads the files."""

    grobid: str | None = Field(
        default=None, pattern=r"^https?://\S+$", description="address of a GROBID that reads them instead"
    )


class Pdf:
    """Reads PDF: every *.pdf file below the folder is a paper."""

    options = PdfOptions

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.pdf file; the document id is its stem."""
        return with_options(whole_files(folder, source, (".pdf",), only), source)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the document id, and the title in the file's metadata."""
        return {"document": raw.document, "title": title_of(raw.content)}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper.

        Raises ParseError like `pages_of`, and if there is no text; with GROBID, like `tei_of`.
        """
        if service := raw.companions.get("grobid"):
            check_whole(raw.content)
            return Tei().parse(replace(raw, content=tei_of(service, raw.content)))
        title, blocks = outline(lines_of(pages_of(raw.content)))
        if not any(isinstance(block, PrintedBlock) for block in blocks):
            raise ParseError("no text in the PDF: are its pages pictures?")
        paper = PaperBuilder(title or title_of(raw.content))
        paragraphs: list[PrintedBlock] = []
        for block in [*blocks, None]:
            if isinstance(block, PrintedBlock):
                paragraphs.append(block)
                continue
            _add(paper, paragraphs)
            paragraphs.clear()
            if isinstance(block, PrintedHeading):
                paper.section(block.text, block.level)
        return paper.finish()


def _add(paper: PaperBuilder, paragraphs: list[PrintedBlock]) -> None:
    """Add the text of a section: the running text first, so that notes do not split sentences."""
    if paragraphs and not paper.sections:
        paper.section("")
    flow = [(block.text, f"page {block.page}") for block in paragraphs if not block.aside]
    if flow:
        paper.flow(flow)
    for block in paragraphs:
        if block.aside:
            paper.flow([(block.text, f"page {block.page}")])


#: Factors of the size of running text: larger lines are headings, smaller ones notes or captions.
_LARGER, _SMALLER = 1.08, 0.93
_LONGEST_HEADING, _MOST_WORDS = 120, 14
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[A-Z\"'(])")
_ROMAN = re.compile(r"[IVX]{1,5}\.\s+(?=[A-Z])")
_LETTERED = re.compile(r"(?:Appendix\s+)?[A-H](?P<tail>(?:\.\d{1,2}){0,3})[.:]?\s+(?=[A-Z])")
_CAPTION = re.compile(r"(?:Figure|Fig\.|Table|Tab\.|Algorithm|Listing)\s*\d{1,3}\s*[:.|]", re.I)
_ROW = 3
_INDENT = 0.7
#: A gap of this many line heights separates paragraphs.
_PARAGRAPH_GAP = 1.35


class PrintedHeading(NamedTuple):
    """A heading, with its level from 1."""

    text: str
    level: int


class PrintedBlock(NamedTuple):
    """Lines of one page and column; `aside` if they interrupt the text (a caption, a note, a table)."""

    text: str
    page: int
    aside: bool


def outline(lines: Sequence[Line]) -> tuple[str, list[PrintedHeading | PrintedBlock]]:
    """Return the title of a paper, and its headings and paragraphs in reading order."""
    size = _text_size(lines)
    title, rest = _title(lines, size)
    edges = _edges(rest, size)
    pitch = _pitch(rest, size)
    return title, list(_blocks(rest, size, edges, pitch))


def _text_size(lines: Sequence[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 1.0


def _title(lines: Sequence[Line], size: float) -> tuple[str, Sequence[Line]]:
    """Return the title (the largest lines of the first page, above its text) and the remaining lines."""
    first = [line for line in lines if line.page == 1 and any(sign.isalpha() for sign in line.text)]
    largest = max((line.size for line in first), default=0.0)
    if largest < _LARGER * size:
        return "", lines
    found: list[Line] = []
    for line in first:
        if line.size > 0.97 * largest:
            found.append(line)
        elif found:
            break
    return " ".join(line.text for line in found), [line for line in lines if line not in set(found)]


def _edges(lines: Sequence[Line], size: float) -> dict[tuple[int, int], float]:
    """Return the left edge of each column on each page: that of most of its lines."""
    lefts: dict[tuple[int, int], Counter[float]] = {}
    for line in lines:
        if abs(line.size - size) < 0.07 * size:
            lefts.setdefault((line.page, line.column), Counter())[round(line.left)] += 1
    return {place: float(counts.most_common(1)[0][0]) for place, counts in lefts.items()}


def _pitch(lines: Sequence[Line], size: float) -> float:
    steps = [
        before.base - line.base
        for before, line in pairwise(lines)
        if (before.page, before.column) == (line.page, line.column) and 0 < before.base - line.base < 3 * size
    ]
    return median(steps) if steps else 1.2 * size


def _blocks(
    lines: Sequence[Line], size: float, edges: dict[tuple[int, int], float], pitch: float
) -> Iterator[PrintedHeading | PrintedBlock]:
    block: list[Line] = []
    kind = ""

    def finished() -> Iterator[PrintedHeading | PrintedBlock]:
        if not block:
            return
        if kind == "heading":
            yield _heading(block, size)
        else:
            yield PrintedBlock("\n".join(line.text for line in block), block[0].page, kind != "text")

    for index, line in enumerate(lines):
        found = _kind(line, size, lines[index - 1] if index else None, pitch)
        if (
            kind == "caption"
            and found in ("text", "note")
            and _follows(block[-1], line, pitch, 1.15)
            and line.size < _LARGER * size
        ):
            found = "caption" if abs(line.size - block[-1].size) < 0.05 * size else found
        goes_on = (
            bool(block)
            and found == kind
            and _follows(block[-1], line, pitch, _PARAGRAPH_GAP)
            and not _begins(line, block[-1], kind, edges, size)
        )
        if not goes_on:
            yield from finished()
            block = []
        kind = found
        block.append(line)
    yield from finished()


def _follows(before: Line, line: Line, pitch: float, gap: float) -> bool:
    """Say whether a line is directly below another in the same column."""
    near = 0 < before.base - line.base < gap * max(pitch, 1.2 * line.size)
    return near and (before.page, before.column) == (line.page, line.column)


def _begins(line: Line, before: Line, kind: str, edges: dict[tuple[int, int], float], size: float) -> bool:
    """Say whether a line starts a new block although it follows a line of the same kind."""
    if kind == "heading":
        return (
            abs(line.size - before.size) > 0.05 * size or line.bold != before.bold or _is_numbered(line.text)
        )
    if kind == "caption":
        return _CAPTION.match(line.text) is not None
    if kind != "text":
        return False
    edge = edges.get((line.page, line.column))
    return (
        edge is not None
        and _INDENT * size < line.left - edge < 4 * size
        and before.left - edge < _INDENT * size
    )


def _kind(line: Line, size: float, before: Line | None, pitch: float) -> str:
    if _CAPTION.match(line.text) and (
        before is None or not _follows(before, line, pitch, 1.15) or before.size != line.size
    ):
        return "caption"
    if _is_heading(line, size, before, pitch):
        return "heading"
    if line.cells >= _ROW:
        return "table"
    return "note" if line.size < _SMALLER * size else "text"


def _is_heading(line: Line, size: float, before: Line | None, pitch: float) -> bool:
    text = line.text
    if (
        len(text) > _LONGEST_HEADING
        or len(text.split()) > _MOST_WORDS
        or not any(one.isalpha() for one in text)
    ):
        return False
    if line.size < _SMALLER * size and not is_name_of_section(text):
        return False
    alone = before is None or not _follows(before, line, pitch, _PARAGRAPH_GAP)
    stands_out = line.bold or line.size > _LARGER * size
    if _is_numbered(text) or is_name_of_section(_unnumbered(text)):
        sentence = text.endswith((".", ",", ";")) and not is_name_of_section(_unnumbered(text))
        return not sentence and (
            stands_out or (alone and text.upper() == text) or (alone and is_name_of_section(text))
        )
    if (
        before is not None
        and stands_out
        and _follows(before, line, pitch, _PARAGRAPH_GAP)
        and _same_font(before, line)
    ):
        return _is_heading(before, size, None, pitch)
    return line.size > _LARGER * size and alone and not text.endswith((".", ",", ";"))


def _same_font(before: Line, line: Line) -> bool:
    return before.bold == line.bold and abs(before.size - line.size) < 0.02 * line.size


def _is_numbered(text: str) -> bool:
    return any(pattern.match(text) for pattern in (_NUMBERED, _ROMAN, _LETTERED))


def _unnumbered(text: str) -> str:
    found = _NUMBERED.match(text) or _ROMAN.match(text)
    return text[found.end() :] if found else text


def _heading(lines: Sequence[Line], size: float) -> PrintedHeading:
    text = " ".join(line.text for line in lines)
    if found := _NUMBERED.match(text):
        return PrintedHeading(text, found["number"].count(".") + 1)
    if found := _LETTERED.match(text):
        return PrintedHeading(text, found["tail"].count(".") + 1)
    return PrintedHeading(text, 1 if lines[0].size > _LARGER * size or is_name_of_section(text) else 2)
