"""Tell Dagster what is on disk but was not made by one of its runs, as after `dvc pull` or an experiment.

Belongs here: comparing manifests with Dagster's latest materialisations and, where they differ, reporting
runless events with the provenance that Dagster's staleness needs. Not here: making anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import dagster as dg

from silverloom.assets.declare.checks import SOURCES
from silverloom.assets.declare.dagster_asset import asset_key
from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import label
from silverloom.orchestration.checks.rejects import source_finding
from silverloom.orchestration.checks.results import drop_failing
from silverloom.orchestration.compat import DATA_VERSION_IS_USER_PROVIDED_TAG, DATA_VERSION_TAG, errors_once
from silverloom.orchestration.dagster.automation import observe_now
from silverloom.orchestration.dagster.health import ABSENT, SYNC, failed_run, once_failed
from silverloom.orchestration.dagster.instance import (
    dagster_errors,
    instance,
    latest_by_partition,
    quiet,
)
from silverloom.orchestration.files.identity import folder_hashes, version
from silverloom.orchestration.partition.dagster_events import DagsterEvent, runless_events, version_tags
from silverloom.orchestration.state.freshness import Manifest, View
from silverloom.orchestration.workspace.workspace import Workspace


def sync(view: View) -> list[str]:
    """Update Dagster to match the disk. Return the labels of the partitions that it had wrong."""
    with dagster_errors():
        return _sync(view)


def _sync(view: View) -> list[str]:
    workspace = view.workspace
    observe_now(workspace, instance())
    corrected, suspects = [], once_failed(workspace)
    for dataset in workspace.datasets.values():
        reported = _reported_tags(dataset)
        events: list[DagsterEvent] = []
        for partition in dataset.partitions:
            tags, status = reported.get(partition, {}), view.status(dataset, partition)
            failed = (dataset.name, partition) in suspects and failed_run(dataset, partition) is not None
            corrections: list[DagsterEvent] = []
            if (manifest := status.manifest) is not None and manifest.passed:
                wanted = version_tags(workspace, dataset, manifest)
                if wanted.items() - tags.items() or (failed and status.fresh):
                    corrections = _made_elsewhere(workspace, dataset, partition, manifest)
            elif not failed:
                left = version(folder_hashes(workspace.folder(dataset, partition)))
                # An intact folder that only lacks its manifest is being made again.
                if tags.get(DATA_VERSION_TAG, ABSENT) not in (ABSENT, left):
                    corrections = [_absent(dataset, partition)]
            if corrections:
                events += corrections
                corrected.append(label(dataset, partition))
        if events:
            _report([*events, *_sources(workspace, dataset)])
    return corrected


def _report(events: list[DagsterEvent]) -> None:
    """Report events in a run of the job SYNC: Dagster takes a check's result once per run and partition."""

    @dg.op(name="sync")
    def report(context):  # type: ignore[no-untyped-def]  # Dagster rejects string annotations
        for event in events:
            context.log_event(event)

    job = dg.GraphDefinition(name=SYNC, node_defs=[report]).to_job(executor_def=dg.in_process_executor)
    with errors_once():
        job.execute_in_process(instance=instance(), run_config=quiet())


def _reported_tags(dataset: Dataset) -> dict[str, Mapping[str, str]]:
    """Return the tags of the latest materialisation of every partition."""
    fetch = instance().fetch_materializations
    latest = latest_by_partition(fetch, asset_key(dataset.key), dataset.partitions)
    events = {partition: record.asset_materialization for partition, record in latest.items()}
    return {partition: event.tags or {} for partition, event in events.items() if event}


def _made_elsewhere(
    workspace: Workspace, dataset: Dataset, partition: str, manifest: Manifest
) -> list[DagsterEvent]:
    """Return the events of a partition that was made elsewhere."""
    if dataset.shape:
        drop_failing(workspace, dataset, partition)
    said = "found on disk by sync; made outside Dagster"
    return runless_events(workspace, dataset, partition, manifest, instance(), said)


def _sources(workspace: Workspace, dataset: Dataset) -> Iterator[dg.AssetCheckEvaluation]:
    """Yield the result of the `sources` check of a dataset, over all its partitions."""
    if dataset.records:
        finding = source_finding(workspace, dataset)
        yield dg.AssetCheckEvaluation(
            asset_key=asset_key(dataset.key),
            check_name=SOURCES,
            passed=finding.passed,
            metadata={},
            description=finding.description,
        )


def _absent(dataset: Dataset, partition: str) -> dg.AssetMaterialization:
    """Mark a partition as absent: Dagster cannot forget one, but this version makes its readers stale."""
    return dg.AssetMaterialization(
        asset_key(dataset.key),
        description="missing or changed on disk; restore it with `dvc checkout --force`, or make it again",
        partition=partition or None,
        tags={DATA_VERSION_TAG: ABSENT, DATA_VERSION_IS_USER_PROVIDED_TAG: "true"},
    )
