"""Counting ids on disk: how often each occurs in some lists, in memory that does not grow with them.

Belongs here: lists of ids in files, and counting with DuckDB, which spills. Not here: what is a fault
(conservation.py).
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from silverloom.assets.declare.declaration import Dataset
from silverloom.ops.core.database import database
from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.parts import temporary_folder
from silverloom.orchestration.workspace.workspace import Workspace

if TYPE_CHECKING:
    import duckdb

_SHOWN = 5
_ID = pa.schema([("id", pa.string())])


@contextlib.contextmanager
def scratch(workspace: Workspace, dataset: Dataset, partition: str) -> Iterator[Path]:
    """Provide a temporary folder next to a partition's finished parts, and remove that of a killed check.

    The caller holds the partition's lock.
    """
    parts = workspace.state_file("parts", dataset, partition)
    parts.mkdir(parents=True, exist_ok=True)
    for left in parts.glob("silverloom-*"):
        shutil.rmtree(left, ignore_errors=True)
    with temporary_folder(parts) as folder:
        yield folder
    with contextlib.suppress(OSError):  # it has finished parts
        parts.rmdir()


@dataclass(frozen=True)
class StoredIds:
    """Lists of ids in a file, such as the input units of each part of a step."""

    path: Path

    def write(self, lists: Iterable[pa.Array]) -> int:
        """Write lists of ids, and return the number of ids."""
        number = 0
        with pa.ipc.new_stream(self.path, _ID) as file:
            for ids in lists:
                file.write_batch(pa.record_batch([ids], schema=_ID))
                number += len(ids)
        return number

    def taken_from(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Write the units of outcomes, and yield the outcomes without them."""
        none = pa.array([], pa.string())
        with pa.ipc.new_stream(self.path, _ID) as file:
            for outcome in outcomes:
                file.write_batch(pa.record_batch([outcome.units], schema=_ID))
                yield replace(outcome, units=none)

    def __iter__(self) -> Iterator[pa.Array]:
        with pa.OSFile(str(self.path)) as file:
            for batch in pa.ipc.open_stream(file):
                yield batch["id"]


@dataclass(frozen=True)
class IdCounts:
    """How often each id occurs in each list: the table `ids`, with a column for each list."""

    tables: duckdb.DuckDBPyConnection

    def total(self, times: str) -> int:
        """Return the sum of an expression over all ids, such as `taken - due`, where it is positive."""
        query = f"SELECT coalesce(sum(times), 0)::BIGINT FROM {_positive(times)}"  # noqa: S608
        (row,) = self.tables.execute(query).fetchall()
        return int(row[0])

    def listed(self, what: str, times: str) -> list[str]:
        """Return a fault with the number of ids and the first ones in order, or nothing if there are none."""
        if not (total := self.total(times)):
            return []
        query = f"SELECT id, times FROM {_positive(times)} ORDER BY id LIMIT {_SHOWN}"  # noqa: S608
        first = [name for name, number in self.tables.execute(query).fetchall() for _ in range(number)]
        more = f" and {total - _SHOWN} more" if total > _SHOWN else ""
        return [f"{total} {what}: {', '.join(first[:_SHOWN])}{more}"]


def _positive(times: str) -> str:
    return f"(SELECT id, ({times})::BIGINT AS times FROM ids WHERE ({times})::BIGINT > 0)"  # noqa: S608  ours


@contextlib.contextmanager
def counted(
    within: Path | None, lists: Mapping[str, Iterable[pa.Array]], having: str = "true"
) -> Iterator[IdCounts]:
    """Count each id in some lists, without nulls. `having` limits what is stored to some ids."""
    with temporary_folder(within) as folder, database(folder / "ids") as tables:
        for name, ids in lists.items():
            batches = (pa.record_batch([chunk], schema=_ID) for chunk in ids)
            tables.register(f"list_{name}", pa.RecordBatchReader.from_batches(_ID, batches))
        rows = " UNION ALL ".join(
            f"SELECT id, {', '.join(f'{int(name == other)} AS {other}' for other in lists)} FROM list_{name}"  # noqa: S608
            for name in lists
        )
        sums = ", ".join(f"sum({name})::BIGINT AS {name}" for name in lists)
        tables.execute(
            f"CREATE TABLE ids AS SELECT * FROM (SELECT id, {sums} FROM ({rows}) "  # noqa: S608
            f"WHERE id IS NOT NULL GROUP BY id) WHERE {having}"
        )
        yield IdCounts(tables)
