"""The lines of a source's files as records, for files with one document per line.

Belongs here: reading lines within limits, compressed or not; the document ids in lines of JSON, which the
child process reads first; the encoding of a file's lines and rows. Not here: finding the files (files.py),
guessing the encoding of one text (encodings.py), what else a line contains (the formats).

Once the child has read a line of JSON within its limits, the parent can read the same line safely.

Guessing an encoding takes milliseconds, however short the text is, and a small compressed file may hold a
huge number of lines. So only the first lines of a file are guessed one by one; their number depends on its
size. Later lines get the encoding guessed from all lines of the file that are not UTF-8. Both depend on the
file alone, so a line reads the same whichever other lines are requested.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from ops.parse.bounded import Bounds, child_of
from ops.parse.decoding import json_object
from ops.parse.encodings import damaged_utf8, decoded_as, guess_of, guessed, in_utf8, is_utf8
from ops.parse.files import ERRORS, Found, find, is_packed, once, opened, too_large
from ops.parse.source import Only, ParseError, Raw, Source, exhausting

#: Decompressing to this many times the file's size ends the reading: it may be a decompression bomb. Text
#: compresses to a tenth, repetitive lines to less.
_UNPACKED = 100
UNPACKED = f"it unpacks to more than {_UNPACKED} times its size; the rest of the file was not read"
#: Bytes added to each line's size, so that a huge number of tiny lines counts as a bomb, too.
_LEAST = 100
_TOO_MANY_LINES = "it unpacks to more than a line for each byte of its size; the rest was not read"
#: Bytes skipped at a time.
_BLOCK = 2**13


def lines_of_files(
    folder: Path,
    source: Source,
    suffixes: tuple[str, ...],
    only: Only,
    naming: Naming | None = None,
) -> Iterator[Raw]:
    """Yield every non-blank line of every file as one record, decompressing .gz and .zst files.

    With `naming`, lines are JSON, and it returns the document id of a line; it must be a module-level
    function or a partial of one. Otherwise the id is path and line number, and also if `naming` returns None
    or an id that another line may get this way. A line over source.max_bytes is yielded unread, with an
    error; one that cannot be read as JSON gets an error, too.
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
    """Say whether a record is wanted, given that its path is in `only`."""
    return not isinstance(only, Mapping) or raw.row in only[raw.path]


def lines_of_file(path: str, file: Path, max_bytes: int) -> Iterator[Raw]:
    """Yield the lines of a plain or compressed file like `lines_of`."""
    try:
        with opened(file) as stream:
            packed = file.stat().st_size if is_packed(file.name) else None
            yield from lines_of(stream, path, packed, max_bytes)
    except OSError as error:
        yield unread(path, 1, error, str(file))


def lines_of(stream: IO[bytes], path: str, packed: int | None, max_bytes: int) -> Iterator[Raw]:
    """Yield the non-blank lines of a file. An error that stops the reading is that of one last record.

    `packed` is the compressed size if `stream` decompresses the file, otherwise None. A line over the limit
    is skipped without being held in memory.
    """
    row = end = 0
    try:
        while line := stream.readline(max_bytes + len(b"\r\n")):
            row += 1
            skipped, blank = _skip_line(stream, line, None if packed is None else (packed, end, max_bytes))
            end += len(line) + skipped
            line = line.rstrip(b"\r\n")
            bomb = _bomb(end, row, packed, max_bytes)
            error = bomb or (too_large(max_bytes) if skipped or len(line) > max_bytes else None)
            if bomb or not blank:
                yield Raw(path, f"{path}#{row}", b"" if error else line, row, error=error)
            if bomb:
                return
    except ERRORS as error:
        yield unread(path, row + 1, error)


def _skip_line(stream: IO[bytes], line: bytes, limits: tuple[int, int, int] | None) -> tuple[int, bool]:
    """Skip what is left of a line that has begun; return its size, and whether the whole line is blank.

    Of a compressed file, `limits` are its size, the place of the line, and the largest record.
    """
    skipped, blank, piece = 0, not line.strip(), line
    while not piece.endswith(b"\n") and (piece := stream.readline(_BLOCK)):
        skipped += len(piece)
        blank = blank and not piece.strip()
        if limits is not None and unpacks_too_far(limits[1] + skipped, limits[0], limits[2]):
            break
    return skipped, blank


def _bomb(end: int, row: int, packed: int | None, max_bytes: int) -> str | None:
    """Return why reading must stop at line `row`, which ends here, or None."""
    if unpacks_too_far(end, packed, max_bytes):
        return UNPACKED
    return _TOO_MANY_LINES if unpacks_too_far(end + row * _LEAST, packed, max_bytes) else None


