"""The rows of a file of a table, whatever its format, one after the other: of a large file no more is held.

Belongs here: CSV and TSV (plain, .gz, .zst), Parquet, and the Arrow of a dataset that `datasets` saved. Not
here: JSONL, whose lines are records as they stand (lines.py), what a row means (tables.py).
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from ops.parse.encodings import guessed
from ops.parse.files import too_large
from ops.parse.lines import UNPACKED, unpacks_too_far
from ops.parse.packed import is_packed, opened
from ops.parse.source import ParseError

#: A row by column: texts, numbers and truths.
Cells: TypeAlias = Mapping[str, Any]

DELIMITERS = {".csv": ",", ".tsv": "\t"}
_ROWS = 64
#: What pyarrow raises at a damaged file: a text that is none, a time beyond the calendar, a column twice.
_UNREADABLE = (pa.ArrowException, OSError, ValueError, ArithmeticError, LookupError)


class TableRow(NamedTuple):
    """A row of a file: the line that it begins in, or its number; its cells, or why it cannot be read."""

    place: int
    cells: Cells
    error: str | None = None
    encoding: str | None = None
    """What its text was guessed to be in."""


def text_rows(file: Path, delimiter: str, max_bytes: int, encoding: str) -> Iterator[TableRow]:
    """Yield the rows below the header of a CSV or TSV file; blank lines are none.

    `encoding` is that of rows that are not UTF-8; empty for a guess for each. Raises ParseError for what ends
    the reading, what `packed.ERRORS` names for a damaged file.
    """
    lines = _Lines(file, max_bytes)
    with closing(lines):
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        names: list[str] = []
        while True:
            place = reader.line_num + 1
            lines.taken = 0
            try:
                cells = _next_row(reader, max_bytes)
            except csv.Error as error:
                if not names:
                    raise ParseError(f"the header is not CSV: {error}") from None
                yield TableRow(place, {}, f"not CSV: {error}")
                continue
            if cells is None:
                return
            if not "".join(cells).strip() and (not names or len(cells) < 2):
                continue
            try:
                cells, guess = _sound(cells, encoding)
            except UnicodeError as error:
                if not names:
                    raise ParseError(f"the header is not {encoding}: {error}") from None
                yield TableRow(place, {}, f"not {encoding}: {error}")
                continue
            if not names:
                names = [cell.strip() for cell in cells]
                if twice := sorted({name for name in names if names.count(name) > 1}):
                    raise ParseError(f"the column {twice[0]!r:.80} stands twice in the header")
            elif len(cells) != len(names):
                found = f"{len(cells)} columns where the header has {len(names)}"
                yield TableRow(place, {}, found)
            else:
                yield TableRow(place, dict(zip(names, cells, strict=True)), None, guess)


def _next_row(reader: Iterator[list[str]], max_bytes: int) -> list[str] | None:
    """Return the next row, whose cells may be large: `_Lines` bounds the row. The limit is the process's."""
    limit = csv.field_size_limit(max_bytes)
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(limit)


def arrow_rows(file: Path) -> Iterator[TableRow]:
    """Yield the rows of a Parquet or Arrow file, without columns of lists, structs and bytes.

    Raises ParseError for what is neither.
    """
    with _batches(file) as (names, batches):
        number = 0
        for batch in batches:
            for row in _rows_of(batch.select(names)):
                number += 1
                if isinstance(row, str):
                    yield TableRow(number, {}, row)
                else:
                    yield TableRow(number, {name: _plain(value) for name, value in row.items()})


def _rows_of(batch: pa.RecordBatch) -> list[dict[str, Any] | str]:
    """Return the rows of a batch; of one that cannot be read, why. Offsets that lead out of it are found."""
    try:
        batch.validate(full=True)
        rows: list[dict[str, Any] | str] = batch.to_pylist()
    except _UNREADABLE as error:
        if batch.num_rows == 1:
            return [f"no row of Parquet or Arrow: {error}"]
        return [row for place in range(batch.num_rows) for row in _rows_of(batch.slice(place, 1))]
    return rows


