"""Joins and sorts that are spread over the tasks of a cluster, by partitions of the keys.

Belongs here: which rows go to which partition, what a task does with those of one, and the order of what
comes back. Not here: the interface of joins, and joins on one machine (joins.py), sending tables from task to
task (the engine's exchange).

Rows of a part are divided by the hash of their key (a join) or by its place in the order (a sort). Each
partition is one task, which has the rows and the wanted keys of all parts. What a join finds goes to further
tasks, which put the rows of each set into the order of their dataset. So the bytes are those of joins.py.
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

from ops.core.database import database
from ops.core.parts import Exchange, Part, Parts, temporary_folder

#: Where a row stands: the number of its part, and its place in it; and its key as text.
_PART, _ROW, _KEY = "__part", "__row", "__key"
#: The number of the set of keys that a row was found for.
_SET = "__set"

_WANTED = pa.schema([(_SET, pa.int64()), (_KEY, pa.string())])
#: Wanted keys of a file.
_KEYS_OF_FILE = 1_000_000

#: Keys whose places in the order are looked at, of each part.
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
    """Yield, for each set of keys, the rows that have one of them; files of these are in `folder`."""
    files, sets = _written(wanted, folder)
    pieces = [(number, part) for number, part in enumerate([*files, *rows.parts], -len(files))]
    stages: tuple[Callable[..., Any], ...] = (_divided_by_hash, _joined, _in_order)
    shared = (column, names, sets)
    yield from chain.from_iterable(map(_tables, exchange.run(pieces, stages, places, *shared)))


def in_order_of(exchange: Exchange, places: int, rows: Parts, key: str) -> Iterator[pa.Table]:
    """Yield the rows by a key, those of one key in their order; rows without a key are the last."""
    bounds = _bounds(rows, key, places)
    stages: tuple[Callable[..., Any], ...] = (_divided_by_order, _sorted)
    for found in exchange.run(list(enumerate(rows.parts)), stages, places, key, bounds):
        yield from filter(len, _tables(found))


def _written(wanted: Iterable[pa.Array], folder: Path) -> tuple[list[Part], int]:
    """Write the keys with the numbers of their sets; return the files, and how many sets there are."""
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
    """Divide parts by the hashes of their keys; those with numbers below 0 have wanted keys."""
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
    """Join the rows of one partition with the keys that are wanted of it; divide them by set."""
    tables = [_tables(content) for content in given]
    held = pa.concat_tables(several[0] for several in tables if len(several) == 2)
    wanted = pa.concat_tables(several[-1] for several in tables)
    with temporary_folder() as folder:
        found = _matching(held[_KEY], wanted, folder / "join")
    joined = held.drop_columns(_KEY).take(found["place"]).append_column(_SET, found[_SET])
    return [_packed([its]) for its in _divided(joined, joined[_SET].to_numpy() * places // sets, places)]


def _in_order(
    place: int, places: int, given: Sequence[bytes], column: str, names: Sequence[str], sets: int
) -> bytes:
    """Return the rows of some sets, a table for each, in the order of their dataset."""
    rows = pa.concat_tables(table for content in given for table in _tables(content))
    rows = rows.take(pc.sort_indices(rows, [(name, "ascending") for name in (_SET, _PART, _ROW)]))
    mine = range(-(-place * sets // places), -(-(place + 1) * sets // places))
    starts = np.searchsorted(rows[_SET].to_numpy(), [*mine, mine.stop])
    rows = rows.select(names)
    return _packed([rows.slice(start, end - start) for start, end in pairwise(starts.tolist())])


def _divided_by_order(
    place: int, places: int, pieces: Sequence[tuple[int, Part]], key: str, bounds: Sequence[Any]
) -> list[bytes]:
    """Divide parts by where their keys stand in the order."""
    rows = pa.concat_tables(_numbered(part.read(), number) for number, part in pieces)
    numbers = [
        places - 1 if value is None else bisect_right(bounds, value) for value in rows[key].to_pylist()
    ]
    return [_packed([its]) for its in _divided(rows, np.array(numbers, np.int64), places)]


def _sorted(place: int, places: int, given: Sequence[bytes], key: str, bounds: Sequence[Any]) -> bytes:
    """Return the rows of one partition in their order."""
    rows = pa.concat_tables(table for content in given for table in _tables(content))
    order = pc.sort_indices(rows, [(name, "ascending") for name in (key, _PART, _ROW)])  # without one: last
    return _packed([rows.take(order).drop_columns([_PART, _ROW])])


def _bounds(rows: Parts, key: str, places: int) -> list[Any]:
    """Return the keys at which partitions begin, all but the first, of like many rows each."""
    sampled: list[Any] = []
    for part in rows.parts:
        keys = part.read([key])[key].drop_null()
        sampled += keys.take(np.arange(0, len(keys), -(-len(keys) // _SAMPLED) or 1)).to_pylist()
    sampled.sort()
    return sorted({sampled[place * len(sampled) // places] for place in range(1, places)}) if sampled else []


def _matching(keys: pa.ChunkedArray, wanted: pa.Table, folder: Path) -> pa.Table:
    """Return places among the keys with the numbers of the sets that want the key there."""
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
    """Return the rows of each number in 0 to `places` - 1, in their order."""
    order = np.argsort(numbers, kind="stable")
    rows, starts = rows.take(order), np.searchsorted(numbers[order], np.arange(places + 1))
    return [rows.slice(start, end - start) for start, end in pairwise(starts.tolist())]


def _packed(tables: Iterable[pa.Table]) -> bytes:
    """Return tables as bytes: streams of Arrow, one behind the other."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    for table in tables:
        with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
            stream.write_table(table)
    return bytes(sink.getvalue())


def _tables(content: bytes) -> list[pa.Table]:
    source, found = pa.BufferReader(content), []
    while source.tell() < len(content):
        found.append(pa.ipc.open_stream(source).read_all())
    return found
