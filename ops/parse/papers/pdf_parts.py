"""Parts of a PDF that are no running text, or that no heading announces.

Belongs here: front matter and abstract, the bibliography, and notes, displayed formulas, program code, rows
of tables and words of drawings, which are left out as captions are, and as in JATS and TEI. Not here:
headings and captions (pdf_headings.py).
"""

from __future__ import annotations

import re

from silverloom.ops.parse.papers.paper import is_rest
from silverloom.ops.parse.papers.pdf_headings import is_first
from silverloom.ops.parse.papers.pdf_layout import Line
from silverloom.ops.parse.papers.pdf_lines import (
    ABSTRACT,
    CAPTION,
    ENTRY,
    FORMULA,
    FRONT,
    HEADING,
    LONG_WORD,
    NOTE,
    OUT,
    RUNNING_TEXT,
    SAME_BLOCK,
    SAME_PARAGRAPH,
    TEXT,
    Marked,
)
from silverloom.ops.parse.papers.pdf_page import is_math_font
from silverloom.ops.parse.roles import APPENDIX, INTRODUCTION, OTHER, REFERENCES, role_of
from silverloom.ops.text.holes import HOLE
from silverloom.ops.text.sentences import is_ended

_LABEL = re.compile(
    r"(?:A ?b ?s ?t ?r ?a ?c ?t|A ?B ?S ?T ?R ?A ?C ?T)\b\s*(?:[.:|\u2013\u2014-]+\s*)?"
    r"|(?i:abstract|summary)\s*\Z"
)
#: What is printed around an abstract and is no part of it.
_FRONT_LABEL = re.compile(
    r"(?:additional )?key ?-?words\b|index terms\b|ccs concepts|categories and subject|general terms|"
    r"acm reference format|author keywords|pacs\b|msc\b|jel\b|article (?:history|info)|received:?\s|"
    r"\*? ?correspond(?:ing|ence)\b|e-?mails?\b|doi\b|issn\b|permission to make|\u00a9|copyright\b|"
    # Cover sheets of repositories.
    r"this is (?:the|an?) (?:author|accepted|peer|post-?print|pre-?print)|citation for published|"
    r"general rights|take ?down policy|users may download|if you believe that this|hal is a multi|jstor is a|"
    r"(?:the )?version of record|downloaded from|available from",
    re.I,
)
_ABSTRACT_WORDS = 40
#: The last page on which the first section may begin, behind title pages.
_LAST_FRONT_PAGE = 3
_ENTRY = re.compile(r"\[?(?P<number>\d{1,3})[\].]\s*[A-Z]")
_LEAST_ENTRIES = 5
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
#: Fonts of program code.
_CODE_FONT = re.compile(r"Mono|NimbusMon|Courier|Typewriter|CMTT|SFTT|Consol", re.I)
#: A line with so many long words is no row of a table.
_LEAST_WORDS = 6
_OPERATOR = re.compile(f"[=<>+|\u2190-\u22ff\u27e8\u27e9\U0001d400-\U0001d7ff{HOLE}]")
_FINAL = re.compile(r"([.,;])\s*\Z")
_ENDED = re.compile(r"[.!?][\"')\]\u2019\u201d]*\Z")
_EQUATION_NUMBER = re.compile(r"\((?:[A-H]\.?)?\d{1,3}(?:\.\d{1,2})?[a-z]?\)\Z")


def mark_front(paper: Marked) -> None:
    """Part title pages and authors from the abstract and the first section; keywords are left out.

    Of what is parted, only sentences are read: names, addresses and the head of the page are none.
    """
    body = _first_section(paper)
    if body is None or paper.lines[body].page > _LAST_FRONT_PAGE:
        for index in range(_first_paragraph(paper, len(paper.lines)) or 0):
            if paper.kinds[index] == TEXT:
                paper.kinds[index] = FRONT
        return
    abstract = _abstract(paper, body)
    for index in range(body):
        if index in abstract:
            paper.kinds[index] = ABSTRACT
        elif paper.kinds[index] in (HEADING, TEXT):
            paper.kinds[index] = OUT if abstract and index >= abstract.stop else FRONT
    if abstract:
        paper.inserted[abstract.start] = "Abstract"


def _first_section(paper: Marked) -> int | None:
    """Return the heading of the first section behind the abstract."""
    roles = {
        index: INTRODUCTION if is_first(line.text) else role_of(line.text)
        for index, line in enumerate(paper.lines)
        if paper.kinds[index] == HEADING and not _LABEL.match(line.text)
    }
    first = [index for index, role in roles.items() if role == INTRODUCTION]
    first = first or [index for index, role in roles.items() if role != OTHER]
    # An abstract may have the headings of the paper: "Background", "Results".
    inside = len(first) > 1 and roles[first[0]] in [roles[index] for index in first[1:]]
    if inside and _LABEL.match(paper.lines[first[0] - 1].text):
        return next(index for index in first[1:] if roles[index] == roles[first[0]])
    return first[0] if first else None