def columns(file: Path, delimiter: str | None, encoding: str) -> list[str]:
    """Return the names of the columns. Raises ParseError, and what `packed.ERRORS` names."""
    if delimiter is None:
        with _batches(file) as (names, _):
            return names
    with closing(_Lines(file, 2**20)) as lines:
        try:
            for cells in csv.reader(lines, delimiter=delimiter):
                if any(cell.strip() for cell in cells):
                    return [cell.strip() for cell in _sound(cells, encoding)[0]]
        except (csv.Error, UnicodeError) as error:
            raise ParseError(f"the header cannot be read: {error}") from None
    return []


class _Lines:
    """The lines of a file as text; bytes that are not UTF-8 are surrogates."""

    def __init__(self, file: Path, max_bytes: int) -> None:
        self.stream, self._max_bytes = opened(file), max_bytes
        self._packed = file.stat().st_size if is_packed(file.name) else None
        self._first = True
        self.taken = 0
        """Bytes of the row so far: one whose quotes never end could be all of the file."""

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self.stream.readline(self._max_bytes + 1)
        if not line:
            raise StopIteration
        self.taken += len(line)
        if self.taken > self._max_bytes:
            raise ParseError(f"{too_large(self._max_bytes)}; the rest of the file was not read")
        if unpacks_too_far(self.stream.tell(), self._packed, self._max_bytes):
            raise ParseError(UNPACKED)
        text = line.decode("utf-8", "surrogateescape")
        text, self._first = text.removeprefix("\ufeff") if self._first else text, False
        return text

    def close(self) -> None:
        self.stream.close()


def _sound(cells: list[str], encoding: str) -> tuple[list[str], str | None]:
    """Return the cells of a row without surrogates, and the encoding that was guessed, if one was.

    Raises UnicodeError for a row that is neither UTF-8 nor in the encoding that was declared.
    """
    if not any("\udc80" <= sign <= "\udcff" for cell in cells for sign in cell):
        return cells, None
    contents = [cell.encode("utf-8", "surrogateescape") for cell in cells]
    if encoding:
        return [content.decode(encoding) for content in contents], None
    found = guessed(b" ".join(contents))
    return (cells, None) if found is None else ([content.decode(found[1]) for content in contents], found[1])


@contextmanager
def _batches(file: Path) -> Iterator[tuple[list[str], Iterator[pa.RecordBatch]]]:
    """Give the columns that cells are made of, and the batches of a file."""
    try:
        if file.suffix.lower() == ".parquet":
            with pq.ParquetFile(file) as parquet:
                names = _readable(parquet.schema_arrow)
                yield names, parquet.iter_batches(batch_size=_ROWS, columns=names)
        else:
            with pa.memory_map(str(file)) as mapped, _arrow(mapped) as (schema, batches):
                yield _readable(schema), itertools.chain.from_iterable(map(_cut, batches))
    except _UNREADABLE as error:
        cause = str(error).replace(str(file), file.name)
        raise ParseError(f"cannot be read as Parquet or Arrow: {cause:.300}") from None


@contextmanager
def _arrow(mapped: pa.MemoryMappedFile) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    if mapped.read(6) == b"ARROW1":
        with pa.ipc.open_file(mapped) as reader:
            yield reader.schema, (reader.get_batch(index) for index in range(reader.num_record_batches))
    else:
        mapped.seek(0)
        with pa.ipc.open_stream(mapped) as reader:
            yield reader.schema, iter(reader)


def _cut(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    return (batch.slice(start, _ROWS) for start in range(0, batch.num_rows, _ROWS))


def _readable(schema: pa.Schema) -> list[str]:
    """Return the columns whose cells are texts, numbers, truths or times."""
    return [field.name for field in schema if not _nested(field.type)]


def _nested(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _nested(kind.value_type)
    return pa.types.is_nested(kind) or any(
        same(kind) for same in (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    )


def _plain(value: Any) -> Any:
    """Return a cell as JSON has it: a time as ISO 8601, a whole number without a point, no number as none."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() else value
    return value if value is None or isinstance(value, str | int) else str(value)
