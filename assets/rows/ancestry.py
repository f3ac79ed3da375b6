"""The origins of rows and what became of them, looked up by id in all datasets.

Belongs here: finding rows by id and following `source_ids` both ways, for `silverloom explain` and the
lineage pages. Not here: the content of the rows (origins.py).

A temporary database has the ids and sources of all rows, and spills to disk. Memory has only what was looked
up. Each look-up scans the database, whether for one id or for many, so look up many together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import Everything, label
from silverloom.assets.rows.reading import read
from silverloom.ops.core.database import database, escaped_paths, insert
from silverloom.ops.core.parts import TABLES, part_files, temporary_folder

if TYPE_CHECKING:
    import duckdb

#: Memory limit of the database; beyond it DuckDB writes to disk.
_MEMORY = "512MB"
#: A row's number has the number of its file above these bits, and its number in that file in them.
_BITS = 32
#: Every id with the rows that have it, or have it as a source.
_NAMED = f"""(
    SELECT id, number, number >> {_BITS} AS file, false AS source FROM rows
    UNION ALL SELECT unnest(source_ids), number, number >> {_BITS}, true FROM rows
)"""  # noqa: S608  no user's text


@dataclass(frozen=True, eq=False)
class File:
    """One part of one table of a partition."""

    dataset: Dataset
    partition: str
    table: str
    path: Path

    @property
    def name(self) -> str:
        """Dataset, partition and table, in readable form."""
        return f"{label(self.dataset, self.partition)} [{self.table}]"

    @property
    def schema(self) -> pa.Schema:
        """The declared columns of its rows."""
        return getattr(self.dataset.shape, self.table)

    @property
    def address(self) -> str:
        """The file's path within a checkout, wherever it was read from."""
        return "/".join(filter(None, ("data", self.dataset.name, self.partition, self.path.name)))


@dataclass(frozen=True)
class RowPlace:
    """The location of a row: its file, its number in that file, from 0, and its id."""

    file: File
    index: int
    id: str


@dataclass(frozen=True)
class Lineage:
    """What is known about one id: everything, or at most `most` sources and users."""

    id: str
    places: Sequence[RowPlace]
    """The rows with this id, in the order of the DAG; a dropped unit also appears where it was kept."""
    lists: Sequence[Sequence[str]]
    """The sources of each of its kept rows, else of each of its rows; these may include the id itself."""
    users: Sequence[RowPlace]
    """The kept rows that list it among their sources, in the order of the DAG; it may be one of them."""
    totals: tuple[int, int]
    """How many sources it has and how many rows use it, without itself; the lists may be shorter."""
    most: int | None = None

    @property
    def made_of(self) -> list[str]:
        """The sources; never the id itself."""
        return self.sources()[: self.most]

    @property
    def used_by(self) -> list[RowPlace]:
        """The kept rows that list it among their sources; never its own."""
        return [place for place in self.users if place.id != self.id]

    @property
    def kept(self) -> list[RowPlace]:
        """The locations where it was kept."""
        return [place for place in self.places if _kept(place)]

    @property
    def raw(self) -> bool:
        """Whether it is a record of a source: never kept, and without other sources."""
        return not self.kept and not self.made_of

    @property
    def kind(self) -> str | None:
        """The dataset of raw records that a record belongs to, if any."""
        return next((place.file.dataset.records for place in (*self.places, *self.used_by)), None)

    def sources(self, most: int | None = None) -> list[str]:
        """Return at most `most` sources, from the first `most` of each row; never the id itself."""
        ids = dict.fromkeys(name for names in self.lists for name in names[:most] if name != self.id)
        return list(ids)[:most]

    def user_ids(self, most: int | None = None) -> list[str]:
        """Return the ids of the first `most` users; never the id itself."""
        return list(dict.fromkeys(place.id for place in self.users[:most] if place.id != self.id))


