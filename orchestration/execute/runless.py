"""What Dagster is told of a partition that no run of its own made.

Belongs here: the events, with the provenance that Dagster's staleness needs. Not here: which partitions these
are (materialise.py, dagster/sync.py).
"""

from __future__ import annotations

from hashlib import sha256
from typing import TypeAlias

import dagster as dg

from assets.declare.dagster_asset import ADVISORY, CHECKS, asset_key, source_key
from assets.declare.declaration import Declaration, code_version
from orchestration.compat import (
    CODE_VERSION_TAG,
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    DATA_VERSION_TAG,
    SKIP_PARTITION_DATA_VERSION_DEPENDENCY_THRESHOLD,
    get_input_data_version_tag,
    get_input_event_pointer_tag,
)
from orchestration.execute.metadata import metadata
from orchestration.quality.checks import known_finding
from orchestration.state.manifests import Manifest
from orchestration.workspace.workspace import Workspace

DagsterEvent: TypeAlias = dg.AssetMaterialization | dg.AssetCheckEvaluation


def runless_events(
    workspace: Workspace,
    item: Declaration,
    month: str,
    manifest: Manifest,
    instance: dg.DagsterInstance,
    description: str,
) -> list[DagsterEvent]:
    """Return the materialisation that a manifest stands for, and its checks."""
    materialization = dg.AssetMaterialization(
        asset_key(item.key),
        description=description,
        metadata=metadata(workspace, item, month, manifest),
        partition=month or None,
        tags={**version_tags(workspace, item, manifest), **_origin_tags(workspace, item, instance)},
    )
    checks = CHECKS if item.shape else ()
    return [materialization, *(_checked(workspace, item, month, manifest, name) for name in checks)]


def version_tags(workspace: Workspace, item: Declaration, manifest: Manifest) -> dict[str, str]:
    """Return the version tags that a run that wrote this manifest would have reported."""
    tags = {
        DATA_VERSION_TAG: manifest.version,
        CODE_VERSION_TAG: code_version(manifest.key["code"], manifest.key["params"]),
    }
    for upstream in workspace.graph.upstream(item):
        tag = get_input_data_version_tag(asset_key(upstream.key))
        versions = manifest.key["inputs"].get(upstream.name)
        if not versions:
            continue  # a dataset that came into the graph after this was made, or had no partition then
        if not upstream.partitioned:
            tags[tag] = versions[""]
        elif len(versions) < SKIP_PARTITION_DATA_VERSION_DEPENDENCY_THRESHOLD:
            # Dagster's own hash over the versions of several partitions, in the order of their names.
            joined = "".join(versions[month] for month in sorted(versions))
            tags[tag] = sha256(joined.encode()).hexdigest()
    return tags


def _checked(
    workspace: Workspace, item: Declaration, month: str, manifest: Manifest, name: str
) -> dg.AssetCheckEvaluation:
    """A manifest exists only where every check that blocks passed."""
    finding = known_finding(workspace, item, month, manifest.version, name)
    result = dg.AssetCheckResult(check_name=name, passed=finding.passed, description=finding.description)
    return check_evaluation(item, month, result)


def check_evaluation(item: Declaration, month: str, result: dg.AssetCheckResult) -> dg.AssetCheckEvaluation:
    """Return the event of a check's result in one partition."""
    advisory = result.check_name in ADVISORY
    return dg.AssetCheckEvaluation(
        asset_key=asset_key(item.key),
        check_name=str(result.check_name),
        passed=result.passed,
        metadata={},
        severity=dg.AssetCheckSeverity.WARN if advisory else dg.AssetCheckSeverity.ERROR,
        description=result.description,
        blocking=not advisory,
        partition=month or None,
    )


def _origin_tags(workspace: Workspace, item: Declaration, instance: dg.DagsterInstance) -> dict[str, str]:
    """Return what Dagster wants besides versions: that they are ours, and the latest events of inputs."""
    keys = [asset_key(upstream.key) for upstream in workspace.graph.upstream(item)]
    latest = {key: instance.fetch_materializations(key, limit=1).records for key in keys}
    observed: dict[str, str] = {}
    if item.records and workspace.settings.folders(item.records):
        key = source_key(item.records)
        latest[key] = instance.fetch_observations(key, limit=1).records
        observed[get_input_data_version_tag(key)] = "as observed last"
    return {
        DATA_VERSION_IS_USER_PROVIDED_TAG: "true",
        **observed,
        **{
            get_input_event_pointer_tag(key): str(found[0].storage_id) if found else "NULL"
            for key, found in latest.items()
        },
    }
