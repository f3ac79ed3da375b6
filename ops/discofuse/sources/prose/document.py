"""A document of prose as any format gives it.

Belongs here: `Document`, its paragraphs, and what makes it unfit. Not here: the formats (plain.py,
tables.py).
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import NamedTuple

from ops.parse.characters import check_characters
from ops.parse.source import ParseError
from ops.running_text import PARAGRAPH_END
from ops.text.hyphens import join_lines, words_of
from ops.text.space import fold

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_HEADING = re.compile(r"#{1,6}[ \t]+")


class Document(NamedTuple):
    """A document of prose."""

    title: str | None
    licence: str
    """Empty where the document gives none: then the source's holds."""
    text: str
    """Paragraphs of folded white space, `PARAGRAPH_END` between them."""


def paragraphs_of(body: str) -> str:
    """Return a text with one line a paragraph, blank lines between; a heading ("## ...") is one of them.

    Lines may be broken anywhere within a paragraph, also in a word behind a hyphen. Raises ParseError for
    control characters, and if nothing is there.
    """
    body = body.replace("\r\n", "\n").replace("\r", "\n").replace("\f", PARAGRAPH_END)
    check_characters(body, "the text")
    known = words_of(body)
    found = []
    for block in _BLANK_LINES.split(body.strip()):
        lines = block.split("\n")
        headings = list(takewhile(bool, map(_HEADING.match, lines)))
        found += [
            fold(line[heading.end() :]) for line, heading in zip(lines, headings, strict=False) if heading
        ]
        found.append(fold(join_lines("\n".join(lines[len(headings) :]), known)))
    text = PARAGRAPH_END.join(filter(None, found))
    if not text:
        raise ParseError("no text")
    return text
