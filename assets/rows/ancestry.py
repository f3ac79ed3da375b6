"""The origins of rows and what became of them: one index over all datasets.

Belongs here: finding rows by id and following `source_ids` both ways, for `silverloom explain` and the
lineage pages. Not here: the content of the rows (origins.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from assets.declare.declaration import Declaration
from assets.declare.graph import Everything, label
from assets.rows.reading import read
from ops.core.parts import TABLES, part_files

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class File:
    """One part of one table of a partition."""

    dataset: Declaration
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
    """The location of a row: its file, its number in that file, from 0, and the number of its id."""

    file: File
    index: int
    code: int


@dataclass(frozen=True)
class Lineage:
    """What is known about one id."""

    id: str
    places: tuple[RowPlace, ...]
    """The rows with this id, in the order of the DAG; a dropped unit also appears where it was kept."""
    made_of: tuple[int, ...]
    """The sources of its kept rows, else of all its rows, as numbers; never the id itself."""
    used_by: tuple[RowPlace, ...]
    """The kept rows that list it among their sources."""
    totals: tuple[int, int]
    """How many sources it has and how many rows use it; the lists may be shorter."""

    @property
    def kept(self) -> tuple[RowPlace, ...]:
        """The locations where it was kept."""
        return tuple(place for place in self.places if place.file.table == "kept")

    @property
    def raw(self) -> bool:
        """Whether it is a record of a source: never kept, and without other sources."""
        return not self.kept and not self.made_of

    @property
    def kind(self) -> str | None:
        """The dataset of raw records that a record belongs to, if any."""
        return next((place.file.dataset.records for place in (*self.places, *self.used_by)), None)


class Ancestry:
    """Every id of the datasets in some folders, by number, with its locations and its sources."""

    def __init__(self, everything: Everything) -> None:
        """Read `id` and `source_ids` of all tables. Raises ValueError naming a file that is not Parquet."""
        self.files = [
            File(everything.graph.datasets[name], partition, table, path)
            for name, partitions in everything.items()
            if everything.graph.datasets[name].shape is not None
            for partition, place in partitions.items()
            for table in TABLES
            for path in part_files(place, table)
        ]
        tables = [read(file.path, ["id", "source_ids"]) for file in self.files]
        counts = [len(table) for table in tables]
        lists = [table["source_ids"].combine_chunks() for table in tables]
        lengths = [pc.list_value_length(part).to_numpy(zero_copy_only=False) for part in lists]
        names = [table["id"].combine_chunks() for table in tables] + [pc.list_flatten(part) for part in lists]
        coded = pa.chunked_array([part.cast(pa.large_string()) for part in names], pa.large_string())
        coded = coded.combine_chunks().dictionary_encode()
        codes = coded.indices.to_numpy().astype(np.int64)
        self.ids: pa.Array = coded.dictionary
        #: The number of every row's id, file by file, and the position where each file's rows start.
        self.own: Codes = codes[: sum(counts)]
        self.starts: Codes = np.cumsum([0, *counts])
        self._sources: Codes = codes[sum(counts) :]
        self._file_of: Codes = np.repeat(np.arange(len(counts)), counts)
        self._first: Codes = np.cumsum(np.concatenate([[0], *lengths])).astype(np.int64)

    @cached_property
    def _places(self) -> tuple[Codes, Codes]:
        return _grouped(self.own, len(self.ids))

    @cached_property
    def _users(self) -> tuple[Codes, Codes]:
        """Return the kept rows that are made from each id."""
        rows = np.repeat(np.arange(len(self.own)), np.diff(self._first))
        kept = np.array([file.table == "kept" for file in self.files], bool)
        used = kept[self._file_of[rows]] if len(rows) else np.zeros(0, bool)
        order, starts = _grouped(self._sources[used], len(self.ids))
        return rows[used][order], starts

    @cached_property
    def _occurrences(self) -> tuple[list[str], Codes, Codes]:
        """Return the datasets, and pairs of an id and the number of a dataset that has or references it."""
        datasets = list(dict.fromkeys(file.dataset.name for file in self.files))
        number = {name: place for place, name in enumerate(datasets)}
        of_row = np.array([number[file.dataset.name] for file in self.files], np.int64)[self._file_of]
        of_source = np.repeat(of_row, np.diff(self._first))
        codes = np.concatenate([self.own, self._sources])
        pairs = np.unique(codes * len(datasets) + np.concatenate([of_row, of_source]))
        return datasets, *np.divmod(pairs, max(len(datasets), 1))

    def datasets(self, codes: Codes) -> list[str]:
        """Return every dataset that contains some of these ids, or references some as sources of its rows."""
        there = np.zeros(len(self.ids), bool)
        there[codes] = True
        datasets, ids, numbers = self._occurrences
        return [datasets[number] for number in np.unique(numbers[there[ids]])]

    def codes(self, ids: Sequence[str]) -> list[int]:
        """Return the number of each id, -1 for an unknown one."""
        found = pc.index_in(pa.array(ids, pa.large_string()), value_set=self.ids)
        return pc.fill_null(found, -1).to_pylist()  # type: ignore[no-any-return]

    def names(self, codes: Sequence[int] | Codes) -> list[str]:
        """Return ids by their numbers."""
        return self.ids.take(pa.array(codes, pa.int64())).to_pylist()  # type: ignore[no-any-return]

    def sources(self, code: int, most: int | None = None) -> list[int]:
        """Return the sources of an id: those of its kept rows, else of all its rows; never the id itself."""
        rows = self._rows(code)
        kept = [row for row in rows if self._file(row).table == "kept"]
        lists = [self._sources[self._first[row] : self._first[row + 1]][:most] for row in kept or rows]
        found = dict.fromkeys(source for sources in lists for source in sources.tolist() if source != code)
        return list(found)[:most]

    def users(self, code: int, most: int | None = None) -> list[int]:
        """Return the ids of the kept rows that are made from an id, in the order of the DAG; never itself."""
        users = self.own[self._user_rows(code)[:most]].tolist()
        return [user for user in dict.fromkeys(users) if user != code]

    def places(self, code: int) -> list[RowPlace]:
        """Return every row with an id, in the order of the DAG."""
        return [self.place(row) for row in self._rows(code)]

    def lineage(self, code: int, most: int | None = None) -> Lineage:
        """Return what is known about one id, with at most `most` sources and users."""
        users, sources = self._user_rows(code), self.sources(code)
        return Lineage(
            self.ids[code].as_py(),
            tuple(self.places(code)),
            tuple(sources[:most]),
            tuple(self.place(row) for row in users[:most].tolist() if self.own[row] != code),
            (len(sources), int((self.own[users] != code).sum())),
        )

    def holder(self, lineage: Lineage, unit: str) -> int | None:
        """Return the row whose list contains a unit that another row was made from; None if no list does.

        Such units, for instance the sentences of a parsed document, are not rows themselves.
        """
        for dataset in {place.file.dataset.name: place.file.dataset for place in lineage.places}.values():
            if found := self.holders(dataset, [unit]):
                return found.pop()
        return None

    def holders(self, dataset: Declaration, units: Sequence[str]) -> set[int]:
        """Return the rows whose lists contain these units, from which rows of a dataset were made."""
        argument, _, column = (dataset.consumes or "").partition(".")
        keys = [source.key for source in dataset.argument_inputs if source.argument == argument]
        wanted, found = pa.array(units, pa.string()), set[int]()
        for file in self.files if column and units else ():
            if file.dataset.key in keys and file.table == "kept":
                table = read(file.path, ["id", column])
                lists = table[column].combine_chunks()
                there = pc.is_in(lists.flatten().field("id"), value_set=wanted)
                rows = pc.unique(pc.list_parent_indices(lists).filter(there))
                found.update(self.codes(table["id"].take(rows).to_pylist()))
        return found

    def lost_finder(self, place: RowPlace, crawl: str, url: str) -> list[int]:
        """Return the unit of the URL on which a crawl found a row, if it was not kept (a listing, say)."""
        for file in self.files:
            beside = (file.dataset, file.partition) == (place.file.dataset, place.file.partition)
            if beside and file.table != "kept":
                table = read(file.path, ["id", "crawl", "url"])
                found = table.filter((pc.field("crawl") == crawl) & (pc.field("url") == url))["id"]
                if len(found):
                    return self.codes([found[0].as_py()])
        return []

    def place(self, row: int) -> RowPlace:
        """Return the location of a row, given its number among the rows of all files."""
        return RowPlace(self._file(row), int(row - self.starts[self._file_of[row]]), int(self.own[row]))

    def _rows(self, code: int) -> list[int]:
        rows, starts = self._places
        return rows[starts[code] : starts[code + 1]].tolist()  # type: ignore[no-any-return]

    def _user_rows(self, code: int) -> Codes:
        rows, starts = self._users
        return rows[starts[code] : starts[code + 1]]

    def _file(self, row: int) -> File:
        return self.files[int(self._file_of[row])]


def _grouped(codes: Codes, number: int) -> tuple[Codes, Codes]:
    """Return positions ordered by code, and where each code's positions start in them."""
    order = np.argsort(codes, kind="stable")
    return order, np.cumsum([0, *np.bincount(codes, minlength=number)])
