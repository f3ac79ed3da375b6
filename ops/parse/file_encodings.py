"""The encoding of records of which a file has many: lines, and rows of tables.

Belongs here: how often an encoding is guessed, and by what. Not here: the guess itself (encodings.py).

A guess takes milliseconds, however short a text is, and a small packed file may hold very many. So the first
lines of a file are guessed one by one, as many as its size allows; those behind are in what all lines of the
file that are not UTF-8 seem to be in. Which lines these are depends on nothing but the file: a line reads the
same whichever others are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

from ops.parse.encodings import damaged_utf8, decoded_as, guess_of, guessed, in_utf8, is_utf8
from ops.parse.lines import lines_of_file
from ops.parse.source import Raw

#: Of each file so many lines are guessed one by one, and one more for so many bytes of its size.
_ANY, _BYTES = 16, 1024
#: Bytes of the lines that all of a file is guessed by.
_SAMPLE = 2**16


def of_file_in_utf8(raw: Raw, encoding: str, file: Path, max_bytes: int) -> Raw:
    """Return a record of a file with its bytes in UTF-8, as `in_utf8` does."""
    if raw.row is None:
        return in_utf8(raw, encoding)
    return in_utf8(raw, encoding, partial(guessed_in, file, raw.row, max_bytes=max_bytes))


def guessed_in(file: Path, row: int, content: bytes, max_bytes: int) -> tuple[str, str] | None:
    """Return what line `row` (from 1) of a file holds as text, and its encoding, as `guessed` does."""
    known = file.stat()
    if row <= _ANY + known.st_size // _BYTES:
        return guessed(content)
    if damaged_utf8(content):
        return None
    return decoded_as(content, _guess_of_file(file, max_bytes, known.st_size, known.st_mtime_ns))


@lru_cache(maxsize=4)
def _guess_of_file(file: Path, max_bytes: int, size: int, changed: int) -> str | None:
    """Return what a file is in; size and time tell whether it is still the same."""
    return guess_of(b"\n".join(_foreign(file, max_bytes)))


def _foreign(file: Path, max_bytes: int) -> Iterator[bytes]:
    """Yield the first lines that are in another encoding than UTF-8."""
    left = _SAMPLE
    for raw in lines_of_file(file.name, file, max_bytes):
        if not is_utf8(raw.content) and not damaged_utf8(raw.content):
            yield raw.content[:left]
            left -= len(raw.content)
            if left <= 0:
                return
