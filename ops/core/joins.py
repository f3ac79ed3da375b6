"""On-disk joins, groupings and partitionings of dataset rows, in time linear in their number.

Belongs here: bringing rows together by key with DuckDB, which spills, and temporary tables on disk. Not here:
spreading a large join over the tasks of a cluster (spread.py), mapping an op over parts (parts.py), what the
keys mean.

If an op looked up rows of another dataset for each of its own parts, it would read that whole dataset every
time. `matches` looks up the rows for all parts in one pass. `sources_within` looks up which rows of a dataset
are sources of another. `looked_up` adds columns of rows that other rows name. `grouped` sorts rows by a key,
so that an op sees each group whole. `divided` splits rows by value, for an op that handles one value at a
time. All of them keep the row order of the dataset, so that the bytes do not depend
on threads or memory.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from silverloom.ops.core.database import database, insert
from silverloom.ops.core.gathered import gathered
from silverloom.ops.core.parts import Part, Parts
from silverloom.ops.core.spread import found_by_set, in_order_of

if TYPE_CHECKING:
    import duckdb

#: The places of the rows with a wanted key, set by set; and of all rows, sorted by a column.
_MATCHING = """
    SELECT rows.file_index, rows.file_row_number, wanted.part,
        row_number() OVER (ORDER BY wanted.part, rows.file_index, rows.file_row_number) - 1 AS place
    FROM read_parquet(?, file_row_number = true, hive_partitioning = false) AS rows
    JOIN wanted ON rows."{}" = wanted.key
"""
_SORTED = """
    SELECT rows.file_index, rows.file_row_number, 0 AS part,
        row_number() OVER (ORDER BY rows."{}" NULLS LAST, rows.file_index, rows.file_row_number) - 1 AS place
    FROM read_parquet(?, file_row_number = true, hive_partitioning = false) AS rows
