"""Parquet, and the Arrow of a dataset that `datasets` saved, as tables, batch by batch.

Belongs here: which columns are read, batches that are damaged, cells as JSON has them. Not here: what a row
means.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ops.parse.source import ParseError
from ops.parse.tables.row import TableRow

_ROWS = 64
#: How much of a column of Parquet is read at once.
_BUFFER = 2**20
#: What pyarrow raises at a damaged file: a text that is none, a time beyond the calendar, a column twice.
_UNREADABLE = (pa.ArrowException, OSError, ValueError, ArithmeticError, LookupError)


def rows(file: Path, most: int) -> Iterator[TableRow]:
    """Yield the rows, without columns of lists, structs and bytes.

    Raises ParseError for what has none, and for a file that tells of more than `most`.
    """
    with _batches(file) as (names, told, batches):
        if told > most:
            raise ParseError(f"it tells of {told:,} rows in {file.stat().st_size:,} bytes; it was not read")
        number = 0
        for batch in batches:
            for cells in _rows_of(batch.select(names)):
                number += 1
                if isinstance(cells, str):
                    yield TableRow(number, {}, cells)
                else:
                    yield TableRow(number, {name: _plain(value) for name, value in cells.items()})


def columns(file: Path) -> list[str]:
    """Return the names of the columns that are read. Raises ParseError."""
    with _batches(file) as (names, *_):
        return names


def _rows_of(batch: pa.RecordBatch, sound: bool = False) -> Iterator[dict[str, Any] | str]:
    """Yield the rows of a batch; of one that cannot be read, why. Offsets that lead out of it are found."""
    few = batch.num_rows <= _ROWS
    try:
        if not sound:
            batch.validate(full=True)
        cells = batch.to_pylist() if few else []
    except MemoryError:  # which pyarrow's is as well
        raise
    except _UNREADABLE as error:
        if batch.num_rows == 1:
            yield f"no row of Parquet or Arrow: {error}"
            return
        sound, few, step = False, False, batch.num_rows // 2
    else:
        sound, step = True, _ROWS
    if few:
        yield from cells
        return
    for start in range(0, batch.num_rows, step):
        yield from _rows_of(batch.slice(start, step), sound)


@contextmanager
def _batches(file: Path) -> Iterator[tuple[list[str], int, Iterator[pa.RecordBatch]]]:
    """Give the columns that cells are made of, how many rows a file tells of (Arrow: 0), and its batches."""
    try:
        if file.suffix.lower() == ".parquet":
            with pq.ParquetFile(file, buffer_size=_BUFFER) as parquet:
                names = _readable(parquet.schema_arrow)
                batches = parquet.iter_batches(_ROWS, columns=names, use_threads=False)
                yield names, parquet.metadata.num_rows, batches
        else:  # not mapped: to map a large file takes more memory than a child may have
            with pa.OSFile(str(file)) as stream, _arrow(stream) as (schema, batches):
                yield _readable(schema), 0, batches
    except (MemoryError, ParseError):
        raise
    except _UNREADABLE as error:
        cause = str(error).replace(str(file), file.name)
        raise ParseError(f"cannot be read as Parquet or Arrow: {cause:.300}") from None


@contextmanager
def _arrow(stream: pa.NativeFile) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    if stream.read(6) == b"ARROW1":
        with pa.ipc.open_file(stream) as reader:
            yield reader.schema, (reader.get_batch(index) for index in range(reader.num_record_batches))
    else:
        stream.seek(0)
        with pa.ipc.open_stream(stream) as reader:
            yield reader.schema, iter(reader)


def _readable(schema: pa.Schema) -> list[str]:
    """Return the columns whose cells are texts, numbers, truths or times."""
    return [field.name for field in schema if not _nested(field.type)]


def _nested(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _nested(kind.value_type)
    types = pa.types
    binary = (types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary)
    return any(same(kind) for same in (types.is_nested, *binary))


def _plain(value: Any) -> Any:
    """Return a cell as JSON has it: a time as ISO 8601, a whole number without a point, no number as none."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() else value
    return value if value is None or isinstance(value, str | int) else str(value)
