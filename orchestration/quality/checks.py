"""The two checks on the content of a partition: `expectations`, which block, and `warnings`, which do not.

Belongs here: validating a partition, remembering what was found, and saying it in words. Not here: what a
failed check keeps from happening (materialise.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import dagster as dg

from assets.declare.declaration import Declaration
from assets.declare.expectations import Severity, suite_version
from orchestration.files.full_disk import DiskFullError
from orchestration.files.parquet import TABLES
from orchestration.messages.failures import describe
from orchestration.messages.markdown import table
from orchestration.quality.conservation import Finding
from orchestration.quality.failing import drop_failing, keep_failing
from orchestration.quality.measures import against
from orchestration.quality.validate import Validation, validate
from orchestration.state import validation_history as history
from orchestration.state.manifests import Manifest, read_manifest
from orchestration.state.validation_history import Result
from orchestration.workspace.workspace import Workspace

#: The severity of what each check looks at.
LEVELS: dict[str, Severity] = {"expectations": "error", "warnings": "warning"}


def check(
    workspace: Workspace, item: Declaration, month: str, folder: Path, manifest: Manifest, run_id: str
) -> dict[str, Finding]:
    """Validate a partition that was just made, or whose expectations changed, and remember what was found.

    `manifest` is that of the partition as it lies in `folder`. A failure of Great Expectations itself fails
    both checks; what goes wrong with remembering blocks nothing, unless the disk is full.
    """
    try:
        compared = against(manifest.counts, former_counts(workspace, item, month, manifest.version))
        found = validate(folder, item.expectations, compared, month)
    except Exception as error:
        fault = f"the expectations could not be evaluated: {describe(error)}"
        return {name: Finding((fault,), fault) for name in LEVELS}
    files: list[Path] = []
    try:
        files = keep_failing(workspace, item, month, folder, found.results)
        suite = suite_version(item.expectations)
        entry = history.entry(month, run_id, manifest.version, suite, manifest.counts, found.results)
        history.append(workspace, item, [entry])
    except DiskFullError:
        raise  # the manifest could not be written either
    except Exception as error:
        dg.get_dagster_logger().warning(f"the validation is not recorded: {describe(error)}")
    shown = [workspace.shown(path) for path in files]
    return {name: _finding(found, severity, manifest.counts, shown) for name, severity in LEVELS.items()}


def known_finding(workspace: Workspace, item: Declaration, month: str, version: str, name: str) -> Finding:
    """Return what a manifest says of a check, without validating: each that blocks was passed.

    Warnings are those that this checkout has seen of the same bytes; else the finding says that it has not.
    """
    if name != "warnings":
        return Finding((), "passed where the partition was made")
    seen = history.latest(workspace, item, month, version)
    if seen is None:
        return Finding(
            (), "not validated in this checkout: the partition was made elsewhere, warnings or not"
        )
    faults = tuple(
        f"{found['name']}: violated in {found['unexpected']} rows ({found['observed']})"
        for found in seen["expectations"]
        if not found["passed"] and found["severity"] == "warning"
    )
    return Finding(faults, f"as validated at {seen['time']:%Y-%m-%d %H:%M} UTC")


def settle(workspace: Workspace, item: Declaration, month: str, manifest: Manifest) -> None:
    """Remove failing rows that are not of the bytes and the expectations that a manifest stands for."""
    seen = history.latest(workspace, item, month, manifest.version)
    if seen is None or seen["suite"] != manifest.key["code"].get("expectations"):
        drop_failing(workspace, item, month)


def former_counts(
    workspace: Workspace, item: Declaration, month: str, version: str
) -> Mapping[str, int] | None:
    """Return the rows by table of the last other version of a partition that passed."""
    manifest = read_manifest(workspace, item, month)
    if manifest is not None and manifest.version != version:
        return manifest.counts
    return history.accepted_before(workspace, item, month, version)


def _finding(found: Validation, severity: Severity, counts: Mapping[str, int], files: list[str]) -> Finding:
    """Return what a check says of a validation; `files` hold the failing rows."""
    failed = found.failed(severity)
    looked_at = sorted(
        (result for result in found.results if result.severity == severity), key=lambda result: result.passed
    )
    faults = [_description(result) for result in failed]
    failing = ", ".join(files) if any(result.rows for result in failed) else ""
    rows = [
        (
            "✓" if result.passed else "✗",
            result.expectation.name,
            result.expectation.table,
            result.unexpected,
            result.exception or result.observed,
        )
        for result in looked_at
    ]
    results = table(["", "expectation", "table", "unexpected", "found"], rows)
    shown = {
        "results": dg.MetadataValue.md(results),
        **{name: dg.MetadataValue.int(counts[name]) for name in TABLES},
        "failed": dg.MetadataValue.int(len(failed)),
        **({"failing rows": dg.MetadataValue.text(failing)} if failing else {}),
    }
    summary = f"{len(looked_at) - len(failed)} of {len(looked_at)} expectations met"
    return Finding((*faults, *([f"failing rows: {failing}"] if failing else [])), summary, shown)


def _description(result: Result) -> str:
    name, table_name = result.expectation.name, result.expectation.table
    if result.exception:
        return f"{name}: could not be evaluated: {result.exception}"
    where = "" if table_name == "kept" else f" {table_name}"
    rows = "" if table_name == "counts" else f" in {result.unexpected}{where} rows"
    return f"{name}: violated{rows} ({result.observed})"
