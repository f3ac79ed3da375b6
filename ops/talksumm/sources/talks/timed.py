"""Transcripts as JSON with a time for every word, as speech recognisers and aligners write them.

Belongs here: the .json format, and where in the file each word stands. Not here: captions (cues.py).

Accepted: `{"words": [...]}` or the bare list, of `{"word": "hello", "start": 0.1, "end": 0.4}`, or with
the keys `text`, `startTime`, `endTime`; other keys are ignored. A word may lack both times (aligners
leave them out where they failed), never one of them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from ops.parse.characters import check_characters
from ops.parse.source import ParseError
from ops.talksumm.sources.talks import talk
from ops.talksumm.sources.talks.talk import Word

#: One character as a JSON string writes it: a surrogate pair, another escape, or itself.
_WRITTEN = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)


def read(text: str) -> Sequence[Word]:
    """Return the words with their own times; a string of several words shares its time out among them."""
    found = _load(text)
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
        start, end = _time(entry, where, "start", "startTime"), _time(entry, where, "end", "endTime")
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
            result.extend(talk.spread(pieces, start, end))
    return result


class _Located(str):
    """A string of a JSON text that knows where it stands."""

    begin: int
    end: int

    def pieces(self, text: str, where: str) -> Iterator[tuple[str, int]]:
        """Yield the words in the string, each with its offset in `text`."""
        check_characters(self, f"{where}: the word")
        written = text[self.begin : self.end]
        starts = [found.start() for found in _WRITTEN.finditer(written)] if "\\" in written else None
        for word, index in talk.words(self):
            yield word, self.begin + (index if starts is None else starts[index])


class _LocatingDecoder(json.JSONDecoder):
    """Decodes strings that are values into `_Located`; only Python's own scanner takes such a hook."""

    def __init__(self) -> None:
        super().__init__(parse_int=float, parse_constant=_refuse_constant)
        self.parse_string = _locate
        self.scan_once = json.scanner.py_make_scanner(self)  # type: ignore[attr-defined]


def _locate(text: str, begin: int, strict: bool) -> tuple[_Located, int]:
    value, end = json.decoder.scanstring(text, begin, strict)  # type: ignore[attr-defined]
    located = _Located(value)
    located.begin, located.end = begin, end - 1
    return located, end


def _refuse_constant(name: str) -> NoReturn:
    raise ParseError(f"{name} is no JSON number")


def _load(text: str) -> object:
    blank = talk.first_character(text)
    try:
        # The mark becomes a space, which JSON allows, so that offsets stay those of the file.
        return _LocatingDecoder().decode(" " * blank + text[blank:])
    except json.JSONDecodeError as error:
        raise ParseError(f"line {error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise ParseError("JSON nested too deeply") from None


def _time(entry: Mapping[str, Any], where: str, *keys: str) -> float | None:
    value = next((entry[key] for key in keys if entry.get(key) is not None), None)
    if value is None:
        return None
    if not isinstance(value, float):
        raise ParseError(f"{where}: {keys[0]} is not a number of seconds: {value!r:.40}")
    if not math.isfinite(value) or value < 0:
        raise ParseError(f"{where}: {keys[0]} is negative or infinite")
    return value
