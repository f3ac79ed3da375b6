"""Tables as sources: every row is a record, in any common file format; a source's `fields` name its columns.

Belongs here: finding the files, reading their rows in batches in the bounded child, the record of a row, and
access to the columns that a format needs. Not here: reading a file (table_files.py, lines.py), parsing a
record (the formats derived from this one).
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from silverloom.ops.parse.bounded import Bounds, child_of
from silverloom.ops.parse.decoding import json_object, scalars
from silverloom.ops.parse.files import JSON_LINES, Found, find, once, packings, too_large
from silverloom.ops.parse.lines import document_id, is_wanted, keys_of, lines_of_file, named, of_file_in_utf8
from silverloom.ops.parse.source import Only, ParseError, Raw, Source, exhausting
from silverloom.ops.parse.table_files import (
    DELIMITERS,
    Delimited,
    TableRow,
    columnar_columns,
    columnar_rows,
    delimited_columns,
    delimited_rows,
    id_of,
)
from silverloom.ops.parse.unpacked import RECORD, UnpackingBudget

SUFFIXES = (*JSON_LINES, *packings(".csv", ".tsv"), ".parquet", ".arrow")

#: Metadata files that `datasets` saves with the rows.
_BESIDE = frozenset({"dataset_info.json", "state.json", "dataset_dict.json"})

#: The companion of a record with its source's `fields`.
_FIELDS = "fields"

#: Lines of JSONL whose keys are taken as the columns before the whole file is read.
_FIRST = 100
#: Columns listed in an error message.
_SHOWN = 20
_HINT = "; `fields: {{{}: ...}}` names another one"


class Table:
    """Base of formats that read rows. `columns` maps the format's names to default column names.

    `id` is the document id of a row; without it, the id is path and line.
    """

    any_encoding = True
    of_lines = True
    #: The format's name of the column that some file must have.
    main = "text"

    def __init__(self, **columns: str) -> None:
        self.columns = columns

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every row of every table below the folder; files that are not in `only` are skipped."""
        files = [file for file in find(folder, source, SUFFIXES) if Path(file.path).name not in _BESIDE]
        paths = {file.path for file in files}
        return once(raw for file in files for raw in self._records(file, source, only, paths))

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the row's short strings and numbers, under the format's names if any, and document id."""
        return {**scalars(self.row(raw)), "document": raw.document}

    def row(self, raw: Raw) -> dict[str, Any]:
        """Return a row by column, with the format's names replacing its columns. Raises ParseError."""
        row = json_object(raw.content)
        named = self._named(raw)
        rest = {name: value for name, value in row.items() if name not in named}
        return rest | {name: row[column] for name, column in named.items() if column in row}

    def needed(self, raw: Raw, row: Mapping[str, Any], name: str) -> Any:
        """Return a required value of a row. Raises ParseError that lists the existing fields."""
        if name not in row:
            there = ", ".join(sorted(json_object(raw.content))[:_SHOWN]) or "none"
            hint = "" if _FIELDS in raw.companions else _HINT.format(name)
            raise ParseError(f"no field {self._named(raw)[name]}; there are: {there}{hint}")
        return row[name]

    def fields_fault(self, folder: Path, source: Source) -> str | None:
        """Return which of a source's `fields` the format does not know, or a file does not have; or None.

        If `fields` does not name the main column, some file must have the default one, unless the whole
        source may be rejected.
        """
        if unknown := sorted(source.fields.keys() - self.columns.keys()):
            return f"{unknown[0]} is not a field of this kind; known: {', '.join(self.columns)}"
        text = source.fields.get(self.main, self.columns[self.main])
        has_text, fault = source.may_be_rejected, None
        for file in find(folder, source, SUFFIXES):
            there: list[str] = []
            with contextlib.suppress(ParseError):  # an unreadable file is rejected later
                there = [] if file.error else _columns(file, source)
            if not there:
                continue
            told = f"there are: {', '.join(there[:_SHOWN])}"
            if missing := [column for column in source.fields.values() if column not in there]:
                return f"{file.path} has no field {missing[0]}; {told}"
            has_text = has_text or text in there
            if has_text and not source.fields:
                return None
            fault = fault or f"{file.path} has no field {text}; {told}{_HINT.format(self.main)}"
        return None if has_text else fault

    def _named(self, raw: Raw) -> dict[str, str]:
        return {**self.columns, **raw.companions.get(_FIELDS, {})}

    def _records(self, file: Found, source: Source, only: Only, paths: Container[str]) -> Iterator[Raw]:
        if file.error is not None:
            yield Raw(file.path, Path(file.path).name, b"", error=file.error)
        elif only is None or file.path in only:
            fields = {_FIELDS: dict(sorted(source.fields.items()))} if source.fields else {}
            column = source.fields.get("id", self.columns["id"])
            for raw in _named(file, source, only, column, paths):
                yield replace(raw, companions={**fields, **raw.companions})


def _named(file: Found, source: Source, only: Only, column: str, paths: Container[str]) -> Iterator[Raw]:
    """Yield the rows of a file as JSON; an error that ends the reading is that of one last record."""
    if _is_jsonl(file):
        lines = (raw for raw in _lines(file, source) if is_wanted(raw, only))
        yield from named(lines, id_of, paths, column)
        return
    for row in rows_of(_file(file, source, column)):
        raw = Raw(
            file.path,
            document_id(row.document, f"{file.path}#{row.place}", paths),
            row.content.encode(),
            row.place,
            error=row.error,
            encoding=row.encoding,
            guessed=row.encoding is not None and not source.encoding,
        )
        if is_wanted(raw, only):
            yield raw


