"""What Dagster records about a partition: results of its runs, metadata for its UI, and runless events.

Belongs here: results of checks; counts, reasons and sample rows; events with the provenance that Dagster's
staleness needs. Not here: which partitions get runless events (store.py, dagster/sync.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import dagster as dg
import pyarrow.parquet as pq

from silverloom.assets.declare.checks import ADVISORY, CHECKS, SOURCES
from silverloom.assets.declare.dagster_asset import asset_key, column_lineage, source_key
from silverloom.assets.declare.declaration import Dataset, code_version
from silverloom.ops.core.parts import TABLES, part_name
from silverloom.orchestration.checks.conservation import Finding, accepted
from silverloom.orchestration.checks.rejects import source_finding
from silverloom.orchestration.checks.validate import known_finding
from silverloom.orchestration.compat import (
    CODE_VERSION_TAG,
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    DATA_VERSION_TAG,
    SKIP_PARTITION_DATA_VERSION_DEPENDENCY_THRESHOLD,
    get_input_data_version_tag,
    get_input_event_pointer_tag,
)
from silverloom.orchestration.messages import markdown_table
from silverloom.orchestration.state.freshness import EVERY_PARTITION, Manifest, manifest_file
from silverloom.orchestration.workspace.workspace import Workspace

_ROWS, _REJECTS = 5, 20

#: The metadata of an event that says that nothing was made.
UNCHANGED = "unchanged"


def metadata(workspace: Workspace, dataset: Dataset, partition: str, manifest: Manifest) -> dict[str, Any]:
    """Return a materialisation's metadata. A report only has that of its files."""
    folder = workspace.folder(dataset, partition)
    files = [path for path in folder.rglob("*") if path.is_file()]
    numbers = {"bytes": sum(path.stat().st_size for path in files)}
    shown: dict[str, str] = {}
    if dataset.shape is None:
        numbers["files"] = len(files)
    else:
        numbers |= {name: manifest.counts[name] for name in TABLES}
        numbers["dagster/row_count"] = manifest.counts["kept"]
        reasons = sorted(manifest.counts["reasons"].items(), key=lambda reason: (-reason[1], reason[0]))
        rejected = pq.read_table(folder / part_name("rejected", 0), columns=["id", "error"])
        rejects = rejected.slice(0, _REJECTS).to_pylist()
        shown = {
            "drop reasons": markdown_table(["reason", "rows"], reasons),
            "rejects": markdown_table(["id", "error"], [[row["id"], row["error"]] for row in rejects]),
            "combinations": markdown_table(
                ["kind", "number"], sorted(manifest.counts.get("combinations", {}).items())
            ),
            "sample": _sample(folder / part_name("kept", 0)),
        }
    return {
        **{name: dg.MetadataValue.int(number) for name, number in numbers.items()},
        **{name: dg.MetadataValue.md(text) for name, text in shown.items() if text},
        **column_lineage(dataset),
        "folder": dg.MetadataValue.text(workspace.shown(folder)),
        "md5": dg.MetadataValue.text(manifest.version),
        "data-quality page": dg.MetadataValue.text(workspace.page(dataset)),
    }


def _sample(path: Path) -> str:
    """Return a part's first rows as a Markdown table with a column per row, because fields outnumber rows.

    Content fields come first, then ids and licences.
    """
    batch = next(pq.ParquetFile(path).iter_batches(batch_size=_ROWS), None)
    if batch is None:
        return ""
    names = [name for name in dict.fromkeys(batch.schema.names) if name != "source_ids"]
    names.sort(key=lambda name: name.endswith(("id", "ids", "licence")))
    rows = batch.to_pylist()
    numbers = [str(number) for number in range(1, len(rows) + 1)]
    return markdown_table(["column", *numbers], [[name, *(row[name] for row in rows)] for name in names])


def materialize_result(
    workspace: Workspace,
    dataset: Dataset,
    partition: str,
    manifest: Manifest,
    findings: Mapping[str, Finding],
) -> dg.MaterializeResult[Any]:
    """Return the result of a partition with these findings. If it was refused, there is no metadata."""
    place = workspace, dataset, partition
    return dg.MaterializeResult(
        data_version=dg.DataVersion(manifest.version),
        metadata=metadata(*place, manifest) if accepted(findings) else None,
        check_results=check_results(*place, findings),
    )


def check_results(
    workspace: Workspace, dataset: Dataset, partition: str, findings: Mapping[str, Finding]
) -> list[dg.AssetCheckResult]:
    """Return the result of each finding, and that of the check `sources` if the dataset reads sources."""
    sources = {SOURCES: source_finding(workspace, dataset, partition)} if dataset.records else {}
    return [
        dg.AssetCheckResult(
            check_name=name,
            passed=finding.passed,
            severity=dg.AssetCheckSeverity.WARN if name in ADVISORY else dg.AssetCheckSeverity.ERROR,
            description=finding.description,
            metadata={"summary": finding.summary, "faults": list(finding.faults), **finding.shown},
        )
        for name, finding in {**findings, **sources}.items()
    ]


def failed_check(check: dg.AssetCheckResult | dg.AssetCheckEvaluation) -> str:
    """Return that a check failed and why. The description of ours is Markdown, so their faults are given."""
    return f"check {check.check_name} failed: {'; '.join(_faults(check)) or check.description}"


def _faults(check: dg.AssetCheckResult | dg.AssetCheckEvaluation) -> list[str]:
    faults = (check.metadata or {}).get("faults")
    listed = faults.value if isinstance(faults, dg.JsonMetadataValue) else None
    return [*map(str, listed)] if isinstance(listed, list) else []


