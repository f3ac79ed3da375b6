"""What every validation found, one row each, in one Parquet file a dataset.

Belongs here: appending to that file and reading it: thousands of validations are one quick read. Not here:
the pages that show them (quality/docs.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assets.declare.declaration import Declaration
from assets.declare.expectations import Expectation, Severity
from orchestration.files.damage import DamagedError, read_state, set_aside
from orchestration.files.locks import lock_within
from orchestration.files.publish import writing
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


def history_file(workspace: Workspace, item: Declaration) -> Path:
    """Return where a dataset's history of validations lies."""
    return workspace.state.joinpath("history", *item.key.path).with_suffix(".parquet")


def entry(
    month: str, run_id: str, version: str, suite: str, counts: Any, results: Sequence[Result]
) -> dict[str, Any]:
    """Return the row of a validation that ends now."""
    failed = [result.severity for result in results if not result.passed]
    return {
        "time": datetime.now(UTC),
        "month": month,
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


def append(workspace: Workspace, item: Declaration, entries: Iterable[dict[str, Any]]) -> None:
    """Add validations to a dataset's history; processes that do so at once wait for each other.

    Raises TimeoutError, which names the lock, where another process keeps it for `PATIENCE` seconds.
    """
    path = history_file(workspace, item)
    added = pa.Table.from_pylist(list(entries), schema=SCHEMA)
    with _lock(path):
        whole = pa.concat_tables([_sound(path), added])
        with writing(path) as temporary:
            pq.write_table(whole, temporary, compression="zstd", write_page_checksum=True)


def read(workspace: Workspace, item: Declaration, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the validations of a dataset, oldest first; a history that is damaged is set aside."""
    names, path = list(columns or SCHEMA.names), history_file(workspace, item)
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


def latest(workspace: Workspace, item: Declaration, month: str, version: str) -> dict[str, Any] | None:
    """Return the last validation of a version of a partition."""
    return _last(workspace, item, month, pc.field("version") == version)


def made_by(workspace: Workspace, item: Declaration, month: str, version: str) -> str | None:
    """Return the last run that made a version of a partition here, or checked it; None where none did."""
    found = latest(workspace, item, month, version)
    return None if found is None else str(found["run_id"])


def accepted_before(
    workspace: Workspace, item: Declaration, month: str, version: str
) -> dict[str, Any] | None:
    """Return the last validation that another version of a partition passed."""
    return _last(workspace, item, month, (pc.field("version") != version) & pc.field("accepted"))


def _last(
    workspace: Workspace, item: Declaration, month: str, chosen: pc.Expression
) -> dict[str, Any] | None:
    rows = read(workspace, item).filter((pc.field("month") == month) & chosen)
    return rows.slice(rows.num_rows - 1).to_pylist()[0] if rows.num_rows else None
