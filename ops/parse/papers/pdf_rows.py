"""The rows of a PDF page: segments on one baseline, and their text.

Belongs here: which segments are one row, and the signs of notes, exponents and formulas in it. Not here:
columns and lines (pdf_layout.py), glyphs (pdf_page.py).

Raised numbers behind a word or a full stop are marks of notes or citations, and are left out. Small signs
above or below a line, like the parts of a fraction, leave a hole in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from silverloom.ops.parse.papers.pdf_page import PRIME, Segment, is_math_font
from silverloom.ops.text.holes import HOLE

#: Letters and words in a line of running text, which no cell of a usual table has.
_LEAST_LETTERS, _LEAST_WORDS = 18, 3
_RAISED, _SMALLER = 0.15, 0.85
#: Neighbours overlap by at most this many font sizes, like the letters of the logo of LaTeX.
_OVERLAP = 0.4
#: Signs of a formula are at most this many font sizes above or below the line that they belong to.
_SIGNS = 0.9
#: The parts of a fraction are centred; a gap is before it.
_CENTRED, _TOUCHING = 0.15, 0.1
#: The large signs of TeX hang this many font sizes below their base.
_HANGING = 0.6
#: Small signs this many font sizes above or below the line are no small capitals.
_SHIFTED = 0.1
#: Small signs that are written plainly: one sign, numbers, raised endings ("5th"), the marks of affiliations.
_PLAIN = re.compile(
    r"[\W_]*\w?[\W_]*|[\W\d_]+|(?:st|nd|rd|th|er|re|TM|SM)[\W_]*|(?:[a-z\d]|\W)(?:,(?:[a-z\d]|\W))+"
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_MARK = re.compile(r"[\d,;\s\u2013\-*\u2217\u2020\u2021\u00a7\u00b6]+|[a-z]")
#: A number that a raised number is an exponent of, and a variable that anything raised is an exponent of.
_BASE = re.compile(r"(?<![\w.])(?:10|\d)\Z")
_VARIABLE = re.compile(r"(?<![\w^])[^\W\d_]\Z")
#: What a mark follows: a word, a year, or closing punctuation; but neither a unit nor a variable.
_MARKED = re.compile(
    r"(?:(?<!\w)(?!(?:[cdkmn\u00b5\u03bc]?m|ft|in)\Z)[^\W\d_]{2,}|[^\W\d_]{4,}|\d|[.,;:!?)\]\"'\u2019\u201d])\Z"
)


def is_prose(text: str) -> bool:
    """Say whether a text is as long as a line of running text."""
    return sum(map(str.isalpha, text)) >= _LEAST_LETTERS and len(text.split()) >= _LEAST_WORDS


def is_word(segment: Segment) -> bool:
    """Say whether a segment has letters, and not those of a formula."""
    return any(map(str.isalpha, segment.text)) and not is_math_font(segment.font)


def rows_of(segments: Iterable[Segment]) -> list[list[Segment]]:
    """Return segments by baseline from top to bottom, and in each row from left to right."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda segment: (-segment.base, segment.left)):
        if rows and _is_beside(rows[-1], segment):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [sorted(row, key=attrgetter("left")) for row in rows]


def _is_beside(row: Sequence[Segment], segment: Segment) -> bool:
    largest = max(row, key=attrgetter("size"))
    size = max(largest.size, segment.size)
    step = 0.5 if min(segment.size, largest.size) > _SMALLER * size else 0.6
    return abs(largest.base - segment.base) < step * size and all(
        segment.left >= other.right - (1.0 if other.base == segment.base else _OVERLAP) * size
        or segment.right <= other.left + _OVERLAP * size
        or max(segment.size, other.size) < _SMALLER * size
        for other in row
    )


def with_holes(rows: Sequence[list[Segment]]) -> list[list[Segment]]:
    """Leave out rows of small signs above or below a line of running text, which gets a hole for each."""
    lines: list[list[Segment]] = [list(row) for row in rows]
    for index, row in enumerate(rows):
        around = [other for other in (index - 1, index + 1) if 0 <= other < len(rows)]
        near = [other for other in around if _are_signs_at(row, rows[other])]
        if any(is_prose(joined(rows[other], main_of(rows[other]))) for other in near):
            height = _height(row)
            nearest = min(near, key=lambda other: abs(main_of(rows[other]).base - height))
            lines[index] = []
            for sign in row:
                _leave_hole(lines[nearest], sign)
    return [_without_fractions(line) for line in lines if line]


