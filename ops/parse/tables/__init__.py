"""Tables as sources: a row a record, in any of the usual files; `fields` of a source name its columns.

Belongs here: finding the files, the record of a row, and what a format asks of it. Not here: reading the
files (reading.py, ops/parse/lines.py), what becomes of a record (the formats that are made of this one).
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ops.parse.decoding import json_object, scalars
from ops.parse.file_encodings import of_file_in_utf8
from ops.parse.files import Found, find, once
from ops.parse.lines import is_wanted, lines_of_file
from ops.parse.packed import packings
from ops.parse.read_lines import document_id, keys_of, named
from ops.parse.source import Only, ParseError, Raw, Source
from ops.parse.tables.reading import TableFile, columns_of, rows_of, suffix_of
from ops.parse.tables.row import id_of

SUFFIXES = (*packings(".jsonl", ".csv", ".tsv"), ".parquet", ".arrow")

#: What `datasets` saves beside the rows.
_BESIDE = frozenset({"dataset_info.json", "state.json", "dataset_dict.json"})

#: The companion of a record that holds `fields` of its source.
_FIELDS = "fields"

#: Lines of JSONL by which its columns are told before all of it is read.
_FIRST = 100
#: Columns that a message names.
_SHOWN = 20
_HINT = "; `fields: {{{}: ...}}` names another one"


class Table:
    """A format that reads rows: `columns` are the names of what it asks for, each with its column by default.

    `id` is the document id of a row; without one, it is path and line.
    """

    any_encoding = True
    of_lines = True
    #: What every file should have, by the name that the format asks for it by.
    main = "text"

    def __init__(self, **columns: str) -> None:
        self.columns = columns

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every row of every table below the folder; files that are not in `only` are left out."""
        files = [found for found in find(folder, source, SUFFIXES) if Path(found.path).name not in _BESIDE]
        paths = {found.path for found in files}
        return once(raw for found in files for raw in self._records(found, source, only, paths))

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the texts and numbers of the row, by column and as this format names them, and document."""
        return {**scalars(self.row(raw)), "document": raw.document}

    def row(self, raw: Raw) -> dict[str, Any]:
        """Return a row by column and, in place of these, as this format names them. Raises ParseError."""
        row = json_object(raw.content)
        named = self._named(raw)
        rest = {name: value for name, value in row.items() if name not in named}
        return rest | {name: row[column] for name, column in named.items() if column in row}

    def needed(self, raw: Raw, row: Mapping[str, Any], name: str) -> Any:
        """Return what a row must have. Raises ParseError that lists what it has."""
        if name not in row:
            there = ", ".join(sorted(json_object(raw.content))[:_SHOWN]) or "none"
            hint = "" if _FIELDS in raw.companions else _HINT.format(name)
            raise ParseError(f"no field {self._named(raw)[name]}; there are: {there}{hint}")
        return row[name]

    def fields_fault(self, folder: Path, source: Source) -> str | None:
        """Return which of a source's `fields` this format does not know, or a file does not have.

        Where they do not name the column of texts, some file must have the usual one, unless the whole source
        may be rejected.
        """
        if unknown := sorted(source.fields.keys() - self.columns.keys()):
            return f"{unknown[0]} is not asked for; known: {', '.join(self.columns)}"
        text = source.fields.get(self.main, self.columns[self.main])
        has_text, fault = source.may_be_rejected, None
        for found in find(folder, source, SUFFIXES):
            there: list[str] = []
            with contextlib.suppress(ParseError):  # what cannot be read is a reject
                there = [] if found.error else _columns(found, source)
            if not there:
                continue
            told = f"there are: {', '.join(there[:_SHOWN])}"
            if missing := [column for column in source.fields.values() if column not in there]:
                return f"{found.path} has no field {missing[0]}; {told}"
            has_text = has_text or text in there
            if has_text and not source.fields:
                return None
            fault = fault or f"{found.path} has no field {text}; {told}{_HINT.format(self.main)}"
        return None if has_text else fault

    def _named(self, raw: Raw) -> dict[str, str]:
        return {**self.columns, **raw.companions.get(_FIELDS, {})}

    def _records(self, found: Found, source: Source, only: Only, paths: Container[str]) -> Iterator[Raw]:
        if found.error is not None:
            yield Raw(found.path, Path(found.path).name, b"", error=found.error)
        elif only is None or found.path in only:
            fields = {_FIELDS: dict(sorted(source.fields.items()))} if source.fields else {}
            column = source.fields.get("id", self.columns["id"])
            for raw in _named(found, source, only, column, paths):
                yield replace(raw, companions={**fields, **raw.companions})


def _named(found: Found, source: Source, only: Only, column: str, paths: Container[str]) -> Iterator[Raw]:
    """Yield the rows of a file, as JSON; what ends its reading is the error of one last record."""
    if _is_jsonl(found):
        lines = (raw for raw in _lines(found, source) if is_wanted(raw, only))
        yield from named(lines, partial(id_of, column), paths)
        return
    for row in rows_of(_file(found, source, column)):
        raw = Raw(
            found.path,
            document_id(row.document, f"{found.path}#{row.place}", paths),
            row.content.encode(),
            row.place,
            error=row.error,
            encoding=row.encoding,
            guessed=row.encoding is not None and not source.encoding,
        )
        if is_wanted(raw, only):
            yield raw


def _lines(found: Found, source: Source) -> Iterator[Raw]:
    lines = lines_of_file(found.path, found.file, source.max_bytes)
    return (of_file_in_utf8(raw, source.encoding, found.file, source.max_bytes) for raw in lines)


def _is_jsonl(found: Found) -> bool:
    return suffix_of(found.path) == ".jsonl"


def _file(found: Found, source: Source, column: str = "") -> TableFile:
    return TableFile(found.path, found.file, source.max_bytes, source.encoding, source.quotes, column)


def _columns(found: Found, source: Source) -> list[str]:
    """Return the columns of a file; of JSONL those of its first lines."""
    if not _is_jsonl(found):
        return columns_of(_file(found, source))
    with contextlib.closing(_lines(found, source)) as lines:  # type: ignore[type-var]
        return keys_of(itertools.islice(lines, _FIRST))
