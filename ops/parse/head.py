"""The head of a plain-text file: a first line as title, and `key: value` lines below it.

Belongs here: reading both, and the lines of a text with their places. Not here: what follows them, which is
the formats' own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ops.parse.decoding import decoded
from ops.parse.source import ParseError
from ops.text.sentences import Span

_LINE = re.compile(r"[^\r\n\f]*+(?:\r\n|[\r\n\f]|\Z)")
_METADATA = re.compile(r"(?P<key>[A-Za-z][\w -]{0,40}):(?:\s+(?P<value>.*))?\Z")


class Head(NamedTuple):
    """A file with its title and metadata read."""

    text: str
    lines: list[Span]
    """Of the text, without white space around them."""
    title: str
    metadata: Mapping[str, str]
    body: int
    """The index of the first line behind title and metadata."""


def head_of(content: bytes) -> Head:
    """Return a file with its first line as title, and the metadata below it. Raises ParseError."""
    text = decoded(content)
    lines = lines_of(text)
    index = next((index for index, (start, end) in enumerate(lines) if start < end), None)
    if index is None:
        raise ParseError("the file is empty")
    title = text[slice(*lines[index])].lstrip("#").strip()
    metadata: dict[str, str] = {}
    for after in range(index + 1, len(lines)):
        found = _METADATA.match(text[slice(*lines[after])])
        if found is None:
            return Head(text, lines, title, metadata, after)
        metadata[found["key"].strip().lower()] = (found["value"] or "").strip()
    return Head(text, lines, title, metadata, len(lines))


def lines_of(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the lines of text[start:end] as spans without the white space around them; blank ones are empty.

    A line ends at a line feed, a carriage return, both, or a form feed.
    """
    end = len(text) if end is None else end
    lines = []
    while start < end:
        found = _LINE.match(text, start, end)
        after = found.end() if found else end
        raw = text[start:after]
        first = start + len(raw) - len(raw.lstrip())
        lines.append((min(first, after), max(min(first, after), start + len(raw.rstrip()))))
        start = after
    return lines
