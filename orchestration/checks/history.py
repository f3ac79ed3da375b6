"""What every validation found, one row each, in one Parquet file a dataset; and the rows that failed, kept
whole.

Belongs here: appending to that file and reading it (thousands of validations are one quick read), and the
failing rows, which lie outside of the dataset's own folder, since DVC tracks that. Not here: what is
expected of rows (validate.py), the pages that show the history (docs.py).
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assets.declare.declaration import Declaration
from assets.declare.expectations import Expectation, Severity
from ops.core.parts import TABLES, part_files
from orchestration.files.damage import DamagedError, read_state, remove_file, set_aside
from orchestration.files.publish import lock_within, writing
from orchestration.workspace.workspace import Workspace

#: Seconds that are waited for others who append: they take a fraction of one.
PATIENCE = 60.0

FOUND = pa.struct(
    [
        ("name", pa.string()),
        ("column", pa.string()),  # or columns, with commas between
        ("table", pa.string()),
        ("severity", pa.string()),  # error or warning
        ("passed", pa.bool_()),
        ("unexpected", pa.int64()),  # rows
        ("observed", pa.string()),
    ]
)

SCHEMA = pa.schema(
    [
        ("time", pa.timestamp("us", "UTC")),
        ("month", pa.string()),  # "" for a dataset without partitions
        ("run_id", pa.string()),
        ("version", pa.string()),
        ("suite", pa.string()),
        ("kept", pa.int64()),
        ("dropped", pa.int64()),
        ("rejected", pa.int64()),
        ("accepted", pa.bool_()),  # no error: the partition counts as made
        ("warnings", pa.int64()),  # how many were raised
        ("expectations", pa.list_(FOUND)),
    ]
)


@dataclass(frozen=True)
class Result:
    """What became of one expectation; `rows` are the places of those that failed, by the order of files."""

    expectation: Expectation
    passed: bool
    unexpected: int
    observed: str
    rows: Sequence[int] = ()
    exception: str | None = None
    """Why it could not be evaluated: a fault of the suite, whatever its severity."""

    @property
    def severity(self) -> Severity:
        """How bad it is that it failed: what could not be evaluated is an error."""
        return "error" if self.exception else self.expectation.severity


def history_file(workspace: Workspace, dataset: Declaration) -> Path:
    """Return where a dataset's history of validations lies."""
    return workspace.state.joinpath("history", *dataset.key.path).with_suffix(".parquet")


def entry(
    partition: str, run_id: str, version: str, suite: str, counts: Any, results: Sequence[Result]
) -> dict[str, Any]:
    """Return the row of a validation that ends now."""
    failed = [result.severity for result in results if not result.passed]
    return {
        "time": datetime.now(UTC),
        "month": partition,
        "run_id": run_id,
        "version": version,
        "suite": suite,
        **{table: counts[table] for table in ("kept", "dropped", "rejected")},
        "accepted": "error" not in failed,
        "warnings": failed.count("warning"),
        "expectations": [
            {
                "name": result.expectation.name,
                "column": ", ".join(result.expectation.columns),
                "table": result.expectation.table,
                "severity": result.severity,
                "passed": result.passed,
                "unexpected": result.unexpected,
                "observed": result.exception or result.observed,
            }
            for result in results
        ],
    }


def append(workspace: Workspace, dataset: Declaration, entries: Iterable[dict[str, Any]]) -> None:
    """Add validations to a dataset's history; processes that do so at once wait for each other.

    Raises TimeoutError, which names the lock, where another process keeps it for `PATIENCE` seconds.
    """
    path = history_file(workspace, dataset)
    added = pa.Table.from_pylist(list(entries), schema=SCHEMA)
    with _lock(path):
        whole = pa.concat_tables([_sound(path), added])
        with writing(path) as temporary:
            pq.write_table(whole, temporary, compression="zstd", write_page_checksum=True)


def read(workspace: Workspace, dataset: Declaration, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the validations of a dataset, oldest first; a history that is damaged is set aside."""
    names, path = list(columns or SCHEMA.names), history_file(workspace, dataset)
    try:
        return _read(path).select(names)
    except DamagedError:
        with _lock(path):  # another process may have begun a new one meanwhile
            return _sound(path).select(names)


def _lock(path: Path) -> contextlib.ExitStack:
    return lock_within(path.with_suffix(".lock"), PATIENCE)


def _sound(path: Path) -> pa.Table:
    """Return a history, whose lock is held; one that is damaged is set aside, and a new one begins."""
    try:
        return _read(path)
    except DamagedError as error:
        set_aside(path, error, "a new history of validations begins")
        return SCHEMA.empty_table()


def _read(path: Path) -> pa.Table:
    content = read_state(path)
    if content is None:
        return SCHEMA.empty_table()
    try:
        found = pq.read_table(pa.BufferReader(content), page_checksum_verification=True)
        if found.schema.names != SCHEMA.names:
            raise DamagedError("it has other columns")
        return found.cast(SCHEMA)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DamagedError(f"it is no Parquet of validations ({error})") from None


def latest(workspace: Workspace, dataset: Declaration, partition: str, version: str) -> dict[str, Any] | None:
    """Return the last validation of a version of a partition."""
    return _last(workspace, dataset, partition, pc.field("version") == version)


def made_by(workspace: Workspace, dataset: Declaration, partition: str, version: str) -> str | None:
    """Return the last run that made a version of a partition here, or checked it; None where none did."""
    found = latest(workspace, dataset, partition, version)
    return None if found is None else str(found["run_id"])


def accepted_before(
    workspace: Workspace, dataset: Declaration, partition: str, version: str
) -> dict[str, Any] | None:
    """Return the last validation that another version of a partition passed."""
    return _last(workspace, dataset, partition, (pc.field("version") != version) & pc.field("accepted"))


def _last(
    workspace: Workspace, dataset: Declaration, partition: str, chosen: pc.Expression
) -> dict[str, Any] | None:
    rows = read(workspace, dataset).filter((pc.field("month") == partition) & chosen)
    return rows.slice(rows.num_rows - 1).to_pylist()[0] if rows.num_rows else None


def failing_file(workspace: Workspace, dataset: Declaration, partition: str, table: str = "kept") -> Path:
    """Return where a partition's failing rows lie: `<month>.parquet`, or `<month>.dropped.parquet`."""
    suffix = "" if table == "kept" else f".{table}"
    return workspace.quality.joinpath("failing", *dataset.key.path, f"{partition or 'all'}{suffix}.parquet")


def keep_failing(
    workspace: Workspace, dataset: Declaration, partition: str, folder: Path, results: Iterable[Result]
) -> list[Path]:
    """Write the rows that failed, each once with the names of what it `failed`; return the files.

    A table of which nothing failed has no file.
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
            remove_file(path)
    return written


def drop_failing(workspace: Workspace, dataset: Declaration, partition: str) -> None:
    """Remove the failing rows of a partition that is no more, or that passed what is expected now."""
    for table in TABLES:
        remove_file(failing_file(workspace, dataset, partition, table))


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
