"""A parsed talk, and transcript formats other than captions.

Belongs here: `Talk` and `Word`, decoding, lines and words with their offsets in the file; plain text; JSON
with a time for every word, as written by speech recognisers and aligners. Not here: captions (captions.py),
recordings (speech.py), finding transcripts (talks.py).

JSON may be `{"words": [...]}` or the bare list, with items like `{"word": "hello", "start": 0.1, "end": 0.4}`
or with the keys `text`, `startTime`, `endTime`; other keys are ignored. A word may lack both times (aligners
omit them if they fail), but not only one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from ops.parse.decoding import check_characters
from ops.parse.source import ParseError

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_WORD = re.compile(r"\S+")

BYTE_ORDER_MARK = "\ufeff"


class Word(NamedTuple):
    """A spoken word as written, with its punctuation."""

    text: str
    offset: int
    """Character offset in the decoded file; a byte order mark, CR and LF count one each."""
    start: float | None = None
    """Seconds; None if the transcript has no time for the word."""
    end: float | None = None


class TranscriptLine(NamedTuple):
    """A line of a file, without its line break."""

    number: int
    """Line number from 1."""
    offset: int
    text: str


@dataclass(frozen=True)
class Talk:
    """A recorded talk: its row of the metadata, and its spoken words in order."""

    title: str
    date: str
    url: str
    licence: str
    """Empty if the metadata give none; then the source's licence applies."""
    words: Sequence[Word]


#: One character in a JSON string: a surrogate pair, another escape, or the character itself.
_WRITTEN = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)


class _Located(str):
    """A string of a JSON text with its position."""

    begin: int
    end: int

    def pieces(self, text: str, where: str) -> Iterator[tuple[str, int]]:
        """Yield the words in the string, each with its offset in `text`."""
        check_characters(self, f"{where}: the word")
        written = text[self.begin : self.end]
        starts = [found.start() for found in _WRITTEN.finditer(written)] if "\\" in written else None
        for word, index in pieces_of(self):
            yield word, self.begin + (index if starts is None else starts[index])


class _LocatingDecoder(json.JSONDecoder):
    """Decodes string values to `_Located`; only Python's pure-Python scanner supports this hook."""

    def __init__(self) -> None:
        super().__init__(parse_int=float, parse_constant=_refuse_constant)
        self.parse_string = _locate
        self.scan_once = json.scanner.py_make_scanner(self)  # type: ignore[attr-defined]


def decoded_transcript(content: bytes) -> str:
    """Return the text of a file; a leading byte order mark stays, so that offsets match the file's UTF-8.

    Raises ParseError for an empty file, for bytes that are not UTF-8, for NUL (UTF-16 read as UTF-8 contains
    many) and for other characters that are not text.
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
    """Return where a text begins, after its byte order mark."""
    return 1 if text.startswith(BYTE_ORDER_MARK) else 0


def lines_of(text: str) -> Iterator[TranscriptLine]:
    """Yield the lines of a text, split at CRLF, CR or LF only (not at other Unicode line breaks)."""
    position = first_character(text)
    number = 1
    while position < len(text):
        found = _LINE.match(text, position)
        assert found is not None  # the pattern matches everywhere
        yield TranscriptLine(number, position, found.group(1))
        position = found.end()
        number += 1


def pieces_of(text: str, start: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the runs of non-white-space from `start` on, each with its offset."""
    return ((found.group(), found.start()) for found in _WORD.finditer(text, start))


def spread(pieces: Sequence[tuple[str, int]], start: float, end: float) -> Iterator[Word]:
    """Yield the words of a stretch of speech, with its time divided in proportion to their characters.

    This is an approximation: speech is less regular, and pauses are counted to adjacent words.
    """
    total = sum(len(text) for text, _ in pieces)
    said = 0
    for text, offset in pieces:
        begin = start + (end - start) * said / total
        said += len(text)
        yield Word(text, offset, round(begin, 3), round(start + (end - start) * said / total, 3))


def read_timed(text: str) -> Sequence[Word]:
    """Return the words with their own times; a string of several words divides its time among them."""
    found = _loaded(text)
    entries = found.get("words") if isinstance(found, dict) else found
    if not isinstance(entries, list):
        raise ParseError('expected a list of words, or an object with a list "words"')
    result: list[Word] = []
    latest = 0.0
    for index, entry in enumerate(entries):
        where = f"words[{index}]"
        if not isinstance(entry, dict):
            raise ParseError(f"{where}: expected an object with word, start and end")
        string = entry.get("word", entry.get("text"))
        if not isinstance(string, _Located):
            raise ParseError(f'{where}: "word" is missing or not a string')
        start, end = (
            _seconds_of(entry, where, "start", "startTime"),
            _seconds_of(entry, where, "end", "endTime"),
        )
        pieces = list(string.pieces(text, where))
        if start is None and end is None:
            result.extend(Word(*piece) for piece in pieces)
            continue
        if start is None or end is None:
            raise ParseError(f"{where}: start without end, or end without start")
        if end < start:
            raise ParseError(f"{where}: ends at {end} before it starts at {start}")
        if start < latest:
            raise ParseError(f"{where}: starts at {start} before the word before it at {latest}")
        latest = start
        if len(pieces) == 1:
            result.append(Word(*pieces[0], start, end))
        else:
            result.extend(spread(pieces, start, end))
    return result


def read_plain(text: str) -> Sequence[Word]:
    """Return the words between white space; `text[word.offset:]` starts with the word."""
    return [Word(*piece) for piece in pieces_of(text, first_character(text))]


def _locate(text: str, begin: int, strict: bool) -> tuple[_Located, int]:
    value, end = json.decoder.scanstring(text, begin, strict)  # type: ignore[attr-defined]
    located = _Located(value)
    located.begin, located.end = begin, end - 1
    return located, end


def _refuse_constant(name: str) -> NoReturn:
    raise ParseError(f"{name} is no JSON number")


def _loaded(text: str) -> object:
    blank = first_character(text)
    try:
        # The mark becomes a space, which JSON allows, so that offsets stay correct.
        return _LocatingDecoder().decode(" " * blank + text[blank:])
    except json.JSONDecodeError as error:
        raise ParseError(f"line {error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise ParseError("JSON nested too deeply") from None


def _seconds_of(entry: Mapping[str, Any], where: str, *keys: str) -> float | None:
    value = next((entry[key] for key in keys if entry.get(key) is not None), None)
    if value is None:
        return None
    if not isinstance(value, float):
        raise ParseError(f"{where}: {keys[0]} is not a number of seconds: {value!r:.40}")
    if not math.isfinite(value) or value < 0:
        raise ParseError(f"{where}: {keys[0]} is negative or infinite")
    return value
