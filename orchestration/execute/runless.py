"""What Dagster is told of a partition that no run of its own made.

Belongs here: the events, with the provenance that Dagster's staleness needs. Not here: which partitions these
are (materialise.py, dagster/sync.py).
"""

from __future__ import annotations

from hashlib import sha256
from typing import TypeAlias

import dagster as dg

from assets.declare.dagster_asset import ADVISORY, CHECKS, asset_key
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
from orchestration.quality.checks import recorded_finding
from orchestration.state.records import PartitionRecord
from orchestration.workspace.workspace import Workspace

DagsterEvent: TypeAlias = dg.AssetMaterialization | dg.AssetCheckEvaluation


def runless_events(
    workspace: Workspace,
    item: Declaration,
    month: str,
    record: PartitionRecord,
    instance: dg.DagsterInstance,
    description: str,
) -> list[DagsterEvent]:
    """Return the materialisation that a record stands for, and its checks."""
    materialization = dg.AssetMaterialization(
        asset_key(item.key),
        description=description,
        metadata=metadata(workspace, item, month, record),
        partition=month or None,
        tags={**version_tags(workspace, item, record), **_origin_tags(workspace, item, instance)},
    )
    checks = CHECKS if item.shape else ()
    return [materialization, *(_checked(workspace, item, month, record, name) for name in checks)]


def version_tags(workspace: Workspace, item: Declaration, record: PartitionRecord) -> dict[str, str]:
    """Return the version tags that a run of this record would have reported."""
    tags = {
        DATA_VERSION_TAG: record.version,
        CODE_VERSION_TAG: code_version(record.key["code"], record.key["params"]),
    }
    for upstream in workspace.graph.upstream(item):
        tag = get_input_data_version_tag(asset_key(upstream.key))
        versions = record.key["inputs"].get(upstream.name)
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
    workspace: Workspace, item: Declaration, month: str, record: PartitionRecord, name: str
) -> dg.AssetCheckEvaluation:
    """A record exists only where every check that blocks passed."""
    finding = recorded_finding(workspace, item, month, record.version, name)
    advisory = name in ADVISORY
    return dg.AssetCheckEvaluation(
        asset_key=asset_key(item.key),
        check_name=name,
        passed=finding.passed,
        metadata={},
        severity=dg.AssetCheckSeverity.WARN if advisory else dg.AssetCheckSeverity.ERROR,
        description=finding.description,
        blocking=not advisory,
        partition=month or None,
    )


def _origin_tags(workspace: Workspace, item: Declaration, instance: dg.DagsterInstance) -> dict[str, str]:
    """Return what Dagster wants besides versions: that they are ours, and the latest events of inputs."""
    keys = [asset_key(upstream.key) for upstream in workspace.graph.upstream(item)]
    latest = {key: instance.fetch_materializations(key, limit=1).records for key in keys}
    return {
        DATA_VERSION_IS_USER_PROVIDED_TAG: "true",
        **{
            get_input_event_pointer_tag(key): str(found[0].storage_id) if found else "NULL"
            for key, found in latest.items()
        },
    }