def unchanged(
    workspace: Workspace, dataset: Dataset, partition: str, manifest: Manifest
) -> dg.MaterializeResult[Any]:
    """Return the result of a partition that was fresh, saying in each event that nothing was made or checked.

    Dagster needs these events: without a materialisation, it skips the steps that read this one, and a
    declared check without a result fails the step.
    """
    place = workspace, dataset, partition
    names = CHECKS if dataset.shape else ()
    findings = {name: known_finding(manifest, name) for name in names}
    result = materialize_result(*place, manifest, findings)
    made = f"its files are those of {workspace.shown(manifest_file(workspace, dataset, partition))}"
    checks = [
        dg.AssetCheckResult(
            check_name=check.check_name,
            passed=check.passed,
            severity=check.severity,
            description=f"unchanged, not checked again: {check.description}",
            metadata={**(check.metadata or {}), UNCHANGED: f"not checked again; {made}"},
        )
        if check.check_name in CHECKS
        else check
        for check in result.check_results or ()
    ]
    said = {UNCHANGED: f"nothing was made; {made}"}
    return dg.MaterializeResult(
        data_version=result.data_version, metadata={**said, **(result.metadata or {})}, check_results=checks
    )


DagsterEvent: TypeAlias = dg.AssetMaterialization | dg.AssetCheckEvaluation


def runless_events(
    workspace: Workspace,
    dataset: Dataset,
    partition: str,
    manifest: Manifest,
    instance: dg.DagsterInstance,
    description: str,
) -> list[DagsterEvent]:
    """Return the events for a manifest: the materialisation and its check results."""
    materialization = dg.AssetMaterialization(
        asset_key(dataset.key),
        description=description,
        metadata=metadata(workspace, dataset, partition, manifest),
        partition=partition or None,
        tags={
            **version_tags(workspace, dataset, manifest),
            **_origin_tags(workspace, dataset, manifest, instance),
        },
    )
    checks = CHECKS if dataset.shape else ()
    return [materialization, *(_checked(dataset, partition, manifest, name) for name in checks)]


def version_tags(workspace: Workspace, dataset: Dataset, manifest: Manifest) -> dict[str, str]:
    """Return the version tags that a run which wrote this manifest would have reported."""
    tags = {
        DATA_VERSION_TAG: manifest.version,
        CODE_VERSION_TAG: code_version(manifest.key["code"], manifest.key["params"]),
    }
    for upstream in workspace.graph.upstream(dataset):
        tag = get_input_data_version_tag(asset_key(upstream.key))
        versions = manifest.key["inputs"].get(upstream.name)
        if not versions:
            continue  # the dataset was added to the graph later, or had no partitions then
        if not upstream.partitioned:
            tags[tag] = versions[""]
        elif (
            EVERY_PARTITION not in versions
        ):  # Dagster hashes the versions of several partitions; this does the same for one
            tags[tag] = sha256("".join(versions.values()).encode()).hexdigest()
        elif len(upstream.made_partitions) < SKIP_PARTITION_DATA_VERSION_DEPENDENCY_THRESHOLD:
            tags[tag] = versions[EVERY_PARTITION]
    return tags


def _checked(dataset: Dataset, partition: str, manifest: Manifest, name: str) -> dg.AssetCheckEvaluation:
    """Return the event of one check, as the manifest holds its results."""
    finding = known_finding(manifest, name)
    result = dg.AssetCheckResult(
        check_name=name,
        passed=finding.passed,
        description=finding.description,
        metadata={"faults": list(finding.faults)},
    )
    return check_evaluation(dataset, partition, result)


def check_evaluation(
    dataset: Dataset, partition: str, result: dg.AssetCheckResult
) -> dg.AssetCheckEvaluation:
    """Return the event of a check's result in one partition."""
    advisory, faults = result.check_name in ADVISORY, _faults(result)
    return dg.AssetCheckEvaluation(
        asset_key=asset_key(dataset.key),
        check_name=str(result.check_name),
        passed=result.passed,
        metadata={"faults": faults} if faults else {},
        severity=dg.AssetCheckSeverity.WARN if advisory else dg.AssetCheckSeverity.ERROR,
        description=result.description,
        blocking=not advisory,
        partition=partition or None,
    )


def _origin_tags(
    workspace: Workspace, dataset: Dataset, manifest: Manifest, instance: dg.DagsterInstance
) -> dict[str, str]:
    """Return Dagster's other tags: that the versions are ours, and the latest events of the inputs."""
    keys = [asset_key(upstream.key) for upstream in workspace.graph.upstream(dataset)]
    latest = {key: instance.fetch_materializations(key, limit=1).records for key in keys}
    observed: dict[str, str] = {}
    if dataset.records and workspace.settings.folders(dataset.records):
        key = source_key(dataset.records)
        latest[key] = instance.fetch_observations(key, limit=1).records
        (observed[get_input_data_version_tag(key)],) = manifest.key["inputs"]["records"].values()
    return {
        DATA_VERSION_IS_USER_PROVIDED_TAG: "true",
        **observed,
        **{
            get_input_event_pointer_tag(key): str(record[0].storage_id) if record else "NULL"
            for key, record in latest.items()
        },
    }


def combined(results: list[dg.AssetCheckResult]) -> dg.AssetCheckResult:
    """Combine the results of several partitions into one, which passes if they all do."""
    if len(results) == 1:
        return results[0]
    failed = [result for result in results if not result.passed]
    said = "; ".join(str(result.description) for result in failed)
    return dg.AssetCheckResult(
        check_name=results[0].check_name,
        passed=not failed,
        severity=results[0].severity,
        description=said or f"passed in all {len(results)} partitions",
        metadata={"faults": [fault for result in failed for fault in _faults(result)]},
    )
