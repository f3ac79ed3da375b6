"""Joins and sorts spread over the tasks of a cluster by key.

Belongs here: assigning rows to tasks, what each task does with its rows, and the order of the results. Not
here: the interface of joins, and joins on one machine (joins.py), sending tables from task to task (the
engine's exchange).

The rows of each part are divided by the hash of their key (for a join) or by the key's range (for a sort).
One task handles each division: it gets the rows and the wanted keys of all parts. A second round of tasks
puts the matches of each set into the order of their dataset. So the bytes equal those of joins.py.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from silverloom.ops.core.database import database
from silverloom.ops.core.gathered import taken
from silverloom.ops.core.parts import Exchange, Part, Parts, temporary_folder

#: Columns with the number of a row's part, its index in the part, and its key as a string.
_PART, _ROW, _KEY = "__part", "__row", "__key"
#: The number of the set of keys that a row was found for.
_SET = "__set"

_WANTED = pa.schema([(_SET, pa.int64()), (_KEY, pa.string())])
#: Wanted keys per file.
_KEYS_OF_FILE = 1_000_000

#: Keys sampled from each part to find the range bounds.
_SAMPLED = 200


def found_by_set(
    exchange: Exchange,
    places: int,
    rows: Parts,
    column: str,
    wanted: Iterable[pa.Array],
    folder: Path,
    names: Sequence[str],
) -> Iterator[pa.Table]:
    """Yield, for each set of keys, the rows with one of its keys; temporary files are in `folder`."""
    files, sets = _written(wanted, folder)
    pieces = [(number, part) for number, part in enumerate([*files, *rows.parts], -len(files))]
    stages: tuple[Callable[..., Any], ...] = (_divided_by_hash, _joined, _in_order)
    shared = (column, names, sets)
    yield from chain.from_iterable(map(_tables, exchange.run(pieces, stages, places, *shared)))


def in_order_of(exchange: Exchange, places: int, rows: Parts, key: str) -> Iterator[pa.Table]:
    """Yield the rows sorted by key, then in their original order; rows without a key come last."""
    bounds = _bounds(rows, key, places)
    stages: tuple[Callable[..., Any], ...] = (_divided_by_order, _sorted)
    for division in exchange.run(list(enumerate(rows.parts)), stages, places, key, bounds):
        yield from filter(len, _tables(division))


def _written(wanted: Iterable[pa.Array], folder: Path) -> tuple[list[Part], int]:
    """Write the keys with the numbers of their sets; return the files and the number of sets."""
    folder.mkdir(parents=True)
    files: list[Part] = []
    held: list[pa.Table] = []
    sets = 0

    def write() -> None:
        if sum(map(len, held)):
            path = folder / f"wanted-{len(files):05d}.parquet"
            pq.write_table(pa.concat_tables(held), path, compression="lz4")
            files.append(Part(str(path)))
        held.clear()

    for sets, keys in enumerate(wanted, start=1):
        held.append(pa.table([pa.array(np.full(len(keys), sets - 1)), keys], _WANTED))
        if sum(map(len, held)) >= _KEYS_OF_FILE:
            write()
    write()
    return files, sets


def _divided_by_hash(
    place: int, places: int, pieces: Sequence[tuple[int, Part]], column: str, names: Sequence[str], sets: int
) -> list[bytes]:
    """Divide parts by the hash of their keys; parts with negative numbers hold the wanted keys."""
    rows, wanted = [], [_WANTED.empty_table()]
    for number, part in pieces:
        if number < 0:
            wanted.append(part.read())
            continue
        table = part.read([*{*names, column}])
        keys = table[column].cast(pa.string())
        rows.append(
            _numbered(table.select(names), number).append_column(_KEY, keys).filter(pc.is_valid(keys))
        )
    both = (pa.concat_tables(rows) if rows else None), pa.concat_tables(wanted)
    divided = [_divided(table, _hashes(table[_KEY], places), places) for table in both if table is not None]
    return [_packed(of_place) for of_place in zip(*divided, strict=True)]


def _joined(
    place: int, places: int, given: Sequence[bytes], column: str, names: Sequence[str], sets: int
) -> list[bytes]:
    """Join the rows of one division with its wanted keys; divide the result by set."""
    tables = [_tables(content) for content in given]
    held = pa.concat_tables(several[0] for several in tables if len(several) == 2)
    wanted = pa.concat_tables(several[-1] for several in tables)
    with temporary_folder() as folder:
        matched = _matching(held[_KEY], wanted, folder / "join")
    joined = _ordered(held.drop_columns(_KEY), matched["place"].to_numpy()).append_column(_SET, matched[_SET])
    return [_packed([its]) for its in _divided(joined, joined[_SET].to_numpy() * places // sets, places)]


def _in_order(
    place: int, places: int, given: Sequence[bytes], column: str, names: Sequence[str], sets: int
) -> bytes:
    """Return one table for each of this task's sets, with rows in the order of their dataset."""
    rows = pa.concat_tables(table for content in given for table in _tables(content))
    order = pc.sort_indices(rows, [(name, "ascending") for name in (_SET, _PART, _ROW)])
    rows = _ordered(rows, order.to_numpy())
    mine = range(-(-place * sets // places), -(-(place + 1) * sets // places))
    starts = np.searchsorted(rows[_SET].to_numpy(), [*mine, mine.stop])
    rows = rows.select(names)
    return _packed([rows.slice(start, end - start) for start, end in pairwise(starts.tolist())])


def _divided_by_order(
    place: int, places: int, pieces: Sequence[tuple[int, Part]], key: str, bounds: Sequence[Any]
) -> list[bytes]:
    """Divide parts by the range that their keys are in."""
    rows = pa.concat_tables(_numbered(part.read(), number) for number, part in pieces)
    numbers = [
        places - 1 if value is None else bisect_right(bounds, value) for value in rows[key].to_pylist()
    ]
    return [_packed([its]) for its in _divided(rows, np.array(numbers, np.int64), places)]


def _sorted(place: int, places: int, given: Sequence[bytes], key: str, bounds: Sequence[Any]) -> bytes:
    """Return the rows of one range, sorted."""
    rows = pa.concat_tables(table for content in given for table in _tables(content))
    order = pc.sort_indices(rows, [(name, "ascending") for name in (key, _PART, _ROW)])  # nulls last
    return _packed([_ordered(rows, order.to_numpy()).drop_columns([_PART, _ROW])])


def _bounds(rows: Parts, key: str, places: int) -> list[Any]:
    """Return the lowest key of each range but the first, so that ranges have about equally many rows."""
    sampled: list[Any] = []
    for part in rows.parts:
        keys = part.read([key])[key].drop_null()
        sampled += keys.take(np.arange(0, len(keys), -(-len(keys) // _SAMPLED) or 1)).to_pylist()
    sampled.sort()
    return sorted({sampled[place * len(sampled) // places] for place in range(1, places)}) if sampled else []


def _matching(keys: pa.ChunkedArray, wanted: pa.Table, folder: Path) -> pa.Table:
    """Return indices into the keys, each with the number of a set that wants the key."""
    with database(folder) as tables:
        tables.register("keys", pa.table({"place": np.arange(len(keys)), _KEY: keys}))
        tables.register("wanted", wanted)
        query = f"SELECT place, {_SET} FROM keys JOIN wanted USING ({_KEY})"  # noqa: S608  names of ours
        return tables.sql(query).to_arrow_table()


def _numbered(table: pa.Table, number: int) -> pa.Table:
    count = len(table)
    return table.append_column(_PART, pa.array(np.full(count, number))).append_column(
        _ROW, pa.array(np.arange(count))
    )


def _hashes(keys: pa.ChunkedArray, places: int) -> NDArray[np.int64]:
    return np.array([crc32(key.encode()) % places for key in keys.to_pylist()], np.int64)


def _divided(rows: pa.Table, numbers: NDArray[np.int64], places: int) -> list[pa.Table]:
    """Return one table for each number from 0 to `places` - 1, with rows in their original order."""
    order = np.argsort(numbers, kind="stable")
    rows, starts = _ordered(rows, order), np.searchsorted(numbers[order], np.arange(places + 1))
    return [rows.slice(start, end - start) for start, end in pairwise(starts.tolist())]


def _ordered(rows: pa.Table, places: NDArray[np.integer[Any]]) -> pa.Table:
    return pa.concat_tables(taken(rows, places))


def _packed(tables: Iterable[pa.Table]) -> bytes:
    """Return tables as bytes: concatenated Arrow streams."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    for table in tables:
        with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
            stream.write_table(table)
    return bytes(sink.getvalue())


def _tables(content: bytes) -> list[pa.Table]:
    source, tables = pa.BufferReader(content), []
    while source.tell() < len(content):
        tables.append(pa.ipc.open_stream(source).read_all())
    return tables
