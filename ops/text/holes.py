"""Holes: places of a text from which something was taken that cannot be rendered.

Belongs here: the sign of a hole in a text that a reader is building, and closing holes: the text without the
signs, with their places. Not here: what a reader cannot render (ops/parse), who uses a sentence with holes.

A reader writes HOLE where it takes out what belongs to a sentence: a formula, a template that it does not
know. The sign takes part in splitting sentences. Stored texts are closed: a row has the places of its holes
or their number beside the text, and no sign.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

#: Unicode's placeholder for an object without text. In a source's own text it means the same.
HOLE = "\ufffc"

#: Signs with the white space around them, within a line.
_HOLES = re.compile(rf"([^\S\n]*)(?:{HOLE}[^\S\n]*)+")
_CLOSING = re.compile(r"[,;:!?)\]]|\.(?!\w)")


def closed(text: str) -> tuple[str, list[int]]:
    """Return a text without signs of holes, and where they were: offsets into this text, in order.

    One space stays where the sign stood between two; none before closing punctuation.
    """
    if HOLE not in text:
        return text, []
    pieces: list[str] = []
    holes: list[int] = []
    done = length = 0
    for match in _HOLES.finditer(text):
        pieces.append(text[done : match.start()])
        length += len(pieces[-1])
        done = match.end()
        spaced = match[1] or match.group()[-1].isspace()
        inside = match.start() > 0 and done < len(text) and text[match.start() - 1] != "\n" != text[done]
        if spaced and inside and not _CLOSING.match(text, done):
            pieces.append(" ")
            length += 1
        holes += [length] * match.group().count(HOLE)
    return "".join([*pieces, text[done:]]), holes


def opened(text: str, holes: Sequence[int]) -> str:
    """Return a closed text with the signs of its holes back in their places."""
    places = [0, *holes, len(text)]
    return HOLE.join(text[start:end] for start, end in pairwise(places))


def holes_within(holes: Sequence[int], start: int, end: int) -> int:
    """Count the holes in a span of a closed text, those at its ends included.

    The span has no white space at its ends, so that a hole is not counted in two neighbours.
    """
    return bisect_right(holes, end) - bisect_left(holes, start)
