"""The kept rows of a dataset as part files, so that memory does not grow with the corpus.

Belongs here: names of part files in a partition's folder, reading them whole or filtered, mapping an op over
them, and files stored with the rows. Not here: writing part files, their provenance, and verifying them
(orchestration).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, TextIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from silverloom.ops.core.outcome import Outcome, Outcomes, Row

#: The tables of a partition.
TABLES = ("kept", "dropped", "rejected")

#: Subfolder of a partition for files that are not rows. Readers of the whole folder skip it.
FILES = "__files"

#: Counts of combinations that a step generated; the file exists only if there are any.
COMBINATIONS = "__counts/combinations.json"


def part_name(table: str, index: int) -> str:
    """Return the path of a part in its partition: `kept-00000.parquet`, `__dropped/dropped-00000.parquet`.

    Reading the folder of a partition gives the kept rows: pandas, Arrow and Hugging Face's datasets skip
    folders that begin with two underscores, and `*.parquet` in DuckDB or Polars does not enter them.
    """
    return f"{_table_folder(table)}{table}-{index:05d}.parquet"


def part_files(folder: Path, table: str) -> list[Path]:
    """Return the files of one table of a partition, in order."""
    return sorted(folder.glob(f"{_table_folder(table)}{table}-*.parquet"))


def _table_folder(table: str) -> str:
    return "" if table == "kept" else f"__{table}/"


@dataclass(frozen=True)
class FilesFolder:
    """The folder for files of the partition in progress. A step writes here what may not fit into memory."""

    path: Path

    @contextmanager
    def writing(self) -> Iterator[Callable[[str, str], None]]:
        """Yield `write(name, text)`, which appends text to a file (UTF-8). Files stay open until the end."""
        opened: dict[str, TextIO] = {}
        with ExitStack() as stack:

            def write(name: str, text: str) -> None:
                if name not in opened:
                    path = self.path / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    opened[name] = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
                opened[name].write(text)

            yield write


class Exchange(Protocol):
    """Moves data between tasks without passing it through this process."""

    def places(self, size: int) -> int:
        """Return how many tasks share this many bytes of files; 1 if this process should join them itself."""
        ...

    def run(
        self, pieces: Sequence[Any], stages: Sequence[Callable[..., Any]], places: int, *shared: object
    ) -> Iterator[Any]:
        """Run the stages one after the other and yield what the tasks of the last stage return, in order.

        Each task is `stage(place, places, given, *shared)`. Tasks of the first stage get some of the pieces.
        A task of a later stage gets what all tasks of the previous stage returned for its place. Tasks of all
        stages but the last return one result per place.
        """
        ...


class Engine(Protocol):
    """Runs an op over pieces of work and yields their outcomes in the order of the pieces."""

    def map(self, op: Callable[..., Outcome], pieces: Iterable[Any], *shared: object) -> Outcomes:
        """Yield `op(piece, *shared)` for every piece, in order, consuming pieces on demand."""
        ...

    def scratch(self) -> AbstractContextManager[Path]:
        """Return a new temporary folder on disk for a step; it is removed at the end."""
        ...

    @property
    def exchange(self) -> Exchange | None:
        """Spreads joins over tasks; None if this process does the joins."""
        ...


class OneProcess:
    """Runs ops in this process, one piece after the other."""

    exchange = None

    def map(self, op: Callable[..., Outcome], pieces: Iterable[Any], *shared: object) -> Outcomes:
        """Yield `op(piece, *shared)` for every piece."""
        return (op(piece, *shared) for piece in pieces)

    def scratch(self) -> AbstractContextManager[Path]:
        """Return a new folder in the system's temporary directory."""
        return temporary_folder()


@contextmanager
def temporary_folder(within: Path | None = None) -> Iterator[Path]:
    """Yield a new temporary folder, which is removed at the end."""
    with TemporaryDirectory(prefix="silverloom-", dir=within) as folder:
        yield Path(folder)


@dataclass(frozen=True)
class Part:
    """One part file. `read` loads it whole into memory."""

    path: str

    @property
    def rows(self) -> int:
        """The number of rows, from the file's footer."""
        count: int = pq.read_metadata(self.path).num_rows
        return count

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the part's rows, or only some of their columns."""
        return pq.read_table(self.path, columns=list(columns) if columns else None)


@dataclass(frozen=True)
class Parts:
    """The kept rows of one partition, or of all of them, of a dataset."""

    schema: pa.Schema
    parts: tuple[Part, ...]
    engine: Engine

    def __iter__(self) -> Iterator[pa.Table]:
        return (part.read() for part in self.parts)

    def read(
        self, columns: Sequence[str] | None = None, where: tuple[str, Collection[str]] | None = None
    ) -> pa.Table:
        """Return the rows as one table; `where` = (column, values) keeps rows by the value of a column.

        With `where`, only one part and the matching rows are in memory.
        """
        wanted = self.schema if columns is None else pa.schema([self.schema.field(name) for name in columns])
        tables = [wanted.empty_table()]
        for part in self.parts:
            if where is None:
                tables.append(part.read(wanted.names).cast(wanted))
                continue
            column, values = where
            mask = pc.is_in(part.read([column])[column], value_set=pa.array(sorted(values), pa.string()))
            if pc.any(mask).as_py():
                tables.append(part.read(wanted.names).filter(mask).cast(wanted))
        return pa.concat_tables(tables)

    def tables(
        self, columns: Sequence[str] | None = None, having: Mapping[str, object] | None = None
    ) -> Iterator[pa.Table]:
        """Yield one table per part: the rows with the values `having` in their columns, with some columns."""
        names = self.schema.names if columns is None else list(columns)
        values = having or {}
        for part in self.parts:
            table = part.read([*dict.fromkeys([*names, *values])])
            for name, value in values.items():
                table = table.filter(pc.equal(table[name], value))
            yield table.select(names)

    def rows(
        self, columns: Sequence[str] | None = None, having: Mapping[str, object] | None = None
    ) -> Iterator[Row]:
        """Yield the rows with the values `having` in their columns, one by one; holds one part in memory."""
        for table in self.tables(columns, having):
            yield from table.to_pylist()

    def map(self, op: Callable[..., Outcome], *shared: object, beside: Sequence[Parts] = ()) -> Outcomes:
        """Call `op(table, *shared)` for every part and yield the outcomes in order.

        `beside` are other datasets with the same number of parts: then it calls `op(table, *tables, *shared)`
        with the n-th part of each.
        """
        pieces = tuple(zip(self.parts, *(other.parts for other in beside), strict=True))
        return self.engine.map(_on_tables, pieces, op, *shared)


@dataclass(frozen=True)
class Artifact:
    """A dataset that is more than rows, such as a model: its kept rows and the files stored with them."""

    rows: Parts
    folder: Path
    """The folder of these files."""

    def files(self, below: str = "") -> dict[str, bytes]:
        """Return the files in a subfolder of the artifact, by path relative to it."""
        base = self.folder / below
        paths = sorted(path for path in base.rglob("*") if path.is_file())
        return {path.relative_to(base).as_posix(): path.read_bytes() for path in paths}


def _on_tables(parts: tuple[Part, ...], op: Callable[..., Outcome], *shared: object) -> Outcome:
    """Call an op with the tables of parts. A note on its error names the first and the last row."""
    tables = [part.read() for part in parts]
    try:
        return op(*tables, *shared)
    except Exception as error:
        if len(tables[0]) and "id" in tables[0].schema.names:
            ids = tables[0]["id"]
            error.add_note(f"rows {ids[0]} to {ids[-1]}")
        raise
