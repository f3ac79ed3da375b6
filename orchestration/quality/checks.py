"""The two checks on the content of a partition: `expectations`, which block, and `warnings`, which do not.

Belongs here: validating a partition, remembering what was found, and saying it in words. Not here: what a
failed check keeps from happening (materialise.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg

from assets.declare.declaration import Declaration
from assets.declare.expectations import Severity, suite_version
from assets.declare.graph import label
from orchestration.files.full_disk import DiskFullError
from orchestration.files.parquet import TABLES
from orchestration.files.publish import write_file
from orchestration.messages.failures import describe
from orchestration.messages.markdown import table
from orchestration.quality.conservation import Finding
from orchestration.quality.failing import drop_failing, keep_failing
from orchestration.quality.measures import against
from orchestration.quality.validate import Validation, validate
from orchestration.state import validation_history as history
from orchestration.state.records import Record, read_record
from orchestration.state.validation_history import Result
from orchestration.workspace.workspace import Workspace

#: The severity of what each check looks at.
LEVELS: dict[str, Severity] = {"expectations": "error", "warnings": "warning"}


def check(
    workspace: Workspace, item: Declaration, month: str, folder: Path, record: Record, run_id: str
) -> dict[str, Finding]:
    """Validate a partition that was just made, or whose expectations changed, and remember what was found.

    `record` is that of the partition as it lies in `folder`. A failure of Great Expectations itself fails
    both checks.
    """
    try:
        compared = against(record.counts, former_counts(workspace, item, month, record.version))
        found = validate(folder, item.expectations, compared, item.name, month)
    except Exception as error:
        fault = f"the expectations could not be evaluated: {describe(error)}"
        return {name: Finding((fault,), fault) for name in LEVELS}
    files = _keep(workspace, item, month, folder, record, run_id, found)
    return {
        name: _finding(workspace, found, severity, record.counts, files) for name, severity in LEVELS.items()
    }


def _keep(
    workspace: Workspace,
    item: Declaration,
    month: str,
    folder: Path,
    record: Record,
    run_id: str,
    found: Validation,
) -> list[Path]:
    """Remember what was found; return the files of failing rows. What goes wrong with that blocks nothing."""
    files: list[Path] = []
    try:
        files = keep_failing(workspace, item, month, folder, found.results)
        suite = suite_version(item.expectations)
        entry = history.entry(month, run_id, record.version, suite, record.counts, found.results)
        history.append(workspace, item, [entry])
        _keep_latest(workspace, item, month, found, entry)
    except DiskFullError:
        raise  # the record would find no room either
    except Exception as error:
        dg.get_dagster_logger().warning(f"the validation is not remembered: {describe(error)}")
    return files


def recorded_finding(workspace: Workspace, item: Declaration, month: str, version: str, name: str) -> Finding:
    """Return what a record says of a check, without validating: each that blocks was passed.

    Warnings are those that this checkout has seen of the same bytes; where it has not, that is said.
    """
    if name != "warnings":
        return Finding((), "passed where the partition was made")
    seen = history.latest(workspace, item, month, version)
    if seen is None:
        return Finding(
            (), "not validated in this checkout: the partition was made elsewhere, warnings or not"
        )
    raised = [one for one in seen["expectations"] if not one["passed"] and one["severity"] == "warning"]
    faults = tuple(
        f"{one['name']}: violated in {one['unexpected']} rows ({one['observed']})" for one in raised
    )
    return Finding(faults, f"as validated at {seen['time']:%Y-%m-%d %H:%M} UTC")


def settle(workspace: Workspace, item: Declaration, month: str, record: Record) -> None:
    """Remove failing rows that are not of the bytes and the expectations that a record stands for."""
    seen = history.latest(workspace, item, month, record.version)
    if seen is None or seen["suite"] != record.key["code"].get("expectations"):
        drop_failing(workspace, item, month)


def former_counts(
    workspace: Workspace, item: Declaration, month: str, version: str
) -> Mapping[str, int] | None:
    """Return the rows by table of the last other version of a partition that passed."""
    record = read_record(workspace, item, month)
    if record is not None and record.version != version:
        return record.counts
    return history.accepted_before(workspace, item, month, version)


def validation_file(workspace: Workspace, item: Declaration, month: str) -> Path:
    """Return where the latest document of a partition lies, as Great Expectations writes it."""
    return workspace.state_file("validations", item, month)


def _keep_latest(
    workspace: Workspace, item: Declaration, month: str, found: Validation, entry: Mapping[str, Any]
) -> None:
    document = dict(found.document)
    document["meta"] = {
        "great_expectations_version": document["meta"]["great_expectations_version"],
        "run_id": {"run_name": entry["run_id"], "run_time": entry["time"].isoformat()},
        "batch_spec": {"data_asset_name": label(item, month), "version": entry["version"]},
    }
    write_file(validation_file(workspace, item, month), json.dumps(document, sort_keys=True).encode())


def _finding(
    workspace: Workspace, found: Validation, severity: Severity, counts: Mapping[str, int], files: list[Path]
) -> Finding:
    failed = found.failed(severity)
    looked_at = [item for item in found.results if item.severity == severity]
    paths = [workspace.shown(path) for path in files] if any(item.rows for item in failed) else []
    summary = f"{len(looked_at) - len(failed)} of {len(looked_at)} expectations met"
    faults = [_description(item) for item in failed]
    if faults and paths:
        faults.append(f"failing rows: {', '.join(paths)}")
    shown = {
        "results": dg.MetadataValue.md(_table(looked_at)),
        **{name: dg.MetadataValue.int(counts[name]) for name in TABLES},
        "failed": dg.MetadataValue.int(len(failed)),
        **({"failing rows": dg.MetadataValue.text(", ".join(paths))} if paths else {}),
    }
    return Finding(tuple(faults), summary, shown)


def _description(result: Result) -> str:
    if result.exception:
        return f"{result.expectation.name}: could not be evaluated: {result.exception}"
    where = "" if result.expectation.table == "kept" else f" {result.expectation.table}"
    rows = "" if result.expectation.table == "counts" else f" in {result.unexpected}{where} rows"
    return f"{result.expectation.name}: violated{rows} ({result.observed})"


def _table(results: list[Result]) -> str:
    header = ["", "expectation", "table", "unexpected", "found"]
    rows = [
        (
            "✓" if item.passed else "✗",
            item.expectation.name,
            item.expectation.table,
            item.unexpected,
            item.exception or item.observed,
        )
        for item in sorted(results, key=lambda item: item.passed)
    ]
    return table(header, rows)