"""

#: Rows after which `divided` starts a new part.
ROWS_OF_PART = 256


def matches(
    rows: Parts,
    column: str,
    wanted: Iterable[Iterable[str | None] | pa.Array | pa.ChunkedArray],
    folder: Path,
    columns: Sequence[str] | None = None,
) -> Parts:
    """Return, for each of N sets of keys, a part with the rows whose `column` is one of the keys.

    Each part has its rows in the order of `rows`, with all columns or only `columns`. The parts are written
    to `folder`, which is created; they are valid until it is removed.
    """
    schema = rows.schema if columns is None else pa.schema([rows.schema.field(name) for name in columns])
    if (exchange := rows.engine.exchange) is not None and (places := exchange.places(_size(rows))) > 1:
        keys = map(_distinct, wanted)
        of_sets = found_by_set(exchange, places, rows, column, keys, folder / "wanted", schema.names)
        by_set = stored(of_sets, schema, rows, folder / "found")
        shutil.rmtree(folder / "wanted")
        return by_set
    with database(folder) as tables:
        count = _store_wanted(tables, wanted)
        matched = gathered(tables, rows, schema, _MATCHING.format(column), folder) if rows.parts else iter(())
        return Parts(schema, tuple(written_by_part(matched, count, schema, folder)), rows.engine)


def sources_within(rows: Parts, made: Parts, folder: Path) -> Parts:
    """Return, for each part of `rows`, a part with the ids of its rows that are sources of rows of `made`.

    The ids are in the column `source_id`. The parts are written to `folder`, which is created.
    """
    schema = pa.schema([("source_id", pa.string())])
    lists = (part.read(["source_ids"])["source_ids"] for part in made.parts)
    sources = (pa.table([pc.list_flatten(column)], schema) for column in lists)
    ids = (part.read(["id"])["id"] for part in rows.parts)
    return matches(stored(sources, schema, rows, folder / "sources"), "source_id", ids, folder / "found")


class Lookup(NamedTuple):
    """Columns of a dataset for rows that name its rows."""

    column: str
    """In the rows: holds the key, or is made by an earlier lookup."""
    dataset: Parts
    key: str
    columns: Mapping[str, str]
    """Columns of the dataset, by the names that they get."""


def looked_up(rows: Parts, folder: Path, lookups: Sequence[Lookup]) -> Parts:
    """Return, for each part of `rows`, a part with the columns of all lookups for its rows, in their order.

    A value is null if the dataset has no row with the key. The parts are written below `folder`.
    """
    made: Parts | None = None
    for number, lookup in enumerate(lookups):
        place = folder / str(number)
        source = rows if made is None or lookup.column in rows.schema.names else made
        keys = (table[lookup.column] for table in source.tables([lookup.column]))
        wanted = (lookup.key, *lookup.columns.values())
        matched = matches(lookup.dataset, lookup.key, keys, place / "matched", wanted)
        fields = [pa.field(name, matched.schema.field(its).type) for name, its in lookup.columns.items()]
        column = stored(_looked_up(lookup, source, matched), pa.schema(fields), rows, place / "columns")
        if made is not None:
            schema = pa.schema([*made.schema, *column.schema])
            column = stored(side_by_side(made, column), schema, rows, place / "made")
        made = column
    if made is None:
        raise ValueError("there is nothing to look up")
    return made


def _looked_up(lookup: Lookup, rows: Parts, matched: Parts) -> Iterator[pa.Table]:
    for keys, found in zip(rows.tables([lookup.column]), matched, strict=True):
        place = pc.index_in(keys[lookup.column], found[lookup.key])
        yield found.select([*lookup.columns.values()]).take(place).rename_columns([*lookup.columns])


def side_by_side(rows: Parts, more: Parts | None) -> Iterator[pa.Table]:
    """Yield each part of `rows` with the columns that the same part of `more` has."""
    if more is None:
        yield from rows
        return
    for table, added in zip(rows, more, strict=True):
        yield pa.table([*table.columns, *added.columns], [*table.column_names, *added.column_names])


def stored(tables: Iterable[pa.Table], schema: pa.Schema, like: Parts, folder: Path) -> Parts:
    """Write each table as one part to `folder`, which is created; the engine of `like` maps the parts."""
    folder.mkdir(parents=True)
    parts = tuple(_stored(table, schema, folder, index) for index, table in enumerate(tables))
    return Parts(schema, parts, like.engine)


def divided(rows: Parts, column: str, folder: Path, columns: Sequence[str] | None = None) -> dict[str, Parts]:
    """Split rows by the value of `column` in one pass, as parts in `folder`, which is created.

    The parts keep the order of `rows`, and have all columns or only `columns`.
    """
    schema = rows.schema if columns is None else pa.schema([rows.schema.field(name) for name in columns])
    parts_by_value: dict[str, list[Part]] = {}
    writers: dict[str, pq.ParquetWriter] = {}
    sizes: Counter[str] = Counter()
    folder.mkdir(parents=True)
    with ExitStack() as opened:
        for part in rows.parts:
            table = part.read([*{*schema.names, column}])
            for value in pc.unique(table[column]).to_pylist():
                own = table.filter(pc.equal(table[column], value)).select(schema.names).cast(schema)
                if value not in writers or sizes[value] >= ROWS_OF_PART:
                    if value in writers:
                        writers[value].close()
                    path = folder / f"kept-{sum(map(len, parts_by_value.values())):05d}.parquet"
                    writer = pq.ParquetWriter(path, schema, compression="lz4")
                    writers[value], sizes[value] = opened.enter_context(writer), 0
                    parts_by_value.setdefault(value, []).append(Part(str(path)))
                writers[value].write_table(own)
                sizes[value] += own.num_rows
    return {value: Parts(schema, tuple(parts), rows.engine) for value, parts in parts_by_value.items()}


def grouped(
    tables: Iterable[pa.Table], schema: pa.Schema, key: str, like: Parts, folder: Path, rows: int
) -> Parts:
    """Return the rows of tables grouped by a column; within a group they keep the order of the tables.

    Groups are sorted by code point, as Python sorts strings. Rows without a key form one group, the last. A
    part never splits a group: it ends after the group that brings it to `rows` rows or more. The parts are
    written to `folder`, which is created, and the engine of `like` maps them.
    """
    with database(folder) as opened:
        as_they_came = stored(tables, schema, like, folder / "unsorted")
        exchange = like.engine.exchange
        batches: Iterable[pa.Table] = ()
        if exchange is not None and (places := exchange.places(_size(as_they_came))) > 1:
            batches = in_order_of(exchange, places, as_they_came, key)
        elif as_they_came.parts:
            batches = gathered(opened, as_they_came, schema, _SORTED.format(key), folder)
        parts = tuple(_of_whole_groups(batches, key, schema, folder, rows))
    shutil.rmtree(folder / "unsorted")
    return Parts(schema, parts, like.engine)


def _size(rows: Parts) -> int:
    return sum(Path(part.path).stat().st_size for part in rows.parts)


def _distinct(keys: Iterable[str | None] | pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the distinct keys as strings, without nulls."""
    values = keys if isinstance(keys, pa.Array | pa.ChunkedArray) else pa.array(keys, pa.string())
    return pc.unique(values).drop_null().cast(pa.string())


