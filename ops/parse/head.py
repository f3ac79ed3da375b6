"""The head of a plain-text file: the title in the first line, and `key: value` lines below it.

Belongs here: reading both, and splitting a text into lines with offsets. Not here: the rest of the file,
which each format reads itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from silverloom.ops.parse.decoding import decoded
from silverloom.ops.parse.source import ParseError
from silverloom.ops.text.sentences import Span

_LINE = re.compile(r"[^\r\n\f]*+(?:\r\n|[\r\n\f]|\Z)")
_SPACE = re.compile(r"\s*")
_METADATA = re.compile(r"(?P<key>[A-Za-z][\w -]{0,40}):(?:\s+(?P<value>.*))?\Z")


@dataclass(frozen=True)
class Head:
    """A file whose title and metadata have been read."""

    text: str
    title: str
    metadata: Mapping[str, str]
    end: int
    """The start of the first line after title and metadata, or the end of the text."""

    @cached_property
    def lines(self) -> list[Span]:
        """The lines of the text as spans without surrounding white space; they take much memory."""
        return line_spans(self.text)

    @cached_property
    def body(self) -> int:
        """The index of the first line after title and metadata."""
        return len(line_spans(self.text, 0, self.end))

    @property
    def ended(self) -> bool:
        """Whether title and metadata are followed by a blank line or the end of the file."""
        return not self._first_line.strip()

    @property
    def rest(self) -> str:
        """The text after title and metadata, without leading white space on its first line."""
        line = self._first_line
        return self.text[self.end + len(line) - len(line.lstrip()) :]

    @property
    def _first_line(self) -> str:
        return self.text[self.end : _end(_LINE, self.text, self.end)]


def head_of(content: bytes) -> Head:
    """Read the first line of a file as title, and the metadata below it. Raises ParseError."""
    text = decoded(content)
    first = _end(_SPACE, text, 0)
    if first == len(text):
        raise ParseError("the file is empty")
    end = _end(_LINE, text, first)
    title = text[first:end].strip().lstrip("#").strip()
    metadata: dict[str, str] = {}
    while end < len(text):
        after = _end(_LINE, text, end)
        match = _METADATA.match(text[end:after].strip())
        if match is None:
            break
        metadata[match["key"].strip().lower()] = (match["value"] or "").strip()
        end = after
    return Head(text, title, metadata, end)


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Return the end of a match at an offset; both patterns match any text."""
    match = pattern.match(text, start)
    return match.end() if match else start


def line_spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the lines of text[start:end] as spans without surrounding white space; blank ones are empty.

    A line ends with a line feed, a carriage return, both, or a form feed.
    """
    end = len(text) if end is None else end
    lines = []
    while start < end:
        match = _LINE.match(text, start, end)
        after = match.end() if match else end
        raw = text[start:after]
        first = start + len(raw) - len(raw.lstrip())
        lines.append((min(first, after), max(min(first, after), start + len(raw.rstrip()))))
        start = after
    return lines