def _abstract(paper: Marked, body: int) -> range:
    """Return the lines of the abstract, which is before line `body`, without its label."""
    first = _labelled_abstract(paper, body)
    if first is None:
        first = _first_paragraph(paper, body) or body
    labels = (index for index in range(first + 1, body) if _FRONT_LABEL.match(paper.lines[index].text))
    return range(first, next(labels, body))


def _first_paragraph(paper: Marked, end: int) -> int | None:
    """Return the first line of the first paragraph before line `end` that is no list of names."""
    runs = paper.runs(end, lambda index: paper.gap(index) > SAME_PARAGRAPH or not paper.same_look(index))
    return next((run[0] for run in runs if _is_paragraph(paper.text(run))), None)


def _labelled_abstract(paper: Marked, body: int) -> int | None:
    """Return the first line behind the label of an abstract; the label itself is taken out."""
    for index in range(body):
        line = paper.lines[index]
        label = _LABEL.match(line.text)
        if label and (paper.gap(index) > SAME_BLOCK or not paper.same_look(index) or paper.differs(index)):
            paper.set_text(index, line.text[label.end() :])
            if paper.lines[index].text:
                return index
            paper.kinds[index] = OUT
            return index + 1
    return None


def _is_paragraph(text: str) -> bool:
    """Say whether a text is as long as an abstract, and no list of names."""
    long = len(text.split()) >= _ABSTRACT_WORDS
    return long and is_mostly_lower(text) and not _FRONT_LABEL.match(text)


def is_mostly_lower(text: str) -> bool:
    """Say whether more than half of the words begin in lower case, as those of names do not."""
    words = text.split()
    return sum(word[0].islower() for word in words) > len(words) / 2


def mark_bibliography(paper: Marked) -> None:
    """Mark all that follows the heading of the bibliography, to the next heading that looks like it.

    If there is no such heading, the bibliography begins with the first of five numbered entries in a row.
    """
    headings = [index for index, kind in enumerate(paper.kinds) if kind == HEADING]
    heading = next((index for index in headings if role_of(paper.lines[index].text) == REFERENCES), None)
    start = _first_entry(paper) if heading is None else heading + 1
    if start is None:
        return
    if heading is None:
        paper.inserted[start] = "References"
    for index in range(start, len(paper.lines)):
        if paper.kinds[index] == HEADING:
            alike = heading is not None and paper.look(index) == paper.look(heading)
            if alike or role_of(paper.lines[index].text) == APPENDIX:
                break
        if paper.kinds[index] != CAPTION:
            paper.kinds[index] = ENTRY