def _of_whole_groups(
    tables: Iterable[pa.Table], key: str, schema: pa.Schema, folder: Path, rows: int
) -> Iterator[Part]:
    """Write sorted rows as parts that end at the first group boundary after `rows` rows."""
    number, count, held = 0, 0, [schema.empty_table()]
    before: object = object()
    for table in (table.select(schema.names).cast(schema) for table in tables):
        keys = table[key].to_pylist()
        begins = [place for place, (one, other) in enumerate(pairwise([before, *keys])) if one != other]
        before, done = keys[-1], 0
        for begin in begins:
            if count + begin - done >= rows:
                yield _stored(
                    pa.concat_tables([*held, table.slice(done, begin - done)]), schema, folder, number
                )
                number, count, held, done = number + 1, 0, [schema.empty_table()], begin
        held.append(table.slice(done))
        count += len(table) - done
    if count:
        yield _stored(pa.concat_tables(held), schema, folder, number)


def _store_wanted(database: duckdb.DuckDBPyConnection, wanted: Iterable[Any]) -> int:
    """Store the keys with the number of their set; return the number of sets."""
    schema = pa.schema([("part", pa.int32()), ("key", pa.string())])
    insert(database, "wanted", schema.empty_table())
    count = 0
    for count, keys in enumerate(wanted, start=1):
        keys_of_set = _distinct(keys)
        insert(database, "wanted", pa.table([[count - 1] * len(keys_of_set), keys_of_set], schema=schema))
    return count


def written_by_part(
    batches: Iterable[pa.RecordBatch | pa.Table], count: int, schema: pa.Schema, folder: Path
) -> Iterator[Part]:
    """Yield `count` parts: part n has the rows whose last column, `__part`, is n.

    The rows must be ordered by `__part`. A part without rows is empty.
    """
    number, held = 0, [schema.empty_table()]

    def written(until: int) -> Iterator[Part]:
        nonlocal number, held
        while number < until:
            yield _stored(pa.concat_tables(held), schema, folder, number)
            number, held = number + 1, [schema.empty_table()]

    for table in (one if isinstance(one, pa.Table) else pa.table(one) for one in batches):
        numbers = table["__part"].to_numpy()
        starts = [0, *(numbers[1:] != numbers[:-1]).nonzero()[0] + 1, len(numbers)]
        rows = table.drop_columns("__part").cast(schema)
        for start, end in pairwise(starts):
            if start < end:
                yield from written(int(numbers[start]))
                held.append(rows.slice(start, end - start))
    yield from written(count)


def _stored(table: pa.Table, schema: pa.Schema, folder: Path, index: int) -> Part:
    path = folder / f"kept-{index:05d}.parquet"
    pq.write_table(table.cast(schema), path, compression="lz4")
    return Part(str(path))