def _lines(file: Found, source: Source) -> Iterator[Raw]:
    lines = lines_of_file(file.path, file.file, source.max_bytes)
    return (of_file_in_utf8(raw, source.encoding, file.file, source.max_bytes) for raw in lines)


def _is_jsonl(file: Found) -> bool:
    return file.path.lower().endswith(JSON_LINES)


def _file(file: Found, source: Source, column: str = "") -> TableFile:
    return TableFile(file.path, file.file, source.max_bytes, source.encoding, source.quotes, column)


def _columns(file: Found, source: Source) -> list[str]:
    """Return the columns of a file; for JSONL, the keys of its first lines."""
    if not _is_jsonl(file):
        return columns_of(_file(file, source))
    with contextlib.closing(_lines(file, source)) as lines:  # type: ignore[type-var]
        return keys_of(itertools.islice(lines, _FIRST))


_BOUNDS = Bounds()
#: Limits of a batch: rows, and characters.
_MOST_ROWS, _MOST_CHARACTERS = 512, 2**20


class TableFile(NamedTuple):
    """A file and how to read it."""

    path: str
    """Path in its source, for error messages."""
    file: Path
    max_bytes: int
    encoding: str
    quotes: str = ""
    id: str = ""
    """The column of document ids."""

    @property
    def delimited(self) -> Delimited | None:
        """The dialect of a CSV or TSV file, or None."""
        delimiter = DELIMITERS.get(suffix_of(self.path))
        return Delimited(delimiter, self.encoding, self.quotes) if delimiter else None


class ReadRow(NamedTuple):
    """A row from the child: its line or number, its cells as JSON, or why it cannot be read."""

    place: int
    content: str
    error: str | None = None
    encoding: str | None = None
    document: str | None = None
    """The row's own document id, if any."""


def suffix_of(path: str) -> str:
    """Return the suffix of a file name, without a compression suffix."""
    return Path(path.lower().removesuffix(".gz").removesuffix(".zst")).suffix


def rows_of(table: TableFile) -> Iterator[ReadRow]:
    """Yield the rows of a file; an error that ends the reading is that of one last row.

    If a row kills the child, the rows before it are requested again, one by one.
    """
    done = place = 0
    most = _MOST_ROWS
    while True:
        try:
            batch = child_of(_BOUNDS).call(next_rows, table, done, most)
        except ParseError as error:
            if most == 1:
                yield ReadRow(place + 1, "", str(error))
                return
            most = 1
            continue
        if not batch:
            return
        yield from batch
        done, place = done + len(batch), batch[-1].place


def columns_of(table: TableFile) -> list[str]:
    """Return the names of the columns. Raises ParseError for a file that cannot be read."""
    return child_of(_BOUNDS).call(read_columns, table)


# The following functions run in the child.


@dataclass
class _Reading:
    """A file being read."""

    rows: Iterator[ReadRow]
    done: int = 0


def next_rows(table: TableFile, done: int, most: int) -> list[ReadRow]:
    """Return a batch of rows after the first `done`; empty at the end.

    The file stays open between calls, so that it is read only once.
    """
    reading = _reading(table)
    if reading.done != done:
        _reading.cache_clear()
        reading = _reading(table)
        reading.done = sum(1 for _ in islice(reading.rows, done))
    batch: list[ReadRow] = []
    characters = 0
    for row in islice(reading.rows, most):
        batch.append(row)
        characters += len(row.content)
        if characters >= _MOST_CHARACTERS:
            break
    reading.done += len(batch)
    if not batch:
        _reading.cache_clear()
    return batch


def read_columns(table: TableFile) -> list[str]:
    """Return the names of the columns. Raises ParseError for a file that cannot be read."""
    try:
        form = table.delimited
        return delimited_columns(table.file, form) if form else columnar_columns(table.file)
    except OSError as error:
        raise ParseError(str(error)) from None


@lru_cache(maxsize=1)
def _reading(table: TableFile) -> _Reading:
    return _Reading(_read(table))


def _read(table: TableFile) -> Iterator[ReadRow]:
    place = 0
    try:
        budget = UnpackingBudget(table.file.stat().st_size, table.max_bytes)
        with exhausting():
            for row in _rows(table):
                place = row.place
                content = "" if row.error else json.dumps(row.cells, ensure_ascii=False)
                budget.spend(len(content) + RECORD)
                if len(content) > table.max_bytes or len(content.encode()) > table.max_bytes:
                    yield ReadRow(place, "", too_large(table.max_bytes))
                else:
                    yield ReadRow(place, content, row.error, row.encoding, id_of(table.id, row.cells))
    except ParseError as error:
        yield ReadRow(place + 1, "", str(error))
    except OSError as error:
        cause = f"cannot be read from line {place + 1} on: {error}"
        yield ReadRow(place + 1, "", cause.replace(str(table.file), table.path))


def _rows(table: TableFile) -> Iterator[TableRow]:
    form = table.delimited
    return delimited_rows(table.file, form, table.max_bytes) if form else columnar_rows(table.file)
