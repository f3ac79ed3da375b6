"""The lines of a source's files as records: a file of many documents, one a line.

Belongs here: walking the lines within bounds, packed or not. Not here: finding the files (files.py),
what a line calls its document (read_lines.py), what else it holds (the formats).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import IO

from ops.parse.files import Found, find, once, too_large
from ops.parse.packed import ERRORS, is_packed, opened
from ops.parse.read_lines import Naming, named
from ops.parse.source import Only, Raw, Source

#: A line that is so many times too long ends the reading of its file: it may be a bomb.
_SKIPPED = 16
#: So does what unpacks to so many times its size; text packs to a tenth, and that of many like lines to less.
_UNPACKED = 100
UNPACKED = f"it unpacks to more than {_UNPACKED} times its size; the rest of the file was not read"


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
    row = 0
    try:
        while line := stream.readline(max_bytes + 1):
            row += 1
            place = f"{path}#{row}"
            if unpacks_too_far(stream.tell(), packed, max_bytes):
                yield Raw(path, place, b"", row, error=UNPACKED)
                return
            if len(line.rstrip(b"\r\n")) > max_bytes:
                whole = line.endswith(b"\n") or _skip_line(stream, max_bytes)
                rest = "" if whole else "; the rest of the file was not read"
                yield Raw(path, place, b"", row, error=too_large(max_bytes) + rest)
                if not whole:
                    return
            elif line.strip():
                yield Raw(path, place, line.rstrip(b"\r\n"), row)
    except ERRORS as error:
        yield unread(path, row + 1, error)


def unpacks_too_far(position: int, packed: int | None, max_bytes: int) -> bool:
    """Say whether what was unpacked so far of a file of `packed` bytes may be a bomb."""
    return packed is not None and position > max_bytes + packed * _UNPACKED


def unread(path: str, row: int, error: Exception, file: str | None = None) -> Raw:
    """Return the last record of a file that cannot be read on."""
    cause = f"cannot be read from line {row} on: {error.__class__.__name__}: {error}"
    return Raw(path, f"{path}#{row}", b"", row, error=cause.replace(file, path) if file else cause)


def _skip_line(stream: IO[bytes], max_bytes: int) -> bool:
    """Read to the end of a line; tell whether the end was found within bounds."""
    for _ in range(_SKIPPED):
        chunk = stream.readline(max_bytes)
        if not chunk or chunk.endswith(b"\n"):
            return True
    return False
