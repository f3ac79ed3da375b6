"""The rows of a file of a table, read in the bounded child and handed over some at a time.

Belongs here: both sides of that. Not here: the readers (delimited.py, columnar.py), what a row means
(__init__.py), lines of JSON (ops/parse/read_lines.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ops.parse.bounded import Bounds, child_of
from ops.parse.files import too_large
from ops.parse.lines import UNPACKED, unpacks_too_far
from ops.parse.packed import ERRORS
from ops.parse.source import ParseError, exhausting
from ops.parse.tables import columnar, delimited
from ops.parse.tables.row import TableRow, id_of

_BOUNDS = Bounds()
#: Rows, and characters, that are handed over at once.
_MOST_ROWS, _MOST_CHARACTERS = 512, 2**20

#: A file may have a row a byte, and so many besides: each is a record, which takes a kilobyte of memory.
_ANY_ROWS = 1_000
_TOO_MANY = "it holds more rows than bytes; the rest of the file was not read"


class TableFile(NamedTuple):
    """A file, and how it is to be read."""

    path: str
    """In its source, for people."""
    file: Path
    max_bytes: int
    encoding: str
    quotes: str = ""
    id: str = ""
    """The column of document ids."""

    @property
    def delimited(self) -> delimited.Delimited | None:
        """How its lines are written, if it is CSV or TSV."""
        delimiter = delimited.DELIMITERS.get(suffix_of(self.path))
        return delimited.Delimited(delimiter, self.encoding, self.quotes) if delimiter else None


class ReadRow(NamedTuple):
    """A row as it is handed over: its line or number, its cells as JSON, or why it cannot be read."""

    place: int
    content: str
    error: str | None = None
    encoding: str | None = None
    document: str | None = None
    """The id that it gives itself, if it does."""


def suffix_of(path: str) -> str:
    """Return which format a file has, by its name."""
    return Path(path.lower().removesuffix(".gz").removesuffix(".zst")).suffix


def rows_of(table: TableFile) -> Iterator[ReadRow]:
    """Yield the rows of a file; what ends its reading is the error of one last row.

    Where a row ends the child, those before it are asked for again, one by one.
    """
    done = place = 0
    most = _MOST_ROWS
    while True:
        try:
            found = child_of(_BOUNDS).call(next_rows, table, done, most)
        except ParseError as error:
            if most == 1:
                yield ReadRow(place + 1, "", str(error))
                return
            most = 1
            continue
        if not found:
            return
        yield from found
        done, place = done + len(found), found[-1].place


def columns_of(table: TableFile) -> list[str]:
    """Return the names of the columns. Raises ParseError for a file that cannot be read."""
    return child_of(_BOUNDS).call(columns, table)


# What runs in the child:


@dataclass
class _Reading:
    """A file that is being read."""

    rows: Iterator[ReadRow]
    done: int = 0


def next_rows(table: TableFile, done: int, most: int) -> list[ReadRow]:
    """Return the rows behind the first `done`, as many as are handed over at once; none at the end.

    The file stays open from call to call, so that it is read once.
    """
    reading = _reading(table)
    if reading.done != done:
        _reading.cache_clear()
        reading = _reading(table)
        reading.done = sum(1 for _ in islice(reading.rows, done))
    found: list[ReadRow] = []
    characters = 0
    for row in islice(reading.rows, most):
        found.append(row)
        characters += len(row.content)
        if characters >= _MOST_CHARACTERS:
            break
    reading.done += len(found)
    if not found:
        _reading.cache_clear()
    return found


def columns(table: TableFile) -> list[str]:
    """Return the names of the columns. Raises ParseError for a file that cannot be read."""
    try:
        form = table.delimited
        return delimited.columns(table.file, form) if form else columnar.columns(table.file)
    except ERRORS as error:
        raise ParseError(str(error)) from None


@lru_cache(maxsize=1)
def _reading(table: TableFile) -> _Reading:
    return _Reading(_read(table))


def _read(table: TableFile) -> Iterator[ReadRow]:
    place = size = 0
    try:
        file_size = table.file.stat().st_size
        most_rows = file_size + _ANY_ROWS
        with exhausting():
            for number, row in enumerate(_rows(table, most_rows)):
                if number == most_rows:
                    raise ParseError(_TOO_MANY)
                place = row.place
                content = "" if row.error else json.dumps(row.cells, ensure_ascii=False)
                size += len(content)
                if unpacks_too_far(size, file_size, table.max_bytes):
                    raise ParseError(UNPACKED)
                if len(content) > table.max_bytes or len(content.encode()) > table.max_bytes:
                    yield ReadRow(place, "", too_large(table.max_bytes))
                else:
                    yield ReadRow(place, content, row.error, row.encoding, id_of(table.id, row.cells))
    except ParseError as error:
        yield ReadRow(place + 1, "", str(error))
    except ERRORS as error:
        cause = f"cannot be read from line {place + 1} on: {type(error).__name__}: {error}"
        yield ReadRow(place + 1, "", cause.replace(str(table.file), table.path))


def _rows(table: TableFile, most: int) -> Iterator[TableRow]:
    form = table.delimited
    return delimited.rows(table.file, form, table.max_bytes) if form else columnar.rows(table.file, most)
