"""The outline of a PDF: its title, headings and paragraphs in reading order.

Belongs here: joining lines to blocks. Not here: what a line is (pdf_headings.py, pdf_parts.py), sentences
(body.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from silverloom.ops.parse.papers.paper import is_rest
from silverloom.ops.parse.papers.pdf_headings import (
    is_numbered,
    level_of,
    mark_captions,
    mark_headings,
    with_run_in_headings,
)
from silverloom.ops.parse.papers.pdf_layout import Line
from silverloom.ops.parse.papers.pdf_lines import (
    ENTRY,
    FRONT,
    HEADING,
    INDENT,
    LARGER,
    LETTER,
    RUNNING_TEXT,
    SAME_PARAGRAPH,
    Marked,
    Style,
    style_of,
)
from silverloom.ops.parse.papers.pdf_parts import (
    is_mostly_lower,
    mark_bibliography,
    mark_drawings,
    mark_front,
    mark_holes,
    mark_notes,
)
from silverloom.ops.text.holes import HOLE, closed
from silverloom.ops.text.sentences import is_ended

#: A formula between two lines at most this far apart, in units of the usual distance, is no displayed one.
_INLINE = 2.2


class PrintedHeading(NamedTuple):
    """A heading, with its level from 1."""

    text: str
    level: int


class PrintedBlock(NamedTuple):
    """Lines of a page; `goes_on` if they are the rest of a paragraph that began in another column."""

    text: str
    page: int
    goes_on: bool = False


def outline(lines: list[Line]) -> tuple[str, list[PrintedHeading | PrintedBlock]]:
    """Return the title of a paper, and its headings and paragraphs in reading order."""
    style = style_of(lines)
    title, rest = _title(lines, style)
    paper = Marked(with_run_in_headings(rest, style), style)
    mark_captions(paper)
    mark_headings(paper)
    mark_front(paper)
    mark_bibliography(paper)
    mark_notes(paper)
    mark_drawings(paper)
    mark_holes(paper)
    return title, list(_blocks(paper))


def _title(lines: list[Line], style: Style) -> tuple[str, list[Line]]:
    """Return the title (the largest lines of the first page, above its text) and the remaining lines.

    Lines of other pages that have the title are running heads.
    """
    first = [line for line in lines if line.page == 1 and LETTER.search(line.text)]
    largest = max((line.size for line in first), default=0.0)
    if largest < LARGER * style.size:
        return "", lines
    title: list[Line] = []
    for line in first:
        if line.size > 0.97 * largest:
            title.append(line)
        elif title:
            break
    text, _ = closed(" ".join(line.text for line in title))
    head = _letters(text)
    rest = [line for line in lines if line not in set(title)]
    return text, [line for line in rest if line.page == 1 or _letters(line.text) != head]


def _letters(text: str) -> str:
    return "".join(LETTER.findall(text.casefold()))


def _blocks(paper: Marked) -> Iterator[PrintedHeading | PrintedBlock]:
    last: int | None = None  # the last line of running text in this section
    parts = paper.runs(len(paper.lines), lambda index: index in paper.inserted or _begins(paper, index))
    for run in parts if paper.lines else ():
        if run[0] in paper.inserted:
            last = None
            yield PrintedHeading(paper.inserted[run[0]], 1)
        kind, page = paper.kinds[run[0]], paper.lines[run[0]].page
        text = "\n".join(paper.lines[index].text for index in run if paper.lines[index].text)
        if kind == HEADING:
            last = None
            if paper.lines[run[0]].run_in:
                continue
            yield PrintedHeading(closed(paper.text(run))[0], level_of(paper, run))
        elif kind in RUNNING_TEXT:
            yield PrintedBlock(text, page, last is not None and _goes_on(paper, last, run[0]))
            last = run[-1]
        elif kind == FRONT and is_ended(text) and is_mostly_lower(text):  # no names, no running head
            yield PrintedBlock(text, page)


def _begins(paper: Marked, index: int) -> bool:
    """Say whether a line starts a new block."""
    kind, line, before = paper.kinds[index], paper.lines[index], paper.lines[index - 1]
    if kind != paper.kinds[index - 1] or paper.gap(index) > SAME_PARAGRAPH:
        return True
    if kind == HEADING:
        return not paper.same_look(index) or is_numbered(line.text)
    if line.run_in:
        return not before.run_in
    indent, indent_before = line.left - line.edges[0], before.left - line.edges[0]
    if kind not in RUNNING_TEXT:
        return False
    if paper.begins_item(index):
        return True
    if kind == ENTRY:
        return indent < indent_before - INDENT * line.size
    if line.left < before.left - INDENT * line.size and paper.is_short(index - 1):
        return True  # below a quotation
    indented = INDENT * line.size < indent < 4 * line.size and indent_before < INDENT * line.size
    return indented and paper.ends_paragraph(index - 1)


def _goes_on(paper: Marked, last: int, index: int) -> bool:
    """Say whether a paragraph goes on at the head of another column, or behind a line that is a formula."""
    before, line = paper.lines[last], paper.lines[index]
    if (before.page, before.column) == (line.page, line.column):
        near = before.base - line.base < _INLINE * paper.style.pitch
        return HOLE in before.text[-2:] and (near or is_rest(line.text, ""))
    if paper.is_item(index) or line.run_in:
        return False
    full = before.right > before.edges[1] - 1.5 * before.size
    if is_ended(before.text):
        return full and line.left - line.edges[0] < INDENT * line.size
    return not paper.is_short(last) or line.text[:1].islower() or HOLE in before.text[-2:]