def _without_fractions(row: list[Segment]) -> list[Segment]:
    """Put a hole in place of small signs that are centred over others, and of an index of letters."""
    main = main_of(row)
    segments: list[Segment] = []
    for small, signs in groupby(row, lambda segment: segment.size < _SMALLER * main.size):
        run = list(signs)
        touching = bool(segments) and run[0].left - segments[-1].right < _TOUCHING * main.size
        if small and (_is_long_index(run, segments, main) if touching else _is_fraction(run, main)):
            space = " " * run[-1].text.endswith(" ")
            right = max(sign.right for sign in run)
            run = [main._replace(text=HOLE + space, left=run[0].left, right=right)]
        segments += run
    return segments


def _is_fraction(signs: Sequence[Segment], main: Segment) -> bool:
    over = [sign for sign in signs if sign.base > main.base]
    under = [sign for sign in signs if sign.base < main.base]
    return bool(over and under) and abs(_centre(over) - _centre(under)) < _CENTRED * main.size


def _is_long_index(signs: Sequence[Segment], before: Sequence[Segment], main: Segment) -> bool:
    """Say whether signs would read as a word or sum in the line, or are both raised and lowered."""
    over = [sign for sign in signs if sign.base > main.base + _SHIFTED * main.size]
    under = [sign for sign in signs if sign.base < main.base - _SHIFTED * main.size]
    if over and not under and _is_power(joined(before, main), over[0], before[-1]):
        over = []
    texts = ["".join(sign.text for sign in side).replace(" ", "") for side in (over, under)]
    return all(texts) or any(_PLAIN.fullmatch(text) is None for text in texts)


def _centre(signs: Sequence[Segment]) -> float:
    return (signs[0].left + max(sign.right for sign in signs)) / 2


def _are_signs_at(row: Sequence[Segment], line: Sequence[Segment]) -> bool:
    main = main_of(line)
    small = all(sign.size < _SMALLER * main.size or not sign.text.strip(f"{HOLE} ") for sign in row)
    return (
        small
        and not any(_WORD.search(sign.text) for sign in row)
        and abs(_height(row) - main.base) < _SIGNS * main.size
        and line[0].left - main.size < row[0].left
        and row[-1].left < max(segment.right for segment in line) + main.size
    )


def _height(row: Sequence[Segment]) -> float:
    """Return the height of small signs; the large signs of TeX hang from their base."""
    hanging = [sign for sign in row if HOLE in sign.text]
    return min((sign.base - _HANGING * sign.size for sign in hanging), default=main_of(row).base)


def _leave_hole(line: list[Segment], sign: Segment) -> None:
    """Put a hole where a sign is, or in the nearest space of the segment that is there."""
    centre = (sign.left + sign.right) / 2
    for index, segment in enumerate(line):
        if segment.left < centre < segment.right:
            place = (centre - segment.left) / (segment.right - segment.left) * len(segment.text)
            spaces = [space for space, letter in enumerate(segment.text) if letter == " "]
            nearest = min(spaces, key=lambda space: abs(space - place), default=len(segment.text))
            text = f"{segment.text[:nearest]} {HOLE}{segment.text[nearest:]}"
            line[index] = segment._replace(text=text)
            return
    main = main_of(line)
    line.append(main._replace(text=HOLE, left=sign.left, right=sign.right))
    line.sort(key=attrgetter("left"))


def main_of(row: Sequence[Segment]) -> Segment:
    """Return the longest segment of a row, whose baseline and size are those of the row."""
    return max(row, key=lambda segment: len(segment.text))


def _is_power(text: str, segment: Segment, before: Segment | None) -> bool:
    """Say whether a raised segment is an exponent of a variable at the end of a text; LaTeX has none."""
    if before is None or segment.text[0] in (HOLE, PRIME) or not _VARIABLE.search(text):
        return False
    raised = segment.base - before.base > _RAISED * segment.size
    return raised and -_TOUCHING < (segment.left - before.right) / segment.size < 0.15


def joined(row: Sequence[Segment], main: Segment) -> str:
    """Return the text of a row without raised marks; the exponent of a number or variable follows a "^"."""
    pieces: list[str] = []
    before: Segment | None = None
    marked = False
    for segment in row:
        gap = before is not None and segment.left - before.right > 0.15 * segment.size
        raised = segment.base - main.base > _RAISED * main.size and segment.size < _SMALLER * main.size
        text = "".join(pieces[-3:]).rstrip()
        power = _BASE.search(text) and segment.text[:1] in "0123456789-\u2212"
        exponent = raised and (power or _is_power(text, segment, before))
        a_mark = raised and not exponent and _MARK.fullmatch(segment.text.strip())
        if a_mark and _MARKED.search(text):
            before, marked = segment, True
            continue
        if gap or (marked and segment.text[0].isalnum()):
            pieces.append(" ")
        elif exponent:
            pieces.append("^")
        pieces.append(segment.text)
        before, marked = segment, False
    return " ".join("".join(pieces).split())
