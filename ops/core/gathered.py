"""Rows of part files in another order, with bounded memory.

Belongs here: reading rows by their places in the files, and ordering them in buckets on disk. Not here: which
rows, and in which order (joins.py).

DuckDB spills what it sorts, but needs room for some 120,000 whole rows per thread: 150,000 pages of 20 KB do
not go through 2 GB. So it only sorts places, and the rows follow: they are read once, file by file, and
written to the bucket of their new place. Then each bucket is sorted in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from silverloom.ops.core.database import escaped_paths
from silverloom.ops.core.parts import Parts

if TYPE_CHECKING:
    import duckdb

#: Bytes of rows in a bucket, and the largest number of buckets, whose files are open at the same time.
BUCKET, _MOST = 64 << 20, 128
#: Bytes of rows that are taken at a time.
LARGEST = 1 << 30
#: Files that are read for the mean size of a row.
_SAMPLED = 16
_PLACES = 65_536
_PART, _PLACE = "__part", "__place"


def gathered(
    tables: duckdb.DuckDBPyConnection, rows: Parts, schema: pa.Schema, query: str, folder: Path
) -> Iterator[pa.Table]:
    """Yield rows with the columns of `schema`, and as the last column the number of their set, `__part`.

    `query` selects `file_index`, `file_row_number`, `part` (the set) and `place` (the new place, from 0) from
    the files of `rows`, which are its parameter; a row may have several places. Buckets are in `folder`.
    """
    tables.execute(f"CREATE TABLE places AS {query}", [escaped_paths(part.path for part in rows.parts)])
    (count,) = tables.sql("SELECT count(*) FROM places").fetchall()[0]
    of_bucket = max(BUCKET // _size_of_row(rows, schema.names), -(-count // _MOST), 1)
    with ExitStack() as opened:
        buckets = _Buckets(schema, folder, of_bucket if count > of_bucket else None, opened)
        for number, places in _by_file(tables):
            table, start = rows.parts[number].read(schema.names).cast(schema), 0
            for some in taken(table, places["file_row_number"].to_numpy()):
                its = places.slice(start, len(some))
                buckets.add(some.append_column(_PART, its["part"]).append_column(_PLACE, its["place"]))
                start += len(some)
        buckets.write()
    tables.execute("DROP TABLE places")
    yield from buckets.sorted()


class _Buckets:
    """Rows by their place: `of_bucket` places in each file, or all in memory if that is None."""

    def __init__(self, schema: pa.Schema, folder: Path, of_bucket: int | None, opened: ExitStack) -> None:
        self._schema = schema.append(pa.field(_PART, pa.int32())).append(pa.field(_PLACE, pa.int64()))
        self._folder, self._of_bucket, self._opened = folder, of_bucket, opened
        self._writers: dict[int, pa.ipc.RecordBatchStreamWriter] = {}
        self._held: list[pa.Table] = []
        self._size = 0

    def add(self, table: pa.Table) -> None:
        """Take rows."""
        self._held.append(table.cast(self._schema))
        self._size += self._held[-1].nbytes
        if self._size > BUCKET:
            self.write()

    def write(self) -> None:
        """Write the rows that are in memory to their buckets, unless there is only one."""
        if self._of_bucket is None or not self._held:
            return
        table = pa.concat_tables(self._held)
        numbers = table[_PLACE].to_numpy() // self._of_bucket
        order = np.argsort(numbers, kind="stable")
        numbers, place = numbers[order], 0
        for some in taken(table, order):
            its = numbers[place : place + len(some)]
            for start, end in pairwise([0, *np.flatnonzero(np.diff(its)) + 1, len(its)]):
                self._writer(int(its[start])).write_table(some.slice(start, end - start))
            place += len(some)
        self._held, self._size = [], 0

    def sorted(self) -> Iterator[pa.Table]:
        """Yield the rows in the order of their places, bucket by bucket."""
        for number in sorted(self._writers):
            with pa.OSFile(str(self._path(number))) as file, pa.ipc.open_stream(file) as stream:
                bucket = stream.read_all()
            self._path(number).unlink()
            yield from _sorted(bucket)
        if self._held:
            yield from _sorted(pa.concat_tables(self._held))

    def _writer(self, number: int) -> pa.ipc.RecordBatchStreamWriter:
        if number not in self._writers:
            file = self._opened.enter_context(pa.OSFile(str(self._path(number)), "wb"))
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            writer = pa.ipc.new_stream(file, self._schema, options=options)
            self._writers[number] = self._opened.enter_context(writer)
        return self._writers[number]

    def _path(self, number: int) -> Path:
        return self._folder / f"bucket-{number:03d}"


def taken(rows: pa.Table, places: NDArray[np.integer[Any]]) -> Iterator[pa.Table]:
    """Yield the rows at N places in order, in tables of about `LARGEST` bytes at most, or of one row.

    A column of strings has 32-bit offsets. Arrow does not notice if those of the taken rows overflow.
    """
    if not len(places) or rows.nbytes * int(np.bincount(places).max()) <= LARGEST:
        yield rows.take(places)
        return
    ends = np.cumsum(_sizes(rows)[places])
    wide = rows.cast(
        pa.schema([field.with_type(_wide(field.type)) for field in rows.schema])
    ).combine_chunks()
    start = 0
    while start < len(places):
        most = (ends[start - 1] if start else 0) + LARGEST
        end = max(start + 1, int(np.searchsorted(ends, most, side="right")))
        yield wide.take(places[start:end]).cast(rows.schema)
        start = end


def _sizes(rows: pa.Table) -> NDArray[np.int64]:
    """Return about how many bytes each row has."""
    sizes = np.zeros(len(rows), np.int64)
    for column in rows.columns:
        start = 0
        for chunk in column.chunks:
            sizes[start : start + len(chunk)] += _sizes_of(chunk)
            start += len(chunk)
    return sizes


def _sizes_of(values: pa.Array) -> NDArray[np.int64]:
    kind = values.type
    if pa.types.is_struct(kind):
        return sum(map(_sizes_of, values.flatten()), np.zeros(len(values), np.int64))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        before = np.concatenate([[0], np.cumsum(_sizes_of(values.flatten()))])
        counts = pc.list_value_length(values).fill_null(0).to_numpy()
        sizes: NDArray[np.int64] = np.diff(before[np.concatenate([[0], np.cumsum(counts)])]) + 8
        return sizes
    if isinstance(values, pa.StringArray | pa.LargeStringArray | pa.BinaryArray | pa.LargeBinaryArray):
        return np.asarray(pc.binary_length(values).fill_null(0), np.int64) + 8
    return np.full(len(values), 8 + values.nbytes // max(len(values), 1))


def _wide(kind: pa.DataType) -> pa.DataType:
    """Return a type with 64-bit offsets."""
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_wide(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.large_list(kind.value_field.with_type(_wide(kind.value_type)))
    if pa.types.is_string(kind):
        return pa.large_string()
    return pa.large_binary() if pa.types.is_binary(kind) else kind


def _sorted(rows: pa.Table) -> Iterator[pa.Table]:
    order = pc.sort_indices(rows[_PLACE]).to_numpy()
    return (some.drop_columns(_PLACE) for some in taken(rows, order))


def _by_file(tables: duckdb.DuckDBPyConnection) -> Iterator[tuple[int, pa.Table]]:
    """Yield the number of each file that has places, and these, in the order of its rows."""
    query = "SELECT * FROM places ORDER BY file_index, file_row_number, place"
    held: list[pa.Table] = []
    for batch in tables.sql(query).to_arrow_reader(_PLACES):
        table = pa.table(batch)
        numbers = table["file_index"].to_numpy()
        for start, end in pairwise([0, *np.flatnonzero(np.diff(numbers)) + 1, len(numbers)]):
            if held and held[0]["file_index"][0].as_py() != numbers[start]:
                yield held[0]["file_index"][0].as_py(), pa.concat_tables(held)
                held = []
            held.append(table.slice(start, end - start))
    if held:
        yield held[0]["file_index"][0].as_py(), pa.concat_tables(held)


def _size_of_row(rows: Parts, names: Sequence[str]) -> int:
    """Return the mean size of a row of some files in memory; a file may repeat values without their bytes."""
    some = (part.read(names) for part in rows.parts[:: -(-len(rows.parts) // _SAMPLED) or 1])
    sizes = [(table.nbytes, len(table)) for table in some]
    return max(1, int(sum(size for size, _ in sizes)) // max(1, sum(count for _, count in sizes)))