@contextmanager
def opened(everything: Everything, most: int | None = None) -> Iterator[Ancestry]:
    """Yield the ancestry of the datasets in some folders, with at most `most` sources and users for each id.

    Raises ValueError naming a file that is not Parquet.
    """
    with temporary_folder(everything.scratch) as folder, database(folder / "ancestry") as tables:
        tables.execute(f"SET memory_limit = '{_MEMORY}'")
        yield Ancestry(everything, tables, most)


class Ancestry:
    """The rows of all datasets, looked up by id. It remembers what was looked up."""

    def __init__(self, everything: Everything, tables: duckdb.DuckDBPyConnection, most: int | None) -> None:
        self.files = [
            File(everything.graph.datasets[name], partition, table, path)
            for name, partitions in everything.items()
            if everything.graph.datasets[name].shape is not None
            for partition, place in partitions.items()
            for table in TABLES
            for path in part_files(place, table)
        ]
        self._tables, self._most = tables, most
        self._known: dict[str, Lineage] = {}
        self._store()

    def lineage(self, name: str) -> Lineage:
        """Return what is known about one id."""
        if name not in self._known:
            self.look_up([name])
        return self._known[name]

    def look_up(self, ids: Iterable[str]) -> None:
        """Look up many ids together, so that `lineage` finds each of them without a scan."""
        fresh = [name for name in dict.fromkeys(ids) if name not in self._known]
        if not fresh:
            return
        listed = "source_ids" if self._most is None else f"source_ids[:{self._most + 1}]"
        query = f"""
            SELECT id, number, {listed}, len(source_ids) FROM rows SEMI JOIN wanted USING (id) ORDER BY number
        """  # noqa: S608  no user's text
        rows = defaultdict[str, list[tuple[RowPlace, list[str], int]]](list)
        for name, number, names, length in self._ask(query, id=fresh):
            rows[name].append((self._place(name, number), names, length))
        users = self._users(fresh)
        chosen = {name: [row for row in rows[name] if _kept(row[0])] or rows[name] for name in fresh}
        cut = [of_id for of_id in chosen.values() if any(len(names) < length for _, names, length in of_id)]
        totals = self._totals([place for of_id in cut for place, *_ in of_id])
        for name in fresh:
            places, lists = [place for place, *_ in rows[name]], [names for _, names, _ in chosen[name]]
            total = totals.get(name) or len({*chain(*lists)} - {name})
            used, count = users.get(name, ([], 0))
            self._known[name] = Lineage(name, places, lists, used, (total, count), self._most)

    def places(self, ids: Iterable[str]) -> dict[str, list[RowPlace]]:
        """Return the rows with these ids, by id, in the order of the DAG."""
        query = "SELECT id, number FROM rows SEMI JOIN wanted USING (id) ORDER BY number"
        places = defaultdict[str, list[RowPlace]](list)
        for name, number in self._ask(query, id=list(dict.fromkeys(ids))):
            places[name].append(self._place(name, number))
        return places

    def matching(self, name: str) -> list[str]:
        """Return the id `name`, else all ids that end with `/name`: those of rows, then other sources."""
        query = f"""
            SELECT id FROM {_NAMED} WHERE id = $name OR ends_with(id, '/' || $name)
            GROUP BY id ORDER BY id != $name, min((source, number)), id
        """  # noqa: S608  no user's text
        ids = [id for (id,) in self._tables.execute(query, {"name": name}).fetchall()]
        return [name] if name in ids else ids

    def holder(self, lineage: Lineage, unit: str) -> str | None:
        """Return the row whose list contains a unit that another row was made from; None if no list does.

        Such units, for instance the sentences of a parsed document, are not rows themselves.
        """
        for dataset in {place.file.dataset.name: place.file.dataset for place in lineage.places}.values():
            argument, _, column = (dataset.consumes or "").partition(".")
            keys = [source.key for source in dataset.argument_inputs if source.argument == argument]
            for file in self.files if column else ():
                if file.dataset.key in keys and file.table == "kept":
                    table = read(file.path, ["id", column])
                    lists = table[column].combine_chunks()
                    there = pc.equal(lists.flatten().field("id"), unit)
                    if len(rows := pc.list_parent_indices(lists).filter(there)):
                        return table["id"][rows[0].as_py()].as_py()  # type: ignore[no-any-return]
        return None

    def lost_finder(self, place: RowPlace, crawl: str, url: str) -> list[str]:
        """Return the unit of the URL on which a crawl found a row, if it was not kept (a listing, say)."""
        for file in self.files:
            beside = (file.dataset, file.partition) == (place.file.dataset, place.file.partition)
            if beside and file.table != "kept":
                table = read(file.path, ["id", "crawl", "url"])
                ids = table.filter((pc.field("crawl") == crawl) & (pc.field("url") == url))["id"]
                if len(ids):
                    return [ids[0].as_py()]
        return []

    def _store(self) -> None:
        """Copy the ids and sources of all rows to the database."""
        files = pa.table(
            {
                "file": pa.array(range(len(self.files)), pa.int64()),
                "dataset": pa.array([file.dataset.name for file in self.files], pa.string()),
                "kept": pa.array([file.table == "kept" for file in self.files], pa.bool_()),
            }
        )
        insert(self._tables, "files", files)
        self._tables.execute(
            "CREATE TABLE rows (id VARCHAR, source_ids VARCHAR[], number BIGINT, kept BOOLEAN)"
        )
        query = f"""
            INSERT INTO rows
            SELECT read.id, read.source_ids, read.file_index << {_BITS} | read.file_row_number, files.kept
            FROM read_parquet(?, file_row_number = true, hive_partitioning = false) AS read
            JOIN files ON files.file = read.file_index
        """  # noqa: S608  no user's text
        import duckdb

        try:
            if self.files:
                self._tables.execute(query, [escaped_paths(file.path for file in self.files)])
        except duckdb.Error:
            for file in self.files:
                read(file.path, ["id", "source_ids"])  # names the file
            raise

    def _users(self, ids: list[str]) -> dict[str, tuple[list[RowPlace], int]]:
        """Return the kept rows that list each id among their sources, and how many others do."""
        first = "list({} ORDER BY number)" if self._most is None else f"arg_min({{}}, number, {self._most})"
        query = f"""
            SELECT wanted.id, {first.format("made")}, {first.format("number")}, count_if(made != wanted.id)
            FROM (SELECT id AS made, number, unnest(source_ids) AS source FROM rows WHERE kept)
            JOIN wanted ON source = wanted.id GROUP BY wanted.id
        """  # noqa: S608  no user's text
        return {
            name: ([self._place(*row) for row in zip(users, numbers, strict=True)], count)
            for name, users, numbers, count in self._ask(query, id=ids)
        }

    def _totals(self, places: Sequence[RowPlace]) -> dict[str, int]:
        """Return how many sources the rows at some places have together, by their id."""
        query = """
            SELECT id, count(DISTINCT source)
            FROM (SELECT id, unnest(source_ids) AS source FROM rows SEMI JOIN wanted USING (number))
            WHERE source != id GROUP BY id
        """
        numbers = {file: number for number, file in enumerate(self.files)}
        wanted = [numbers[place.file] << _BITS | place.index for place in places]
        return dict(self._ask(query, number=wanted)) if wanted else {}

    def _ask(self, query: str, **wanted: list[Any]) -> list[tuple[Any, ...]]:
        """Return the answer to a query that joins the table `wanted`, with these columns."""
        self._tables.register("wanted", pa.table(wanted))
        rows = self._tables.execute(query).fetchall()
        self._tables.unregister("wanted")
        return rows

    def _place(self, name: str, number: int) -> RowPlace:
        return RowPlace(self.files[number >> _BITS], number & (1 << _BITS) - 1, name)


def _kept(place: RowPlace) -> bool:
    return place.file.table == "kept"
