"""The lines of a source's files as records, for files with one document per line.

Belongs here: reading lines within limits, compressed or not; the document ids in lines of JSON, which the
child process reads first; the encoding of a file's lines and rows. Not here: finding the files (files.py),
guessing the encoding of one text (encodings.py), what else a line contains (the formats).

Once the child has read a line of JSON within its limits, the parent can read the same line safely.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple, TypeVar

from silverloom.ops.parse.bounded import Bounds, child_of
from silverloom.ops.parse.bounded.messages import name_of
from silverloom.ops.parse.decoding import json_object
from silverloom.ops.parse.encodings import damaged_utf8, decoded_as, guess_of, in_utf8, is_utf8
from silverloom.ops.parse.files import Found, find, once, opened, too_large
from silverloom.ops.parse.source import Only, ParseError, Raw, Source, exhausting
from silverloom.ops.parse.unpacked import DamageError, Unpacked

#: Bytes skipped at a time.
_BLOCK = 2**13


def lines_of_files(
    folder: Path,
    source: Source,
    suffixes: tuple[str, ...],
    only: Only,
    naming: Callable[[Mapping[str, Any]], str | None] | None = None,
) -> Iterator[Raw]:
    """Yield every non-blank line of every file as one record, decompressing .gz and .zst files.

    With `naming`, lines are JSON, and it returns the document id of a line; it must be a function of a
    module. Otherwise the id is path and line number, and also if `naming` returns None or an id that another
    line may get this way. A line over source.max_bytes is yielded unread, with an error; one that cannot be
    read as JSON gets an error, too.
    """
    files = list(find(folder, source, suffixes))
    raws = chain.from_iterable(_of_file(file, source.max_bytes, only) for file in files)
    return once(raws if naming is None else named(raws, naming, {file.path for file in files}))


def _of_file(file: Found, max_bytes: int, only: Only) -> Iterator[Raw]:
    if file.error is not None:
        yield Raw(file.path, Path(file.path).name, b"", error=file.error)
    elif only is None or file.path in only:
        raws = lines_of_file(file.path, file.file, max_bytes)
        yield from (raw for raw in raws if is_wanted(raw, only))


def is_wanted(raw: Raw, only: Only) -> bool:
    """Say whether a record is wanted, given that its path is in `only`."""
    return not isinstance(only, Mapping) or raw.row in only[raw.path]


def lines_of_file(path: str, file: Path, max_bytes: int) -> Iterator[Raw]:
    """Yield the lines of a plain or compressed file like `line_records`."""
    try:
        with opened(file, max_bytes) as stream:
            yield from line_records(stream, path, max_bytes)
    except OSError as error:
        yield unread(path, 1, error, file)


def line_records(stream: Unpacked, path: str, max_bytes: int) -> Iterator[Raw]:
    """Yield the non-blank lines of a file. Damage, and an error that stops the reading, are records, too.

    Behind a damaged member, reading goes on at the next one, without the rest of a line that is cut. A line
    over the limit is skipped without being held in memory.
    """
    row, behind_damage = 0, False
    while True:
        row += 1
        try:
            line, error = _next_line(stream, max_bytes)
        except OSError as fault:
            behind_damage = isinstance(fault, DamageError) and stream.proceed()
            yield unread(path, row, fault, goes_on=behind_damage)
            if not behind_damage:
                return
            continue
        if not line:
            return
        if behind_damage and not line.startswith(b"{"):
            row -= 1
        elif line.strip():
            yield Raw(path, f"{path}#{row}", b"" if error else line.rstrip(b"\r\n"), row, error=error)
        behind_damage = False


def _next_line(stream: Unpacked, max_bytes: int) -> tuple[bytes, str | None]:
    """Return the next line (of one over the limit, a part that is not blank if it is not) and its error."""
    line = stream.readline(max_bytes + len(b"\r\n"))
    stream.count_record()
    piece, skipped = line, False
    while piece and not piece.endswith(b"\n") and (piece := stream.readline(_BLOCK)):
        line, skipped = line if line.strip() else piece, True
    return line, too_large(max_bytes) if skipped or len(line.rstrip(b"\r\n")) > max_bytes else None


def unread(path: str, row: int, error: Exception, file: Path | None = None, goes_on: bool = False) -> Raw:
    """Return the record of what cannot be read of a file: from a row on, or up to the next member."""
    rest = "; reading goes on behind it" if goes_on else ""
    cause = f"cannot be read from line {row} on: {error}{rest}"
    return Raw(path, f"{path}#{row}", b"", row, error=cause.replace(str(file), path) if file else cause)


_NAMING_BOUNDS = Bounds()
#: Limits of a batch: lines, and bytes.
_MOST_LINES, _MOST_BYTES = 512, 2**20


class LineName(NamedTuple):
    """The document id of a line, or why the line cannot be read."""

    document: str | None = None
    error: str | None = None


def _unnamed(error: str) -> LineName:
    return LineName(error=error)


def named(
    raws: Iterable[Raw], naming: Callable[..., str | None], paths: Container[str], *given: str
) -> Iterator[Raw]:
    """Yield lines with the document ids that they contain; unreadable ones get an error.

    A line without an id keeps its current one, and so does a line whose id may be that of another line of
    `paths`. `naming` runs in the child, with what is given and the object of a line: it must be a function of
    a module.
    """
    for some in _batches(raws):
        sound = [raw.content for raw in some if raw.error is None]
        names = iter(_by_child(sound, _unnamed, names_of, name_of(naming), given))
        for raw in some:
            if raw.error is not None:
                yield raw
                continue
            name = next(names)
            document = document_id(name.document, raw.document, paths)
            yield replace(raw, document=document, error=name.error)


def keys_of(raws: Iterable[Raw]) -> list[str]:
    """Return the keys of all lines' objects in order of first occurrence, skipping unreadable lines."""
    keys: dict[str, None] = {}
    for some in _batches(raws):
        lines = [raw.content for raw in some if raw.error is None]
        for line_keys in _by_child(lines, _no_keys, keys_in):
            keys |= dict.fromkeys(line_keys)
    return list(keys)


