"""The rows of datasets as pages read them: counts, and tables part by part.

Belongs here: reading. Not here: what is drawn of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from assets.declare.declaration import Declaration
from assets.declare.report import Everything
from orchestration.files.identity import folder_files
from orchestration.files.parquet import TABLES, part_files
from orchestration.state.counts import counts, total


@dataclass(frozen=True)
class Counted:
    """A dataset with the number of its rows: by month and table, and dropped ones by month and reason."""

    item: Declaration
    rows: Mapping[str, Mapping[str, int]]
    reasons: Mapping[str, Mapping[str, int]]
    size: int
    combinations: Mapping[str, int] = field(default_factory=dict)
    """What its step itself generated, over all months."""

    def total(self, table: str) -> int:
        """Return the rows of a table over all months."""
        return sum(counts[table] for counts in self.rows.values())

    @property
    def by_reason(self) -> list[tuple[str, int]]:
        """Dropped rows by reason over all months, the most frequent first."""
        sums = sum(map(Counter, self.reasons.values()), Counter[str]())
        return sorted(sums.items(), key=lambda count: (-count[1], count[0]))


def counted(everything: Everything) -> dict[str, Counted]:
    """Return every dataset of a report with its counts, in the order of the DAG."""
    found = {}
    for name, months in everything.items():
        item = everything.graph.datasets[name]
        if item.shape is not None:
            made = {month: counts(folder) for month, folder in months.items()}
            rows = {month: {table: numbers[table] for table in TABLES} for month, numbers in made.items()}
            reasons = {month: numbers["reasons"] for month, numbers in made.items()}
            files = (path for folder in months.values() for path in folder_files(folder).values())
            size = sum(path.stat().st_size for path in files)
            found[name] = Counted(item, rows, reasons, size, total(made.values()).get("combinations", {}))
    return found


def tables(folder: Path, table: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """Yield one table of a partition, part by part. Raises ValueError naming a file that is no Parquet."""
    for path in part_files(folder, table):
        yield read(path, columns)


def read(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return one part file. Raises ValueError naming a file that is no Parquet."""
    try:
        with pq.ParquetFile(path) as file:  # other than read_table, it can read one field of a list alone
            return file.read(columns=columns)
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}") from error
