"""A parsed talk, and transcript formats other than captions.

Belongs here: `Talk` and `Word`, decoding, lines and words with their offsets in the file; plain text; JSON
with times, as written by speech recognisers and aligners. Not here: captions (captions.py), recordings
(speech.py), finding transcripts (talks.py).

JSON is a list of words or segments, or an object with one as `words`, `segments` (Whisper, WhisperX),
`chunks` (Transformers) or `transcription` (whisper.cpp). An item is like `{"word": "hello", "start": 0.1,
"end": 0.4}`; it may have `text`, `startTime`, `endTime`, `timestamp: [start, end]`, or `offsets: {from, to}`
in milliseconds instead, or a list `words` of its own. Other keys are ignored. A word may lack times, because
aligners omit them if they fail.
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
from ops.talksumm.sources.spoken import pieces_of, spoken, without_brackets

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")

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
    paper_names: Sequence[tuple[str, str]] = ()
    """Names of its paper in the metadata, each with its column: see ops/talksumm/paper_names.py."""


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
        for word, index in pieces_of(spoken(self)):
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


_LISTS = ("words", "segments", "chunks", "transcription")


def read_timed(text: str) -> Sequence[Word]:
    """Return the words with their own times; a string of several words divides its time among them.

    Raises ParseError, which names the item, for JSON of another shape.
    """
    content = _loaded(text)
    if isinstance(content, dict):
        content = next((content[name] for name in _LISTS if content.get(name)), content)
    if not isinstance(content, list):
        names = ", ".join(_LISTS)
        raise ParseError(f"expected a list of words, or an object with a list of them as one of {names}")
    words = [word for index, entry in enumerate(content) for word in _timed(text, entry, f"words[{index}]")]
    return without_brackets(words, lambda word: word.text)


def _timed(text: str, entry: object, where: str) -> Iterator[Word]:
    """Yield the words of an item: those of its own list, or those of its text."""
    if not isinstance(entry, dict):
        raise ParseError(f"{where}: expected an object with word, start and end")
    if isinstance(words := entry.get("words"), list) and words:
        for index, word in enumerate(words):
            yield from _timed(
                text, {**word, "words": None} if isinstance(word, dict) else word, f"{where}[{index}]"
            )
        return
    string = entry.get("word", entry.get("text"))
    if not isinstance(string, _Located):
        raise ParseError(f'{where}: "word" is missing or not a string')
    pieces = list(string.pieces(text, where))
    start, end = _times_of(entry, where)
    if start is None or end is None:
        yield from (Word(*piece) for piece in pieces)
    elif len(pieces) == 1:
        yield Word(*pieces[0], start, end)
    else:
        yield from spread(pieces, start, end)


def read_plain(text: str) -> Sequence[Word]:
    """Return the words between white space; `text[word.offset:]` starts with the word."""
    return [Word(*piece) for piece in pieces_of(spoken(text), first_character(text))]


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


def _times_of(entry: Mapping[str, Any], where: str) -> tuple[float, float] | tuple[None, None]:
    """Return start and end in seconds, or None where one does not know when the word began.

    Recognisers leave out the end of what is cut off, or set it before the start: then it ends as it starts.
    """
    start = entry.get("start", entry.get("startTime"))
    end = entry.get("end", entry.get("endTime"))
    if isinstance(pair := entry.get("timestamp"), list) and len(pair) == 2:
        start, end = pair
    scale = 1
    if isinstance(offsets := entry.get("offsets"), dict):
        start, end, scale = offsets.get("from"), offsets.get("to"), 1000
    for name, value in (("start", start), ("end", end)):
        if value is not None and not isinstance(value, float):
            raise ParseError(f"{where}: {name} is not a number of seconds: {value!r:.40}")
        if value is not None and (not math.isfinite(value) or value < 0):
            raise ParseError(f"{where}: {name} is negative or infinite")
    if start is None:
        return None, None
    return start / scale, max(start, start if end is None else end) / scale