def _no_keys(error: str) -> list[str]:
    return []


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


Told = TypeVar("Told")


def _by_child(
    lines: Sequence[bytes], failed: Callable[[str], Told], function: Callable[..., list[Told]], *more: object
) -> list[Told]:
    """Return what the child tells of each line; if one of them kills it, each is read alone."""
    if not lines:
        return []
    try:
        return child_of(_NAMING_BOUNDS).call(function, lines, *more)
    except ParseError as error:
        if len(lines) == 1:
            return [failed(str(error))]
    return [told for line in lines for told in _by_child([line], failed, function, *more)]


# The following functions run in the child.


def names_of(lines: Sequence[bytes], naming: str, given: Sequence[str]) -> list[LineName]:
    """Return the document ids of lines, in order, by the function of that name."""
    function = partial(resolve_name(naming), *given)
    return [_name_of(line, function) for line in lines]


def keys_in(lines: Sequence[bytes]) -> list[list[str]]:
    """Return the keys of each line, none of an unreadable one."""
    return [_keys_in(line) for line in lines]


def _name_of(line: bytes, naming: Callable[[Mapping[str, Any]], str | None]) -> LineName:
    try:
        with exhausting():
            name = naming(json_object(line))
    except ParseError as error:
        return LineName(error=str(error))
    return LineName(name if name and name.isprintable() else None)


def _keys_in(line: bytes) -> list[str]:
    with suppress(ParseError), exhausting():
        return [*json_object(line)]
    return []


#: Bytes of lines for guessing the encoding of a file.
_SAMPLED_LINES = 2**16


def of_file_in_utf8(raw: Raw, encoding: str, file: Path, max_bytes: int) -> Raw:
    """Return a record of a file with its bytes converted to UTF-8, like `in_utf8`."""
    if raw.row is None:
        return in_utf8(raw, encoding)
    return in_utf8(raw, encoding, partial(guessed_in, file, max_bytes=max_bytes))


def guessed_in(file: Path, content: bytes, max_bytes: int) -> tuple[str, str] | None:
    """Return the text and encoding of a line of a file, like `encodings.guessed`.

    The guess is made once for all lines of the file that are not UTF-8: it takes milliseconds, and a short
    line tells little.
    """
    if damaged_utf8(content):
        return None
    known = file.stat()
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
