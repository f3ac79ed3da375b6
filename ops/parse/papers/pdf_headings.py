"""Headings and captions among the lines of a PDF, recognised by number, name, font and position.

Belongs here: what makes a line a heading, its level. Not here: front matter and bibliography (pdf_parts.py).

A numbered heading, or one with a usual name ("Related Work"), must be apart from the text around it by a gap
or its font. Other headings must look like these; or, in a paper without numbers, be larger, bold, slanted or
in capitals. None of them runs on in the line below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from silverloom.ops.parse.papers.pdf_layout import Line
from silverloom.ops.parse.papers.pdf_lines import (
    CAPTION,
    HEADING,
    LETTER,
    LONG_WORD,
    OUT,
    SAME_BLOCK,
    SAME_PARAGRAPH,
    TEXT,
    Marked,
    Style,
)
from silverloom.ops.parse.papers.plain import is_name_of_section
from silverloom.ops.parse.roles import ABSTRACT, ACKNOWLEDGMENTS, APPENDIX, CONCLUSION, REFERENCES, role_of
from silverloom.ops.parse.sentences_rules import is_equation
from silverloom.ops.text.sentences import is_ended

_LONGEST, _MOST_WORDS, _MOST_LINES, _LEAST_LETTERS = 160, 24, 3, 3
#: Longest heading without number or usual name, and longest numbered one with a full stop.
_FEW_WORDS, _FEWER_WORDS = 14, 12
#: Longest heading that runs in and ends with a full stop: in 12 papers, the two of six words are sentences.
#: Shortest slanted one without a sign behind it: shorter ones are names ("In vitro").
_MOST_TITLED, _LEAST_SLANTED = 5, 3
_NUMBERED = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})(?:[.:|]\s*|\s+[|:\u2013]?\s*)(?=[A-Z\"'(\[\u201c\u2018])"
    r"|(?P<deep>\d{1,2}(?:\.\d{1,2}){1,4})\.?\s+(?=[a-z])"
)
_ROMAN = re.compile(r"(?P<number>[IVX]{1,5})\.\s*(?=[A-Z])")
_ROMAN_NUMBERS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_LETTERED = re.compile(r"(?:Appendix\s+)?[A-H](?P<tail>(?:\.\d{1,2}){0,3})(?:[.:]\s*|\s+)(?=[A-Z])")
_FIRST = re.compile(r"(?:1|I)[.:]?\s")
_CAPTION = re.compile(
    r"(?:Figure|Fig|Table|Tab|Algorithm|Listing|Scheme|Box|Chart|Plate)s?\.?\s*"
    r"(?:[SA-H]?\.?\d{1,3}|[A-H]|[IVX]{1,5})[a-z]?(?:\s*[:.|\u2013\u2014]|\s*\Z|\s+(?=(?-i:[A-Z])))",
    re.I,
)
#: What follows a heading that runs in: a sentence, perhaps behind a sign in the font of the text, or behind a
#: name ("Theorem 1 (Composition). Let ...").
_RUN_IN_SIGN = re.compile(r"(?:\([^()]{1,80}\)\s?)?(?:[.:\u2014]\s*|[\u2013-]\s+)")
_RUN_IN = re.compile(r"[\"'\u201c\u2018]?[A-Z]")
#: The slanted numbers of headings of IEEE: "1) Data: We use ...".
_NUMBERED_AS_ITEM = re.compile(r"(?:\d{1,2}|[a-z])\)\s")
_LEADER = re.compile(r"(?:[.\u00b7\u2026]\s?){4,}\s?(?:\d{1,4}|[ivxlc]{1,7})\Z")
#: A paper with this many numbered headings numbers all but those that end it.
_NUMBERED_PAPER = 3
_UNNUMBERED = frozenset({ABSTRACT, REFERENCES, ACKNOWLEDGMENTS, APPENDIX, CONCLUSION})


def with_run_in_headings(lines: list[Line], style: Style) -> list[Line]:
    """Return lines in which the headings that run in ("Data. We use ...") are lines of their own."""
    paper = Marked(lines, style)
    apart: list[Line] = []
    for index, line in enumerate(lines):
        first = _run_in_start(paper, index) if line.parts else index + 1
        if first > index:
            apart.append(line)
            continue
        heading, rest = line.parts
        sign = _RUN_IN_SIGN.match(rest.text)
        end = sign.end() if sign else 0
        gap = " " * rest.text.startswith(("-", "\u2013", "("))
        heading = heading._replace(text=heading.text + gap + rest.text[:end].rstrip())
        begun = [before._replace(run_in=True) for before in lines[first:index]]
        apart[len(apart) - len(begun) :] = begun
        apart += heading._replace(run_in=True), rest._replace(text=rest.text[end:])
    return apart


def _run_in_start(paper: Marked, index: int) -> int:
    """Return the first line of a heading that ends inside a line, or the line below if there is none."""
    heading, rest = paper.lines[index].parts
    first = index
    look = heading.bold, heading.italic
    while (
        paper.gap(first) <= SAME_BLOCK
        and (paper.lines[first - 1].bold, paper.lines[first - 1].italic) == look
    ):
        first -= 1
    sign = _RUN_IN_SIGN.match(rest.text)
    text = paper.text(range(first, index)) + heading.text + (sign.group().rstrip()[-1] if sign else "")
    begins = first == 0 or paper.gap(first) > SAME_PARAGRAPH or paper.ends_paragraph(first - 1)
    signed = sign is not None or is_ended(text)
    words = len(text.split())
    if heading.bold:
        apart = words > 1 or paper.gap(first) > SAME_BLOCK
    else:
        apart = words >= _LEAST_SLANTED and text[0].isupper()
    heads = begins and (signed or apart) and _RUN_IN.match(rest.text, sign.end() if sign else 0)
    return first if heads and _may_run_in(paper, first, text, heading.bold) else index + 1


def _may_run_in(paper: Marked, first: int, text: str, bold: bool) -> bool:
    """Say whether a text in another font is the title of what is behind it, and no label or sentence."""
    words = len(text.split())
    if len(LETTER.findall(text)) < _LEAST_LETTERS or words > _MOST_WORDS:
        return False
    if is_numbered(text) or (not bold and _NUMBERED_AS_ITEM.match(text)):
        return True
    sentence = text.endswith(("?", "!")) or (text.endswith(".") and words > _MOST_TITLED)
    label = paper.is_item(first) or _CAPTION.match(paper.lines[first].text)
    return not (sentence or label or text[0].islower())


def mark_captions(paper: Marked) -> None:
    """Mark the captions of figures and tables, and the lines of a table of contents."""
    for index in range(len(paper.lines)):
        if _LEADER.search(paper.lines[index].text):
            paper.kinds[index] = OUT
            continue
        label = _CAPTION.match(paper.lines[index].text)
        if (label and _begins_caption(paper, index, label.group())) or _continues_caption(paper, index):
            paper.kinds[index] = CAPTION


def _begins_caption(paper: Marked, index: int, label: str) -> bool:
    """Say whether a line with a label is not one of running text ("... is shown in / Table 4.")."""
    signed = label.rstrip().endswith((".", ":", "|"))
    if paper.gap(index) < float("inf"):
        begins = signed and is_ended(paper.lines[index - 1].text)
        return begins or paper.gap(index) > SAME_BLOCK or not paper.same_look(index)
    line, style = paper.lines[index], paper.style
    plain = abs(line.size - style.size) < 0.05 * style.size and line.font == style.font
    goes_on = index > 0 and paper.kinds[index - 1] == TEXT and not is_ended(paper.lines[index - 1].text)
    return not (goes_on and plain and not label.rstrip().endswith((":", "|")))


def _continues_caption(paper: Marked, index: int) -> bool:
    if not index or paper.kinds[index - 1] != CAPTION or paper.gap(index) >= SAME_BLOCK:
        return False
    before, line = paper.lines[index - 1], paper.lines[index]
    ended = before.text.endswith(".") and before.right < before.edges[1] - 4 * before.size
    return line.cells <= 2 and abs(line.size - before.size) < 0.05 * paper.style.size and not ended


def mark_headings(paper: Marked) -> None:
    """Mark headings."""
    runs = list(paper.runs(len(paper.lines), lambda index: _parts(paper, index)))
    runs = [run for run in runs if _may_be_heading(paper, run)]
    strong = {run[0] for run in runs if _is_strong(paper, run)}
    strong |= set(_next_in_number(paper, runs, strong))
    numbered = {index for index in strong if is_numbered(paper.lines[index].text)}
    if len(numbered) < _NUMBERED_PAPER:
        headings = [run for run in runs if run[0] in strong or _stands_out(paper, run, strong)]
    else:
        looks = {paper.look(index) for index in numbered}
        alike = [run for run in runs if paper.look(run[0]) in looks or _is_unnumbered(paper, run)]
        headings = [run for run in runs if run[0] in numbered]
        headings += [run for run in alike if run[0] in strong or _stands_out(paper, run, strong)]
    for run in headings:
        paper.mark(run, HEADING)


def _parts(paper: Marked, index: int) -> bool:
    """Say whether a line cannot belong to the heading above it."""
    return (
        paper.kinds[index] == CAPTION
        or paper.gap(index) > SAME_BLOCK
        or not paper.same_look(index)
        or (is_numbered(paper.lines[index].text) and paper.differs(index))
    )


def _may_be_heading(paper: Marked, run: range) -> bool:
    text = paper.text(run)
    named = is_name_of_section(_unnumbered(text))
    after = run[-1] + 1
    return (
        paper.kinds[run[0]] == TEXT
        and len(run) <= _MOST_LINES
        and len(text) <= _LONGEST
        and len(text.split()) <= _MOST_WORDS
        and len(LETTER.findall(text)) >= _LEAST_LETTERS
        and not (text[0].islower() and not is_numbered(text))
        and not text.endswith((",", ";", ":", "-"))
        and not any(paper.lines[index].run_in for index in range(max(0, run[0] - 1), run.stop))
        and (not text.endswith(".") or named or _is_short_title(paper, run))
        and not (paper.gap(after) <= SAME_PARAGRAPH and paper.lines[after].text[:1].islower() and not named)
        and max(paper.lines[index].cells for index in run) <= 2
        and "@" not in text
        and "://" not in text
        and not is_equation(text, lambda word: LONG_WORD.fullmatch(word) is not None)
        and (not paper.is_smaller(run[0]) or named)
    )


def _is_short_title(paper: Marked, run: range) -> bool:
    text = paper.text(run)
    return is_numbered(text) and len(text.split()) <= _FEWER_WORDS and paper.differs(run[0])


def _is_strong(paper: Marked, run: range) -> bool:
    """Say whether a run is numbered or has a usual name, and is apart from the text around it."""
    text, first = paper.text(run), run[0]
    alone, differs = paper.gap(first) > SAME_BLOCK, paper.differs(first)
    if is_name_of_section(_unnumbered(text)):
        return differs or (alone and (paper.gap(run[-1] + 1) > SAME_BLOCK or text.isupper()))
    if is_numbered(text):
        return (alone and (differs or text.upper() == text)) or (differs and paper.lines[first].bold)
    return False


def _next_in_number(paper: Marked, runs: list[range], strong: set[int]) -> Iterator[int]:
    """Yield the lines apart from the text around them that have the number after that of the last heading."""
    last: list[int] = []
    for run in runs:
        parts = _number(paper.text(run), last)
        after, depth = run[-1] + 1, len(parts) - 1
        follows = parts and [*last, 0][: depth + 1] == [*parts[:-1], parts[-1] - 1]
        if run[0] in strong:
            last = parts or last
        elif follows and min(paper.gap(run[0]), paper.gap(after)) > SAME_BLOCK and _is_line(paper, run):
            last = parts
            yield run[0]


def _number(text: str, last: list[int]) -> list[int]:
    """Return the number of a section, [2, 1] for "2.1"; a letter is a part of the last section."""
    if number := _NUMBERED.match(text):
        return [int(part) for part in (number["number"] or number["deep"]).split(".")]
    if number := _ROMAN.match(text):
        return [_ROMAN_NUMBERS.index(number["number"]) + 1] if number["number"] in _ROMAN_NUMBERS else []
    letter = _LETTERED.match(text)
    return [*last[:1], "ABCDEFGH".index(text[0]) + 1] if letter and text[1] == "." and last else []


def _is_line(paper: Marked, run: range) -> bool:
    text = paper.text(run)
    short = len(run) == 1 and len(text.split()) <= _FEWER_WORDS and not text.endswith(".")
    return short and paper.is_prose(run[-1] + 1, most_cells=1)


def _stands_out(paper: Marked, run: range, strong: set[int]) -> bool:
    """Say whether a run without number or usual name looks like a heading, and has text below it."""
    line, text, after = paper.lines[run[0]], paper.text(run), run[-1] + 1
    if after not in strong and not paper.is_prose(after, most_cells=1):
        return False
    if len(text.split()) > _FEW_WORDS or (line.cells > 1 and not is_numbered(text)):
        return False
    if paper.gap(run[0]) <= SAME_BLOCK and not (line.bold and paper.ends_paragraph(run[0] - 1)):
        return False
    slanted = line.italic and len(run) == 1 and not text.endswith(".")
    return paper.is_larger(run[0]) or paper.is_bolder(run[0]) or text.isupper() or slanted


def _is_unnumbered(paper: Marked, run: range) -> bool:
    """Say whether a run is a heading that papers with numbered sections print without a number."""
    return is_name_of_section(paper.text(run)) and role_of(paper.text(run)) in _UNNUMBERED


def is_numbered(text: str) -> bool:
    """Say whether a line begins with the number of a section."""
    return any(pattern.match(text) for pattern in (_NUMBERED, _ROMAN, _LETTERED))


def is_first(text: str) -> bool:
    """Say whether a heading has the number of the first section."""
    return _FIRST.match(text) is not None and is_numbered(text)


def level_of(paper: Marked, run: range) -> int:
    """Return the level of a heading, from 1."""
    text = paper.text(run)
    if number := _NUMBERED.match(text):
        return (number["number"] or number["deep"]).count(".") + 1
    if letter := _LETTERED.match(text):
        return letter["tail"].count(".") + 1
    return 1 if paper.is_larger(run[0]) or is_name_of_section(text) else 2


def _unnumbered(text: str) -> str:
    number = _NUMBERED.match(text) or _ROMAN.match(text)
    return text[number.end() :] if number else text