def _first_entry(paper: Marked) -> int | None:
    """Return the first of several numbered entries in the second half of a paper; each has a year."""
    first, number, year = None, 0, True
    for index in range(len(paper.lines) // 2, len(paper.lines)):
        entry = _ENTRY.match(paper.lines[index].text)
        if entry and int(entry["number"]) == 1:
            first, number, year = index, 1, False
        elif entry and year and int(entry["number"]) == number + 1:
            number, year = number + 1, False
        if number == _LEAST_ENTRIES:
            return first
        year = year or _YEAR.search(paper.lines[index].text) is not None
    return None


def mark_drawings(paper: Marked) -> None:
    """Mark headings that run in, displayed formulas, rows of tables, words of drawings, and small print at
    captions."""
    for index, line in enumerate(paper.lines):
        if paper.kinds[index] not in (TEXT, ABSTRACT):
            continue
        if line.run_in:
            paper.kinds[index] = HEADING
        elif _is_formula(paper, index):
            paper.kinds[index] = FORMULA
    blocks = list(paper.runs(len(paper.lines), lambda index: _begins_block(paper, index)))
    for block in [*blocks, *blocks]:  # what is next to a table may be its head
        if paper.kinds[block[0]] != TEXT:
            continue
        if not _is_running_text(paper, block):
            paper.mark(block, OUT)
        elif paper.is_smaller(block[0]) and _is_near_caption(paper, block):
            paper.mark(block, CAPTION)


def _begins_block(paper: Marked, index: int) -> bool:
    step = abs(paper.lines[index].size - paper.lines[index - 1].size)
    other = paper.kinds[index] != paper.kinds[index - 1]
    return other or paper.gap(index) > SAME_PARAGRAPH or step > 0.08 * paper.style.size


def _is_formula(paper: Marked, index: int) -> bool:
    """Say whether a line is a displayed formula, or a part of one: signs and hardly any words."""
    line = paper.lines[index]
    words = len(LONG_WORD.findall(line.text))
    if line.cells > 1 and _EQUATION_NUMBER.search(line.text) and _OPERATOR.search(line.text):
        return True
    signs = is_math_font(line.font) or _OPERATOR.search(line.text)
    other = _CODE_FONT.search(line.font) or (index > 0 and paper.lines[index - 1].run_in)
    if words > 2 or other or not signs:
        return False
    if paper.gap(index) > SAME_PARAGRAPH and not words:
        return True
    before = paper.lines[index - 1]
    below = index > 0 and paper.kinds[index - 1] in RUNNING_TEXT and paper.gap(index) <= SAME_BLOCK
    aligned = below and abs(line.left - before.left) < line.size
    return line.left > line.edges[0] + line.size and not aligned


def _is_running_text(paper: Marked, block: range) -> bool:
    """Say whether a block is running text, rather than the words of a drawing or the rows of a table."""
    lines, text = [paper.lines[index] for index in block], paper.text(block)
    if all(_CODE_FONT.search(line.font) for line in lines) and not _CODE_FONT.search(paper.style.font):
        return False
    if _are_rows(paper, block) or (len(block) == 1 and paper.is_bolder(block[0]) and not is_ended(text)):
        return False
    if any(map(paper.is_prose, block)):
        return True
    plain = all(line.font == paper.style.font for line in lines) and not any(map(paper.is_smaller, block))
    if plain and paper.gap(block[0]) == float("inf") and text[0].islower():
        before = _text_beside(paper, range(block[0] - 1, -1, -1))
        if before is not None and not is_ended(paper.lines[before].text):
            return True  # the end of a sentence from another column
    short = len(text.split()) <= 3
    return (is_ended(text) or (plain and not short)) and not _is_near_caption(paper, block)


def _are_rows(paper: Marked, block: range) -> bool:
    """Say whether half of the lines have cells; fewer are enough in a few lines that are no sentence."""
    rows = [index for index in block if paper.lines[index].cells > 1]
    rows = [index for index in rows if not (paper.is_item(index) and paper.is_prose(index))]
    if len(block) == 1:
        heads = 1 if _is_near_caption(paper, block) and not is_ended(paper.text(block)) else 2
        return paper.lines[block[0]].cells > heads
    few = len(block) <= 3 and not is_ended(paper.text(block))
    few = few and not any(len(LONG_WORD.findall(paper.lines[index].text)) >= _LEAST_WORDS for index in block)
    return len(rows) >= len(block) / 2 or (few and bool(rows))


def _is_near_caption(paper: Marked, block: range) -> bool:
    around = paper.kinds[max(0, block.start - 1) : block.start] + paper.kinds[block.stop : block.stop + 1]
    return CAPTION in around or OUT in around


def mark_notes(paper: Marked) -> None:
    """Mark the small lines at the foot of a page, below lines of the usual size."""
    usual: dict[int, list[Line]] = {}
    for index, line in enumerate(paper.lines):
        if paper.kinds[index] == TEXT and not paper.is_smaller(index):
            usual.setdefault(line.page, []).append(line)
    for index, line in enumerate(paper.lines):
        if paper.kinds[index] != TEXT or not paper.is_smaller(index):
            continue
        over = [
            other.base > line.base
            for other in usual.get(line.page, ())
            if other.left < line.right and other.right > line.left
        ]
        if over and all(over):
            paper.kinds[index] = NOTE


def mark_holes(paper: Marked) -> None:
    """Leave a hole where a displayed formula is part of a sentence, with the formula's final punctuation."""
    kinds = [OUT if kind == FORMULA else kind for kind in paper.kinds]
    for run in paper.runs(len(kinds), lambda index: kinds[index] != kinds[index - 1]):
        if FORMULA not in paper.kinds[run.start : run.stop] or not _is_amid_text(paper, run):
            continue
        before = _text_beside(paper, range(run.start - 1, -1, -1))
        after = _text_beside(paper, range(run.stop, len(kinds)))
        goes_on = after is not None and is_rest(paper.lines[after].text, "")
        if before is not None and not _ENDED.search(text := paper.lines[before].text):
            final = _FINAL.search(_EQUATION_NUMBER.sub("", paper.lines[run.stop - 1].text))
            ends = final and not goes_on and not text.endswith((":", ";", ","))
            paper.set_text(before, f"{text} {HOLE}{final[1] if final and ends else ''}")
        elif after is not None and goes_on:
            paper.set_text(after, f"{HOLE} {paper.lines[after].text}")


def _is_amid_text(paper: Marked, run: range) -> bool:
    """Say whether lines are in a column below or above running text, and not at a caption."""
    pairs = [(run.start, run.start - 1), (run.stop - 1, run.stop)]
    pairs = [(line, beside) for line, beside in pairs if 0 <= beside < len(paper.lines)]
    return CAPTION not in [paper.kinds[beside] for _, beside in pairs] and any(
        paper.kinds[beside] in RUNNING_TEXT and paper.same_column(line, beside) for line, beside in pairs
    )


def _text_beside(paper: Marked, indices: range) -> int | None:
    """Return the first line of these that is no float and no note, if it is running text."""
    floats = (FORMULA, OUT, CAPTION, NOTE)
    index = next((index for index in indices if paper.kinds[index] not in floats), None)
    return index if index is not None and paper.kinds[index] in RUNNING_TEXT else None
