"""A talk as any transcript format gives it, and what all of the formats need.

Belongs here: `Talk` and `Word`, decoding, lines and words with their places in the file.
Not here: the formats (webvtt.py, srt.py, plain.py, timed.py), finding transcripts (folder.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ops.parse.characters import check_characters
from ops.parse.source import ParseError

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_WORD = re.compile(r"\S+")

BYTE_ORDER_MARK = "\ufeff"


class Word(NamedTuple):
    """A spoken word as found, punctuation attached."""

    text: str
    offset: int
    """Characters from the start of the decoded file; a byte order mark and each of CR and LF count as one."""
    start: float | None = None
    """Seconds; None where the transcript has no time for the word."""
    end: float | None = None


class TranscriptLine(NamedTuple):
    """A line of a file, without its line break."""

    number: int
    """From 1, as editors count."""
    offset: int
    text: str


@dataclass(frozen=True)
class Talk:
    """One recorded talk: its row of the metadata and its spoken words, in the order of speech."""

    title: str
    date: str
    url: str
    licence: str
    """Empty where the metadata gives none: then the source's holds."""
    words: Sequence[Word]


def decode(content: bytes) -> str:
    """Return the text of a file; a leading byte order mark stays, so that offsets are plain UTF-8's.

    Raises ParseError for an empty file, for bytes that are not UTF-8, for NUL (UTF-16 read as UTF-8 is full
    of them) and for other characters that are no text.
    """
    if not content:
        raise ParseError("the file is empty")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(f"not UTF-8 at byte {error.start} (0x{content[error.start]:02x})") from None
    if (nul := content.find(b"\0")) >= 0:
        raise ParseError(f"a NUL at byte {nul}: is the file UTF-16, or no text?")
    check_characters(text, "the file")
    return text


def first_character(text: str) -> int:
    """Return where a text begins: behind its byte order mark."""
    return 1 if text.startswith(BYTE_ORDER_MARK) else 0


def lines(text: str) -> Iterator[TranscriptLine]:
    """Yield the lines of a text, broken at CRLF, CR or LF only (not at the other breaks of Unicode)."""
    position = first_character(text)
    number = 1
    while position < len(text):
        found = _LINE.match(text, position)
        assert found is not None  # the pattern matches everywhere
        yield TranscriptLine(number, position, found.group(1))
        position = found.end()
        number += 1


def words(text: str, start: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the runs of anything but white space from `start` on, each with its offset."""
    return ((found.group(), found.start()) for found in _WORD.finditer(text, start))


def spread(pieces: Sequence[tuple[str, int]], start: float, end: float) -> Iterator[Word]:
    """Yield the words of a stretch of speech, its time shared out in proportion to their characters.

    An approximation: speech is not that even, and pauses are counted to the words beside them.
    """
    total = sum(len(text) for text, _ in pieces)
    said = 0
    for text, offset in pieces:
        begin = start + (end - start) * said / total
        said += len(text)
        yield Word(text, offset, round(begin, 3), round(start + (end - start) * said / total, 3))
