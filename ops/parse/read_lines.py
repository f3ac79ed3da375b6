"""Lines of JSON, read by the bounded child before this process reads them: what they call their documents.

Belongs here: both sides of that. Not here: finding the lines (lines.py), what else they hold (the formats).

A line that the child reads within its bounds can be read here as well: it is the same JSON.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from ops.parse.bounded import Bounds, child_of
from ops.parse.decoding import json_object
from ops.parse.source import ParseError, Raw, exhausting

#: What says how the object of a line calls its document; None where it does not.
Naming: TypeAlias = Callable[[Mapping[str, Any]], str | None]

_BOUNDS = Bounds()
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
        there |= dict.fromkeys(_keys_of([raw.content for raw in some if raw.error is None]))
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
        return child_of(_BOUNDS).call(names_of, naming, lines)
    except ParseError as error:
        if len(lines) == 1:
            return [LineName(error=str(error))]
    return [name for line in lines for name in _names_of(naming, [line])]


def _keys_of(lines: Sequence[bytes]) -> list[str]:
    try:
        return child_of(_BOUNDS).call(merged_keys, lines)
    except ParseError:
        return [] if len(lines) < 2 else [key for line in lines for key in _keys_of([line])]


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
