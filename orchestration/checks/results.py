"""The result of one expectation; and failing rows, stored whole.

Belongs here: writing and removing failing rows, which are outside the dataset's own folder because DVC tracks
that. Not here: what is expected of rows (validate.py), the results that a manifest holds
(state/freshness.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.expectations import Expectation, Severity
from silverloom.ops.core.parts import TABLES, part_files
from silverloom.orchestration.files.publish import writing
from silverloom.orchestration.workspace.workspace import Workspace


@dataclass(frozen=True)
class Result:
    """The result of one expectation. `rows` are the positions of failing rows, counted across the files."""

    expectation: Expectation
    passed: bool
    unexpected: int
    observed: str
    rows: Sequence[int] = ()
    exception: str | None = None
    """Why it could not be evaluated. That is a fault of the suite and always an error."""
    first: tuple[str, ...] = ()
    """The first three unexpected values, as text."""
    elements: int = 0
    """The number of rows that were evaluated."""

    @property
    def severity(self) -> Severity:
        """The severity of a failure: an error if it could not be evaluated, else as declared."""
        return "error" if self.exception else self.expectation.severity

    @property
    def described(self) -> str:
        """What was found in place of what is expected."""
        if self.exception:
            return f"could not be evaluated: {self.exception}"
        table = self.expectation.table
        where = "" if table == "kept" else f" {table}"
        rows = "" if table == "counts" or not self.unexpected else f" in {self.unexpected}{where} rows"
        return self.observed if self.passed else f"violated{rows} ({self.observed})"


def failing_file(workspace: Workspace, dataset: Dataset, partition: str, table: str = "kept") -> Path:
    """Return the file of a partition's failing rows: `2018-06.parquet`, or `2018-06.dropped.parquet`."""
    suffix = "" if table == "kept" else f".{table}"
    return workspace.quality.joinpath("failing", *dataset.key.path, f"{partition or 'all'}{suffix}.parquet")


def keep_failing(
    workspace: Workspace, dataset: Dataset, partition: str, folder: Path, results: Iterable[Result]
) -> list[Path]:
    """Write the failing rows, each once with the names of the expectations it `failed`, and return the files.

    A table without failing rows gets no file.
    """
    broken: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        for row in result.rows:
            broken[result.expectation.table][row].append(result.expectation.name)
    written = []
    for table in TABLES:
        path = failing_file(workspace, dataset, partition, table)
        if broken[table]:
            _write(path, part_files(folder, table), broken[table])
            written.append(path)
        else:
            path.unlink(missing_ok=True)
    return written


def drop_failing(workspace: Workspace, dataset: Dataset, partition: str) -> None:
    """Remove the stored failing rows of a partition that no longer exists or now passes."""
    for table in TABLES:
        failing_file(workspace, dataset, partition, table).unlink(missing_ok=True)


def _write(path: Path, parts: Iterable[Path], broken: Mapping[int, list[str]]) -> None:
    """Write the failing rows of part files, one part at a time."""
    first, *_ = parts
    failed = pa.field("failed", pa.list_(pa.string()))
    schema = pq.read_schema(first).append(failed)
    before = 0
    with writing(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as file:
        for part in parts:
            number = pq.read_metadata(part).num_rows
            if places := [place for place in range(before, before + number) if place in broken]:
                rows = pq.read_table(part).take([place - before for place in places])
                names = pa.array([broken[place] for place in places], failed.type)
                file.write_table(rows.append_column(failed, names))
            before += number
