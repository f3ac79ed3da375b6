"""The lines of a PDF, what each of them is, and how they compare with running text.

Belongs here: the measures that the rules for headings, front matter and drawings share. Not here: these rules
(pdf_headings.py, pdf_parts.py), finding the lines (pdf_layout.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from silverloom.ops.parse.papers.pdf_layout import Line
from silverloom.ops.parse.papers.pdf_page import is_math_font
from silverloom.ops.text.sentences import is_ended

#: What a line is. Front matter is around the abstract, an entry in the bibliography. Captions, notes,
#: displayed formulas, and `OUT` (rows of tables, words of drawings) are no running text.
TEXT, HEADING, FRONT, ABSTRACT, ENTRY = "text", "heading", "front", "abstract", "entry"
CAPTION, NOTE, FORMULA, OUT = "caption", "note", "formula", "out"
RUNNING_TEXT = (TEXT, ABSTRACT, ENTRY)

#: Factors of the size of running text: larger lines are headings, smaller ones notes or captions.
LARGER, SMALLER = 1.08, 0.93
#: Gaps of this many line heights separate lines of a block, and paragraphs.
SAME_BLOCK, SAME_PARAGRAPH = 1.2, 1.35
INDENT = 0.7
_PROSE_LETTERS, _PROSE_WIDTH = 15, 0.45
LETTER, LONG_WORD = re.compile(r"[^\W\d_]"), re.compile(r"[^\W\d_]{4,}")
_BULLET = re.compile(r"[\u2022\u25aa\u25e6\u2023\u25a0\u25cf]\s")
_ITEM = re.compile(
    r"(?:[\u2022\u25aa\u25e6\u2023\u25a0\u25cf*\u2013-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s"
)
_ENTRY = re.compile(r"\[\d{1,3}\]\s")


class Style(NamedTuple):
    """The running text of a document: size, font, weight, and distance of lines."""

    size: float
    font: str
    bold: bool
    pitch: float


def style_of(lines: list[Line]) -> Style:
    """Return the style of most letters, and the usual distance of lines."""
    looks: Counter[tuple[float, str, bool]] = Counter()
    for line in lines:
        looks[round(line.size, 1), line.font, line.bold] += len(line.text)
    size, font, bold = looks.most_common(1)[0][0] if looks else (1.0, "", False)
    steps = [
        before.base - line.base
        for before, line in pairwise(lines)
        if (before.page, before.column) == (line.page, line.column) and 0 < before.base - line.base < 3 * size
    ]
    return Style(size, font, bold, median(steps) if steps else 1.2 * size)


class Marked:
    """The lines of a paper in reading order, each with its kind."""

    def __init__(self, lines: list[Line], style: Style) -> None:
        self.lines, self.style = lines, style
        self.kinds = [TEXT] * len(lines)
        self.inserted: dict[int, str] = {}
        """Titles of sections that begin before a line, and are not printed on a line of their own."""

    def mark(self, run: range, kind: str) -> None:
        """Set the kind of several lines."""
        for index in run:
            self.kinds[index] = kind

    def set_text(self, index: int, text: str) -> None:
        """Replace the text of a line."""
        self.lines[index] = self.lines[index]._replace(text=text)

    def text(self, run: range) -> str:
        """Return the text of several lines."""
        return " ".join(self.lines[index].text for index in run)

    def gap(self, index: int) -> float:
        """Return the distance to the line above in units of the usual one; a new column is far."""
        if not 0 < index < len(self.lines):
            return float("inf")
        before, line = self.lines[index - 1], self.lines[index]
        step = before.base - line.base
        if step <= 0 or (before.page, before.column) != (line.page, line.column):
            return float("inf")
        return step / max(self.style.pitch, 1.15 * line.size)

    def same_column(self, index: int, other: int) -> bool:
        """Say whether two lines are in one column."""
        line, second = self.lines[index], self.lines[other]
        return (line.page, line.column) == (second.page, second.column)

    def runs(self, end: int, parts: Callable[[int], bool]) -> Iterator[range]:
        """Yield the lines before `end` in runs; `parts` says whether a line begins a new one."""
        first = 0
        for index in range(1, end + 1):
            if index == end or parts(index):
                yield range(first, index)
                first = index

    def look(self, index: int) -> tuple[float, bool, bool]:
        """Return size, weight and slant of a line."""
        line = self.lines[index]
        return round(line.size * 4 / self.style.size), line.bold, line.italic

    def same_look(self, index: int) -> bool:
        """Say whether a line has the size, weight and slant of the one above it."""
        return index > 0 and self.look(index) == self.look(index - 1)

    def is_larger(self, index: int) -> bool:
        """Say whether a line is larger than running text."""
        return self.lines[index].size > LARGER * self.style.size

    def is_smaller(self, index: int) -> bool:
        """Say whether a line is smaller than running text."""
        return self.lines[index].size < SMALLER * self.style.size

    def is_bolder(self, index: int) -> bool:
        """Say whether a line is bold, and running text is not."""
        return self.lines[index].bold and not self.style.bold

    def differs(self, index: int) -> bool:
        """Say whether a line is larger, bolder or more slanted than running text, or in another font."""
        line = self.lines[index]
        other = line.font != self.style.font and not is_math_font(line.font) and not self.is_smaller(index)
        return self.is_larger(index) or self.is_bolder(index) or line.italic or other

    def is_prose(self, index: int, most_cells: int = 2) -> bool:
        """Say whether a line is as long as one of running text."""
        if index >= len(self.lines):
            return False
        line = self.lines[index]
        wide = line.right - line.left >= _PROSE_WIDTH * (line.edges[1] - line.edges[0])
        return wide and line.cells <= most_cells and len(LETTER.findall(line.text)) >= _PROSE_LETTERS

    def is_item(self, index: int) -> bool:
        """Say whether a line has the number or bullet of a list, or that of an entry of the bibliography."""
        text = self.lines[index].text
        return bool(_ITEM.match(text) or (self.kinds[index] == ENTRY and _ENTRY.match(text)))

    def begins_item(self, index: int) -> bool:
        """Say whether a line is the first one of an item, and its number is not that of a sentence above."""
        line, above = self.lines[index], self.lines[index - 1].text
        indented = line.left - line.edges[0] > 0.3 * line.size
        listed = indented and (_BULLET.match(line.text) or above.endswith((",", " and", " or")))
        return self.is_item(index) and bool(listed or self.ends_paragraph(index - 1))

    def ends_paragraph(self, index: int) -> bool:
        """Say whether a line may be the last one of a paragraph."""
        return is_ended(self.lines[index].text) or self.is_short(index)

    def is_short(self, index: int) -> bool:
        """Say whether a line ends before the right edge of its column."""
        line = self.lines[index]
        return line.right < line.edges[1] - 2 * line.size
