"""The history of validations, one line each in a file per partition; and failing rows, stored whole.

Belongs here: appending to and reading that file, and the failing rows, which are outside the dataset's own
folder because DVC tracks that. Not here: what is expected of rows (validate.py).
"""

from __future__ import annotations

import errno
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assets.declare.declaration import Declaration
from assets.declare.expectations import Expectation, Severity
from ops.core.parts import TABLES, part_files
from orchestration.files.identity import text_md5
from orchestration.files.local_state import UnreadableError, read_state, tell_unreadable
from orchestration.files.publish import disk_errors, writing
from orchestration.workspace.workspace import Workspace


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


_ANEW = "a new validation history starts"


def history_file(workspace: Workspace, dataset: Declaration, partition: str) -> Path:
    """Return the path of a partition's validation history."""
    return workspace.state_file("history", dataset, partition, ".jsonl")


def entry(
    partition: str, run_id: str, version: str, suite: str, counts: Any, results: Sequence[Result]
) -> dict[str, Any]:
    """Return the history row of a validation that ends now."""
    failed = [result.severity for result in results if not result.passed]
    return {
        "time": datetime.now(UTC),
        "partition": partition,
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
    """Append validations to their partitions' histories, one line each. Processes may append concurrently.

    An unreadable history starts anew.
    """
    for found in entries:
        path = history_file(workspace, dataset, found["partition"])
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            _rows(path)
        except UnreadableError as error:
            tell_unreadable(path, str(error), _ANEW)
            path.unlink(missing_ok=True)
        content = json.dumps({**found, "time": found["time"].isoformat()})
        line = f"{text_md5(content)} {content}\n".encode()
        with disk_errors(path), path.open("ab", buffering=0) as file:
            before = file.tell()
            if file.write(line) < len(line):  # the disk is full
                file.truncate(before)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def validations(workspace: Workspace, dataset: Declaration, partition: str) -> list[dict[str, Any]]:
    """Return the validations of a partition, oldest first. An unreadable history counts as empty."""
    path = history_file(workspace, dataset, partition)
    try:
        return _rows(path)
    except UnreadableError as error:
        tell_unreadable(path, str(error), _ANEW)
        return []


def _rows(path: Path) -> list[dict[str, Any]]:
    return [_row(line) for line in (read_state(path) or b"").splitlines(keepends=True)]


def _row(line: bytes) -> dict[str, Any]:
    try:
        checksum, _, content = line.decode().partition(" ")
        if checksum != text_md5(content.removesuffix("\n")) or not content.endswith("\n"):
            raise UnreadableError("a line does not match its checksum")
        row: dict[str, Any] = json.loads(content)
        if "month" in row:  # former name in older histories
            row["partition"] = row.pop("month")
        return {**row, "time": datetime.fromisoformat(row["time"])}
    except UnicodeDecodeError as error:
        raise UnreadableError(f"it is not text ({error})") from None


def latest(workspace: Workspace, dataset: Declaration, partition: str, version: str) -> dict[str, Any] | None:
    """Return the last validation of a version of a partition."""
    rows = reversed(validations(workspace, dataset, partition))
    return next((row for row in rows if row["version"] == version), None)


def made_by(workspace: Workspace, dataset: Declaration, partition: str, version: str) -> str | None:
    """Return the last run that made or checked a version of a partition here, or None."""
    found = latest(workspace, dataset, partition, version)
    return None if found is None else str(found["run_id"])


def accepted_before(
    workspace: Workspace, dataset: Declaration, partition: str, version: str
) -> dict[str, Any] | None:
    """Return the last accepted validation of another version of a partition."""
    rows = reversed(validations(workspace, dataset, partition))
    return next((row for row in rows if row["version"] != version and row["accepted"]), None)


def failing_file(workspace: Workspace, dataset: Declaration, partition: str, table: str = "kept") -> Path:
    """Return the file of a partition's failing rows: `2018-06.parquet`, or `2018-06.dropped.parquet`."""
    suffix = "" if table == "kept" else f".{table}"
    return workspace.quality.joinpath("failing", *dataset.key.path, f"{partition or 'all'}{suffix}.parquet")


def keep_failing(
    workspace: Workspace, dataset: Declaration, partition: str, folder: Path, results: Iterable[Result]
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


def drop_failing(workspace: Workspace, dataset: Declaration, partition: str) -> None:
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
