"""The two checks on the content of a partition: `expectations`, which block, and `warnings`, which do not.

Belongs here: validating a partition, remembering what was found, and saying it in words. Not here: what a
failed check keeps from happening (partition/materialise.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import dagster as dg

from assets.declare.declaration import Declaration
from assets.declare.expectations import Severity, suite_version
from ops.core.parts import TABLES
from orchestration.checks import history
from orchestration.checks.conservation import Finding
from orchestration.checks.history import Result, drop_failing, keep_failing
from orchestration.checks.validate import Validation, against, validate
from orchestration.files.full_disk import DiskFullError
from orchestration.messages.failures import describe
from orchestration.messages.tables import table
from orchestration.state.manifests import Manifest, read_manifest
from orchestration.workspace.workspace import Workspace

#: The severity of what each check looks at.
LEVELS: dict[str, Severity] = {"expectations": "error", "warnings": "warning"}


def check(
    workspace: Workspace, dataset: Declaration, partition: str, folder: Path, manifest: Manifest, run_id: str
) -> dict[str, Finding]:
    """Validate a partition that was just made, or whose expectations changed, and remember what was found.

    `manifest` is that of the partition as it lies in `folder`. A failure of Great Expectations itself fails
    both checks; what goes wrong with remembering blocks nothing, unless the disk is full.
    """
    try:
        compared = against(manifest.counts, former_counts(workspace, dataset, partition, manifest.version))
        found = validate(folder, dataset.expectations, compared, partition)
    except Exception as error:
        fault = f"the expectations could not be evaluated: {describe(error)}"
        return {name: Finding((fault,), fault) for name in LEVELS}
    files: list[Path] = []
    try:
        files = keep_failing(workspace, dataset, partition, folder, found.results)
        suite = suite_version(dataset.expectations)
        entry = history.entry(partition, run_id, manifest.version, suite, manifest.counts, found.results)
        history.append(workspace, dataset, [entry])
    except DiskFullError:
        raise  # the manifest could not be written either
    except Exception as error:
        dg.get_dagster_logger().warning(f"the validation is not recorded: {describe(error)}")
    shown = [workspace.shown(path) for path in files]
    return {name: _finding(found, severity, manifest.counts, shown) for name, severity in LEVELS.items()}


def known_finding(
    workspace: Workspace, dataset: Declaration, partition: str, version: str, name: str
) -> Finding:
    """Return what a manifest says of a check, without validating: each that blocks was passed.

    Warnings are those that this checkout has seen of the same bytes; else the finding says that it has not.
    """
    if name != "warnings":
        return Finding((), "passed where the partition was made")
    seen = history.latest(workspace, dataset, partition, version)
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


def settle(workspace: Workspace, dataset: Declaration, partition: str, manifest: Manifest) -> None:
    """Remove failing rows that are not of the bytes and the expectations that a manifest stands for."""
    seen = history.latest(workspace, dataset, partition, manifest.version)
    if seen is None or seen["suite"] != manifest.key["code"].get("expectations"):
        drop_failing(workspace, dataset, partition)


def former_counts(
    workspace: Workspace, dataset: Declaration, partition: str, version: str
) -> Mapping[str, int] | None:
    """Return the rows by table of the last other version of a partition that passed."""
    manifest = read_manifest(workspace, dataset, partition)
    if manifest is not None and manifest.version != version:
        return manifest.counts
    return history.accepted_before(workspace, dataset, partition, version)


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