def unpacks_too_far(position: int, packed: int | None, max_bytes: int) -> bool:
    """Say whether a file of `packed` bytes may be a decompression bomb, given the output so far."""
    return packed is not None and position > max(max_bytes, packed * _UNPACKED)


def unread(path: str, row: int, error: Exception, file: str | None = None) -> Raw:
    """Return the last record of a file that cannot be read further."""
    cause = f"cannot be read from line {row} on: {error.__class__.__name__}: {error}"
    return Raw(path, f"{path}#{row}", b"", row, error=cause.replace(file, path) if file else cause)


#: Returns the document id in the object of a line, if any.
Naming: TypeAlias = Callable[[Mapping[str, Any]], str | None]

_NAMING_BOUNDS = Bounds()
#: Limits of a batch: lines, and bytes.
_MOST_LINES, _MOST_BYTES = 512, 2**20


class LineName(NamedTuple):
    """The document id of a line, or why the line cannot be read."""

    document: str | None = None
    error: str | None = None


def named(raws: Iterable[Raw], naming: Naming, paths: Container[str]) -> Iterator[Raw]:
    """Yield lines with the document ids that they contain; unreadable ones get an error.

    A line without an id keeps its current one, and so does a line whose id may be that of another line of
    `paths`. `naming` runs in the child: it must be a module-level function or a partial of one.
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
    """Return the keys of all lines' objects in order of first occurrence, skipping unreadable lines."""
    there: dict[str, None] = {}
    for some in _batches(raws):
        there |= dict.fromkeys(keys_by_child([raw.content for raw in some if raw.error is None]))
    return list(there)


def document_id(given: str | None, place: str, paths: Container[str]) -> str:
    """Return a document's own id, or `place` if that is missing or looks like another line's default id."""
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
    """Return the child's results for some lines; if one of them kills it, each is read alone."""
    if not lines:
        return []
    try:
        return child_of(_NAMING_BOUNDS).call(names_of, naming, lines)
    except ParseError as error:
        if len(lines) == 1:
            return [LineName(error=str(error))]
    return [name for line in lines for name in _names_of(naming, [line])]


def keys_by_child(lines: Sequence[bytes]) -> list[str]:
    """Return the keys of lines, read in a child process, skipping unreadable lines."""
    try:
        return child_of(_NAMING_BOUNDS).call(merged_keys, lines)
    except ParseError:
        return [] if len(lines) < 2 else [key for line in lines for key in keys_by_child([line])]


# The following functions run in the child.


def names_of(naming: Naming, lines: Sequence[bytes]) -> list[LineName]:
    """Return the document ids of lines, in order."""
    return [_name_of(naming, line) for line in lines]


def merged_keys(lines: Sequence[bytes]) -> list[str]:
    """Return the keys of all readable lines."""
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


#: Lines of a file guessed one by one, plus one more for each so many bytes of its size.
_ANY_GUESSES, _BYTES_A_GUESS = 16, 1024
#: Bytes of lines for the guess that covers the rest of a file.
_SAMPLED_LINES = 2**16


def of_file_in_utf8(raw: Raw, encoding: str, file: Path, max_bytes: int) -> Raw:
    """Return a record of a file with its bytes converted to UTF-8, like `in_utf8`."""
    if raw.row is None:
        return in_utf8(raw, encoding)
    return in_utf8(raw, encoding, partial(guessed_in, file, raw.row, max_bytes=max_bytes))


def guessed_in(file: Path, row: int, content: bytes, max_bytes: int) -> tuple[str, str] | None:
    """Return the text and encoding of line `row` (from 1) of a file, like `guessed`."""
    known = file.stat()
    if row <= _ANY_GUESSES + known.st_size // _BYTES_A_GUESS:
        return guessed(content)
    if damaged_utf8(content):
        return None
    return decoded_as(content, _guess_of_file(file, max_bytes, known.st_size, known.st_mtime_ns))


@lru_cache(maxsize=4)
def _guess_of_file(file: Path, max_bytes: int, size: int, changed: int) -> str | None:
    """Return the encoding of a file; size and modification time are the cache key."""
    return guess_of(b"\n".join(_foreign(file, max_bytes)))


def _foreign(file: Path, max_bytes: int) -> Iterator[bytes]:
    """Yield the first lines that are not UTF-8."""
    left = _SAMPLED_LINES
    for raw in lines_of_file(file.name, file, max_bytes):
        if not is_utf8(raw.content) and not damaged_utf8(raw.content):
            yield raw.content[:left]
            left -= len(raw.content)
            if left <= 0:
                return
