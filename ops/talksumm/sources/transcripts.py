"""A parsed talk, and transcript formats other than captions.

Belongs here: `Talk` and `Word`, decoding, lines and words with their offsets in the file; plain text; JSON
with times, as written by speech recognisers and aligners. Not here: captions (captions.py), recordings
(speech.py), finding transcripts (talks.py).

JSON is a list of words or segments, or an object with one as `words`, `segments` (Whisper, WhisperX),
`chunks` (Transformers), `transcription` (whisper.cpp), `result` (Vosk) or `events` (YouTube's json3). Of
several, the first in this order counts: OpenAI's `words` are those of its `segments`, with finer times. Items
are like `{"word": "hello", "start": 0.1, "end": 0.4}`; they may have `text`, `startTime`, `endTime`,
`duration`, `timestamp: [start, end]`, or `offsets: {from, to}` in milliseconds instead, or a list of its own.
Other keys are ignored. A word may lack times, because aligners omit them if they fail.
"""

from __future__ import annotations

import codecs
import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from silverloom.ops.parse.decoding import check_characters, decoded, unique_object
from silverloom.ops.parse.source import ParseError
from silverloom.ops.talksumm.sources.spoken import labels_in, pieces_of, spoken, without_brackets

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


#: A string in JSON, and whether it is a key. One that is not closed goes on to the end.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"(\s*:)?|\\?\Z)', re.DOTALL)


def decoded_transcript(content: bytes) -> str:
    """Return the text of a file; a leading byte order mark stays, so that offsets match the file's UTF-8.

    Raises ParseError for bytes that are not UTF-8, and for characters that are not text.
    """
    text = decoded(content)
    check_characters(text, "the file")
    return BYTE_ORDER_MARK + text if content.startswith(codecs.BOM_UTF8) else text


def first_character(text: str) -> int:
    """Return where a text begins, after its byte order mark."""
    return 1 if text.startswith(BYTE_ORDER_MARK) else 0


def transcript_lines(text: str) -> Iterator[TranscriptLine]:
    """Yield the lines of a text, split at CRLF, CR or LF only (not at other Unicode line breaks)."""
    for number, line in enumerate(_LINE.finditer(text, first_character(text)), 1):
        if line[0]:  # the last match is empty
            yield TranscriptLine(number, line.start(), line[1])


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


_LISTS = ("words", "segments", "chunks", "transcription", "result", "events")


def read_timed(text: str) -> Sequence[Word]:
    """Return the words with their own times; a string of several words divides its time among them.

    Raises ParseError, which names the item, for JSON of another shape.
    """
    content = _loaded(text)
    items = content if isinstance(content, list) else _items(content)
    if items is None:
        names = ", ".join(_LISTS)
        raise ParseError(f"expected a list of words, or an object with a list of them as one of {names}")
    words = [word for index, entry in enumerate(items) for word in _timed(text, entry, f"words[{index}]")]
    return without_brackets(words, lambda word: word.text)


def _items(entry: object) -> list[Any] | None:
    """Return the items of an object: those of its first list that has some."""
    if not isinstance(entry, dict):
        return None
    if "tStartMs" in entry:
        return _items_of_event(entry)
    return next((entry[name] for name in _LISTS if isinstance(entry.get(name), list) and entry[name]), None)


def _items_of_event(event: Mapping[str, Any]) -> list[Any]:
    segments = [segment for segment in event.get("segs") or () if isinstance(segment, dict)]
    starts = [_milliseconds(segment, "tOffsetMs") for segment in segments]
    bounds = itertools.pairwise([*starts, _milliseconds(event, "dDurationMs")])
    begin = _milliseconds(event, "tStartMs")
    return [
        {"text": segment.get("utf8"), "offsets": {"from": begin + start, "to": begin + end}}
        for segment, (start, end) in zip(segments, bounds, strict=True)
    ]


def _milliseconds(entry: Mapping[str, Any], name: str) -> float:
    return value if isinstance(value := entry.get(name), float) else 0.0


def _timed(text: str, entry: object, where: str) -> Iterator[Word]:
    """Yield the words of an item: those of its own list, or those of its text."""
    if not isinstance(entry, dict):
        raise ParseError(f"{where}: expected an object with word, start and end")
    if (items := _items(entry)) is not None:
        for index, item in enumerate(items):
            yield from _timed(text, item, f"{where}[{index}]")
        return
    place = entry.get("word", entry.get("text"))
    if not isinstance(place, str):
        raise ParseError(f'{where}: "word" is missing or not a string')
    pieces = list(_pieces(text, place, where))
    start, end = _times_of(entry, where)
    if start is None or end is None:
        yield from (Word(*piece) for piece in pieces)
    elif len(pieces) == 1:
        yield Word(*pieces[0], start, end)
    else:
        yield from spread(pieces, start, end)


def _pieces(text: str, place: str, where: str) -> Iterator[tuple[str, int]]:
    """Yield the words in a string at a place ("12 20") of a JSON text, each with its offset."""
    begin, end = map(int, place.split())
    try:
        string = json.loads(text[begin:end])
    except ValueError as error:
        raise ParseError(f"{where}: not JSON: {error}") from None
    check_characters(string, f"{where}: the word")
    starts = [match.start() for match in _WRITTEN.finditer(text, begin + 1, end - 1)]
    yield from ((word, starts[index]) for word, index in pieces_of(spoken(string)))


def read_plain(text: str) -> Sequence[Word]:
    """Return the words between white space; `text[word.offset:]` starts with the word."""
    begin = first_character(text)
    return [Word(*piece) for piece in pieces_of(spoken(text, labels_in(text[begin:])), begin)]


def _refuse_constant(name: str) -> NoReturn:
    raise ParseError(f"{name} is no JSON number")


def _loaded(text: str) -> object:
    """Return a JSON value in which each string is its place in the text: "12 20"."""

    def place(match: re.Match[str]) -> str:
        return match[0] if match[1] or match[0][-1:] != '"' else f'"{match.start()} {match.end()}"'

    try:
        places = _STRING.sub(place, text)[first_character(text) :]
        return json.loads(
            places, parse_int=float, parse_constant=_refuse_constant, object_pairs_hook=unique_object
        )
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
    if end is None and isinstance(start, float) and isinstance(lasts := entry.get("duration"), float):
        end = start + lasts
    scale = 1
    if isinstance(offsets := entry.get("offsets"), dict):
        start, end, scale = offsets.get("from"), offsets.get("to"), 1000
    for name, value in (("start", start), ("end", end)):
        if value is not None and not isinstance(value, float):
            raise ParseError(f"{where}: {name} is not a number of seconds")
        if value is not None and (not math.isfinite(value) or value < 0):
            raise ParseError(f"{where}: {name} is negative or infinite")
    if start is None:
        return None, None
    return start / scale, max(start, start if end is None else end) / scale
