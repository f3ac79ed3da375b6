"""The lines of a source's files as records: a file of many documents, one a line.

Belongs here: walking the lines within bounds, packed or not. Not here: finding the files (files.py),
what a line calls its document (read_lines.py), what else it holds (the formats).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from io import BufferedIOBase
from itertools import chain
from pathlib import Path
from typing import IO, cast

from ops.parse.files import Found, find, once, too_large
from ops.parse.packed import ERRORS, is_packed, opened
from ops.parse.read_lines import Naming, named
from ops.parse.source import Only, Raw, Source

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
