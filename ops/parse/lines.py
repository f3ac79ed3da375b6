"""The lines of a source's files as records: a file of many documents, one a line.

Belongs here: walking the lines within bounds, packed or not; what a line of JSON calls its document, which
the bounded child reads first; the encoding of a file's lines and rows. Not here: finding the files
(files.py), telling the encoding of one text (encodings.py), what else a line holds (the formats).

A line that the child reads within its bounds can be read here as well: it is the same JSON.

A guess of an encoding takes milliseconds, however short a text is, and a small packed file may hold very
many. So the first lines of a file are guessed one by one, as many as its size allows; later lines get the
encoding that is guessed from all lines of the file that are not UTF-8. Which lines these are depends on the
file alone, so a line reads the same whichever others are asked for.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from io import BufferedIOBase
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias, cast

from ops.parse.bounded import Bounds, child_of
from ops.parse.decoding import json_object
from ops.parse.encodings import damaged_utf8, decoded_as, guess_of, guessed, in_utf8, is_utf8
from ops.parse.files import ERRORS, Found, find, is_packed, once, opened, too_large
from ops.parse.source import Only, ParseError, Raw, Source, exhausting

#: A line that is so many times too long ends the reading of its file: it may be a bomb.
_SKIPPED = 16
#: So does what unpacks to so many times its size; text packs to a tenth, and that of many like lines to less.
_UNPACKED = 100
UNPACKED = f"it unpacks to more than {_UNPACKED} times its size; the rest of the file was not read"
#: So many bytes a line counts for besides its own: very many tiny ones are a bomb, too.
_LEAST = 100
_TOO_MANY_LINES = "it unpacks to more than a line for each byte of its size; the rest was not read"
#: What is read at once. Of a damaged file that is packed, no more is lost before the damage.
_BLOCK = 2**13
_SPACE = re.compile(rb"\s*")


def lines_of_files(
    folder: Path,
    source: Source,
    suffixes: tuple[str, ...],
    only: Only,
    naming: Naming | None = None,
) -> Iterator[Raw]:
    """Yield every line that is not blank of every file, as one record; files that end in .gz are unpacked.

    Lines are JSON where there is a `naming`, a function of a module, or a partial of one: it says how a line
    calls its document. Where it does not, or as another line may be called, the id is path and line, as it is
    without `naming`. A line over source.max_bytes is yielded unread, with
    an error, and so is one that cannot be read as JSON.
    """
    files = list(find(folder, source, suffixes))
    raws = chain.from_iterable(_of_file(found, source.max_bytes, only) for found in files)
    return once(raws if naming is None else named(raws, naming, {found.path for found in files}))


def _of_file(found: Found, max_bytes: int, only: Only) -> Iterator[Raw]:
    if found.error is not None:
        yield Raw(found.path, Path(found.path).name, b"", error=found.error)
    elif only is None or found.path in only:
        raws = lines_of_file(found.path, found.file, max_bytes)
        yield from (raw for raw in raws if is_wanted(raw, only))


def is_wanted(raw: Raw, only: Only) -> bool:
    """Say whether a record of a path that is in `only` is among those that are asked for."""
    return not isinstance(only, Mapping) or raw.row in only[raw.path]


def lines_of_file(path: str, file: Path, max_bytes: int) -> Iterator[Raw]:
    """Yield the lines of a file, plain or packed, as `lines_of` does."""
    try:
        with opened(file) as stream:
            packed = file.stat().st_size if is_packed(file.name) else None
            yield from lines_of(stream, path, packed, max_bytes)
    except OSError as error:
        yield unread(path, 1, error, str(file))


def lines_of(stream: IO[bytes], path: str, packed: int | None, max_bytes: int) -> Iterator[Raw]:
    """Yield the lines of a file; what stops its reading is the error of one last record.

    `packed` is its size where `stream` unpacks it.
    """
    lines = _Lines(cast("BufferedIOBase", stream), packed, max_bytes)
    try:
        for line in lines:
            content, error = (b"", line) if isinstance(line, str) else (line, None)
            yield Raw(path, f"{path}#{lines.row}", content, lines.row, error=error)
    except ERRORS as error:
        yield unread(path, lines.row + 1, error)


class _Lines:
    """The lines of a stream that are not blank, without their ends; for one that is not read, an error.

    Blank lines are taken many at a time, since a small file may unpack to millions of them, and no byte is
    looked at again when more was read.
    """

    def __init__(self, stream: BufferedIOBase, packed: int | None, max_bytes: int) -> None:
        self._stream, self._packed, self._max_bytes = stream, packed, max_bytes
        self._longest = max_bytes * (_SKIPPED + 1)
        self._done = self._count = 0
        """How many bytes were taken apart, and how many lines that are not blank."""
        self._stopped = False
        self.row = 0
        """The number of the last line, from 1."""

    def __iter__(self) -> Iterator[bytes | str]:
        pieces: list[bytes] = []  # of a line whose end was not read yet
        size = 0
        block = b""
        while not self._stopped and (block := block or self._stream.read1(_BLOCK)):
            cut = block.rfind(b"\n") + 1
            if cut:
                yield from self._parted(b"".join((*pieces, block[:cut])))
                pieces, size = [], 0
            pieces.append(block[cut:])
            size += len(block) - cut
            block = b""
            if size > self._max_bytes + len(b"\r\n"):
                size, blank, block = self._skip(size, b"".join(pieces).isspace())
                self.row += 1
                if not blank or size > self._longest:
                    yield self._bomb(self._done + self._max_bytes) or self._too_large(size)
                self._done += size
                pieces, size = [], 0
        yield from self._parted(b"".join(pieces))

    def _parted(self, text: bytes) -> Iterator[bytes | str]:
        """Yield the lines of a text, which ends with one."""
        place = 0
        while place < len(text) and not self._stopped:
            first = _SPACE.match(text, place).end()  # type: ignore[union-attr]  # it matches anything
            start = text.rfind(b"\n", place, first) + 1 or place
            self.row += text.count(b"\n", place, start)
            place = text.find(b"\n", first) + 1 or len(text)
            self._count += first < len(text)
            error = self._bomb(self._done + place)
            if error or first < len(text):
                self.row += 1
                line = text[start:place].rstrip(b"\r\n")
                yield error or (line if len(line) <= self._max_bytes else self._too_large(place - start))
        self._done += len(text)

    def _skip(self, size: int, blank: bool) -> tuple[int, bool, bytes]:
        """Read on to the end of a line; return its size, whether it is blank, and what was read behind it."""
        while size <= self._longest and (block := self._stream.read1(_BLOCK)):
            cut = block.find(b"\n") + 1
            size += cut or len(block)
            blank = blank and block[: cut or None].isspace()
            if cut:
                return size, blank, block[cut:]
        return size, blank, b""

    def _bomb(self, end: int) -> str | None:
        """Return why reading ends with a line that ends there, if it does."""
        if self._packed is None:
            return None
        error = None
        if unpacks_too_far(end, self._packed, self._max_bytes):
            error = UNPACKED
        elif unpacks_too_far(end + self._count * _LEAST, self._packed, self._max_bytes):
            error = _TOO_MANY_LINES
        self._stopped = error is not None
        return error

    def _too_large(self, size: int) -> str:
        """Return the error of a line over the bound; one that is much too long ends the reading."""
        self._stopped = size > self._longest
        return too_large(self._max_bytes) + ("; the rest of the file was not read" if self._stopped else "")


def unpacks_too_far(position: int, packed: int | None, max_bytes: int) -> bool:
    """Say whether what was unpacked so far of a file of `packed` bytes may be a bomb."""
    return packed is not None and position > max(max_bytes, packed * _UNPACKED)


def unread(path: str, row: int, error: Exception, file: str | None = None) -> Raw:
    """Return the last record of a file that cannot be read on."""
    cause = f"cannot be read from line {row} on: {error.__class__.__name__}: {error}"
    return Raw(path, f"{path}#{row}", b"", row, error=cause.replace(file, path) if file else cause)


#: What says how the object of a line calls its document; None where it does not.
Naming: TypeAlias = Callable[[Mapping[str, Any]], str | None]

_NAMING_BOUNDS = Bounds()
#: Lines, and bytes of them, that are read at once.
_MOST_LINES, _MOST_BYTES = 512, 2**20


class LineName(NamedTuple):
    """What a line calls its document, or why it cannot be read."""

    document: str | None = None
    error: str | None = None


def named(raws: Iterable[Raw], naming: Naming, paths: Container[str]) -> Iterator[Raw]:
    """Yield lines with the document ids that they give themselves; those that nobody can read, with an error.

    A line without an id keeps the one it has, and so does a line whose id another line of `paths` may have.
    `naming` runs in the child: it is a function of a module, or a partial of one.
    """
    for some in _batches(raws):
        sound = [raw.content for raw in some if raw.error is None]
        names = iter(_names_of(naming, sound))
        for raw in some:
            if raw.error is not None:
                yield raw
                continue
            name = next(names)
            document = document_id(name.document, raw.document, paths)
            yield replace(raw, document=document, error=name.error)


def keys_of(raws: Iterable[Raw]) -> list[str]:
    """Return the keys of the objects of lines, in the order in which they are met; what is none has none."""
    there: dict[str, None] = {}
    for some in _batches(raws):
        there |= dict.fromkeys(keys_by_child([raw.content for raw in some if raw.error is None]))
    return list(there)


def document_id(given: str | None, place: str, paths: Container[str]) -> str:
    """Return the id of a document: its own, but for one that another line of these files may be called."""
    path, mark, row = (given or "").rpartition("#")
    return given if given and not (mark and row.isdecimal() and path in paths) else place


def _batches(raws: Iterable[Raw]) -> Iterator[list[Raw]]:
    some: list[Raw] = []
    size = 0
    for raw in raws:
        some.append(raw)
        size += len(raw.content)
        if len(some) == _MOST_LINES or size >= _MOST_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


def _names_of(naming: Naming, lines: Sequence[bytes]) -> list[LineName]:
    """Return what the child says of lines; where one of them ends it, each is read alone."""
    if not lines:
        return []
    try:
        return child_of(_NAMING_BOUNDS).call(names_of, naming, lines)
    except ParseError as error:
        if len(lines) == 1:
            return [LineName(error=str(error))]
    return [name for line in lines for name in _names_of(naming, [line])]


def keys_by_child(lines: Sequence[bytes]) -> list[str]:
    """Return the keys of some lines, read in a child process; none of a line that it cannot read."""
    try:
        return child_of(_NAMING_BOUNDS).call(merged_keys, lines)
    except ParseError:
        return [] if len(lines) < 2 else [key for line in lines for key in keys_by_child([line])]


# What runs in the child:


def names_of(naming: Naming, lines: Sequence[bytes]) -> list[LineName]:
    """Return what lines call their documents, in their order."""
    return [_name_of(naming, line) for line in lines]


def merged_keys(lines: Sequence[bytes]) -> list[str]:
    """Return the keys of lines that can be read."""
    there: dict[str, None] = {}
    for line in lines:
        with contextlib.suppress(ParseError), exhausting():
            there |= dict.fromkeys(json_object(line))
    return list(there)


def _name_of(naming: Naming, line: bytes) -> LineName:
    try:
        with exhausting():
            name = naming(json_object(line))
    except ParseError as error:
        return LineName(error=str(error))
    return LineName(name if name and name.isprintable() else None)


#: Of each file so many lines are guessed one by one, and one more for so many bytes of its size.
_ANY_GUESSES, _BYTES_A_GUESS = 16, 1024
#: Bytes of the lines that all of a file is guessed by.
_SAMPLED_LINES = 2**16


def of_file_in_utf8(raw: Raw, encoding: str, file: Path, max_bytes: int) -> Raw:
    """Return a record of a file with its bytes in UTF-8, as `in_utf8` does."""
    if raw.row is None:
        return in_utf8(raw, encoding)
    return in_utf8(raw, encoding, partial(guessed_in, file, raw.row, max_bytes=max_bytes))


def guessed_in(file: Path, row: int, content: bytes, max_bytes: int) -> tuple[str, str] | None:
    """Return what line `row` (from 1) of a file holds as text, and its encoding, as `guessed` does."""
    known = file.stat()
    if row <= _ANY_GUESSES + known.st_size // _BYTES_A_GUESS:
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
    left = _SAMPLED_LINES
    for raw in lines_of_file(file.name, file, max_bytes):
        if not is_utf8(raw.content) and not damaged_utf8(raw.content):
            yield raw.content[:left]
            left -= len(raw.content)
            if left <= 0:
                return
