"""The head of a plain-text file: a first line as title, and `key: value` lines below it.

Belongs here: reading both, and the lines of a text with their places. Not here: what follows them, which is
the formats' own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ops.parse.decoding import decoded
from ops.parse.source import ParseError
from ops.text.sentences import Span

_LINE = re.compile(r"[^\r\n\f]*+(?:\r\n|[\r\n\f]|\Z)")
_SPACE = re.compile(r"\s*")
_METADATA = re.compile(r"(?P<key>[A-Za-z][\w -]{0,40}):(?:\s+(?P<value>.*))?\Z")


@dataclass(frozen=True)
class Head:
    """A file with its title and metadata read."""

    text: str
    title: str
    metadata: Mapping[str, str]
    end: int
    """Where the first line behind title and metadata begins; at the end of the text where there is none."""

    @cached_property
    def lines(self) -> list[Span]:
        """The lines of the text without the white space around them; they take much memory."""
        return lines_of(self.text)

    @cached_property
    def body(self) -> int:
        """The index of the first line behind title and metadata."""
        return len(lines_of(self.text, 0, self.end))

    @property
    def ended(self) -> bool:
        """Whether a blank line, or nothing, stands behind title and metadata."""
        return not self._first_line.strip()

    @property
    def rest(self) -> str:
        """The text behind title and metadata, without the white space that its first line begins with."""
        line = self._first_line
        return self.text[self.end + len(line) - len(line.lstrip()) :]

    @property
    def _first_line(self) -> str:
        return self.text[self.end : _end(_LINE, self.text, self.end)]


def head_of(content: bytes) -> Head:
    """Return a file with its first line as title, and the metadata below it. Raises ParseError."""
    text = decoded(content)
    first = _end(_SPACE, text, 0)
    if first == len(text):
        raise ParseError("the file is empty")
    end = _end(_LINE, text, first)
    title = text[first:end].strip().lstrip("#").strip()
    metadata: dict[str, str] = {}
    while end < len(text):
        after = _end(_LINE, text, end)
        found = _METADATA.match(text[end:after].strip())
        if found is None:
            break
        metadata[found["key"].strip().lower()] = (found["value"] or "").strip()
        end = after
    return Head(text, title, metadata, end)


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Return where what is found at a place ends: both patterns match any text."""
    found = pattern.match(text, start)
    return found.end() if found else start


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
