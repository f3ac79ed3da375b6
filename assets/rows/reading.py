"""Reading datasets: rows of a table by columns and values, JSON files next to the rows, and counts.

Belongs here: reading. Not here: plots of what was read, and finding rows by id (ancestry.py).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import Everything
from silverloom.ops.core.counts import counts, total
from silverloom.ops.core.outcome import Row
from silverloom.ops.core.parts import FILES, TABLES, part_files


def rows(
    everything: Everything,
    name: str,
    columns: Sequence[str] | None = None,
    table: str = "kept",
    partition: str | None = None,
    at_once: int = 10_000,
    **wanted: Collection[Any],
) -> Iterator[Row]:
    """Yield the rows of a dataset, or of one partition, that have the `wanted` values: `id={"a", "b"}`.

    Converts at most `at_once` rows to Python objects at a time. Yields nothing for a missing dataset or
    partition.
    """
    for part in parts(everything, name, columns, table, partition):
        for column, values in wanted.items():
            known = pa.array(list(values), part[column].type)
            part = part.filter(pc.is_in(part[column], value_set=known))
        for batch in part.to_batches(max_chunksize=at_once):
            yield from batch.to_pylist()


def parts(
    everything: Everything,
    name: str,
    columns: Sequence[str] | None = None,
    table: str = "kept",
    partition: str | None = None,
) -> Iterator[pa.Table]:
    """Yield a table of a dataset, or of one partition, part by part; nothing if it is missing."""
    partitions = everything.get(name, {})
    for folder in partitions.values() if partition is None else filter(None, [partitions.get(partition)]):
        yield from tables(folder, table, columns)


def value_counts(columns: Iterable[pa.Array | pa.ChunkedArray]) -> Counter[str]:
    """Return how often each value occurs in some columns."""
    counts: Counter[str] = Counter()
    for column in columns:
        counts.update({entry["values"]: entry["counts"] for entry in column.value_counts().to_pylist()})
    return counts


def grouped(ungrouped: Iterable[Row], column: str) -> dict[str, list[Row]]:
    """Return rows grouped by their value in a column; other values map to an empty list."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in ungrouped:
        groups[row[column]].append(row)
    return groups


def side_file(everything: Everything, name: str, file: str) -> Any:
    """Return the content of a JSON file next to the rows of a dataset, None if it does not exist.

    Raises ValueError that names a file that cannot be read.
    """
    for folder in everything.get(name, {}).values():
        path = folder / FILES / file
        if path.is_file():
            try:
                return json.loads(path.read_bytes())
            except ValueError as error:
                raise ValueError(f"{path} cannot be read as JSON: {error}; make {name} again") from error
    return None


def shortened(text: str | None, most: int) -> str:
    """Return a text that fits on a line: cut, with a mark, if it is longer than `most`."""
    text = text or ""
    return text if len(text) <= most else f"{text[:most]}…"


@dataclass(frozen=True)
class Counted:
    """A dataset with its numbers of rows by partition and table, and of dropped rows by reason."""

    dataset: Dataset
    rows: Mapping[str, Mapping[str, int]]
    reasons: Mapping[str, Mapping[str, int]]
    size: int
    combinations: Mapping[str, int] = field(default_factory=dict)
    """The combinations that its step generated itself, over all partitions."""

    def total(self, table: str) -> int:
        """Return the number of rows of a table over all partitions."""
        return sum(counts[table] for counts in self.rows.values())

    @property
    def by_reason(self) -> list[tuple[str, int]]:
        """Dropped rows by reason over all partitions, the most frequent first."""
        sums = sum(map(Counter, self.reasons.values()), Counter[str]())
        return sorted(sums.items(), key=lambda count: (-count[1], count[0]))


def counted(everything: Everything) -> dict[str, Counted]:
    """Return every dataset of a report with its counts, in the order of the DAG."""
    counted_datasets = {}
    for name, partitions in everything.items():
        dataset = everything.graph.datasets[name]
        if dataset.shape is not None:
            made = {partition: counts(folder) for partition, folder in partitions.items()}
            rows = {
                partition: {table: numbers[table] for table in TABLES} for partition, numbers in made.items()
            }
            reasons = {partition: numbers["reasons"] for partition, numbers in made.items()}
            files = (path for folder in partitions.values() for path in folder.rglob("*") if path.is_file())
            size = sum(path.stat().st_size for path in files)
            counted_datasets[name] = Counted(
                dataset, rows, reasons, size, total(made.values()).get("combinations", {})
            )
    return counted_datasets


def tables(folder: Path, table: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """Yield one table of a partition, part by part. Raises ValueError naming a file that is not Parquet."""
    for path in part_files(folder, table):
        yield read(path, columns)


def read(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return one part file. Raises ValueError naming a file that is not Parquet."""
    try:
        with pq.ParquetFile(path) as file:  # unlike read_table, it can read a single field of a list
            return file.read(columns=columns)
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}") from error
