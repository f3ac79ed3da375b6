"""Tell Dagster what is on disk where no run of its own did: after `dvc pull` or an experiment.

Belongs here: comparing manifests with Dagster's latest materialisations, and reporting events without a run
where they differ, with the provenance that Dagster's staleness needs. Not here: making anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import dagster as dg

from assets.declare.dagster_asset import SOURCES, asset_key
from assets.declare.declaration import Declaration
from assets.declare.graph import label
from orchestration.compat import DATA_VERSION_IS_USER_PROVIDED_TAG, DATA_VERSION_TAG
from orchestration.dagster.attempts import ABSENT, failed_run, once_failed
from orchestration.dagster.instance import QUIET, errors_once, instance, with_store
from orchestration.dagster.source_files import observe_now
from orchestration.execute.runless import DagsterEvent, runless_events, version_tags
from orchestration.files.identity import folder_hashes, version
from orchestration.quality.checks import settle
from orchestration.quality.sources import source_finding
from orchestration.state.freshness import View
from orchestration.state.manifests import Manifest
from orchestration.workspace.workspace import Workspace


def sync(workspace: Workspace) -> list[str]:
    """Bring Dagster's view up to the disk; return the partitions that it had wrong, as `dataset month`."""
    return with_store(lambda: _sync(workspace))


def _sync(workspace: Workspace) -> list[str]:
    observe_now(workspace, instance())
    corrected, view, suspects = [], View(workspace), once_failed()
    for item in workspace.datasets.values():
        reported = _reported_tags(item)
        events: list[DagsterEvent] = []
        for month in item.months:
            tags, status = reported.get(month, {}), view.status(item, month)
            failed = (item.name, month) in suspects and failed_run(item, month) is not None
            found: list[DagsterEvent] = []
            if (manifest := status.manifest) is not None and manifest.passed:
                wanted = version_tags(workspace, item, manifest)
                if wanted.items() - tags.items() or (failed and status.fresh):
                    found = _found(workspace, item, month, manifest)
            elif not failed:
                left = version(folder_hashes(workspace.folder(item, month)))
                # What lies there as it was made, and only lacks its manifest, is being made again.
                if tags.get(DATA_VERSION_TAG, ABSENT) not in (ABSENT, left):
                    found = [_absent(item, month)]
            if found:
                events += found
                corrected.append(label(item, month))
        if events:
            _report([*events, *_sources(workspace, item)])
    return corrected


def _report(events: list[DagsterEvent]) -> None:
    """Report events in a run called `sync`: Dagster takes a check's result once a run and partition."""

    @dg.op(name="sync")
    def report(context):  # type: ignore[no-untyped-def]  # Dagster takes no annotation that is a string
        for event in events:
            context.log_event(event)

    job = dg.GraphDefinition(name="sync", node_defs=[report]).to_job(executor_def=dg.in_process_executor)
    with errors_once():
        job.execute_in_process(instance=instance(), run_config=QUIET)


def _reported_tags(item: Declaration) -> dict[str, Mapping[str, str]]:
    """Return the tags of the latest materialisation of every month, in two queries."""
    if not item.partitioned:
        records = [record] if (record := _latest(item)) else []
    else:
        kind = dg.DagsterEventType.ASSET_MATERIALIZATION
        ids = instance().get_latest_storage_id_by_partition(asset_key(item.key), kind, set(item.months))
        chosen = dg.AssetRecordsFilter(asset_key(item.key), storage_ids=sorted(ids.values()))
        records = [*instance().fetch_materializations(chosen, limit=len(ids)).records] if ids else []
    events = [(record.partition_key or "", record.asset_materialization) for record in records]
    return {month: event.tags or {} for month, event in events if event}


def _latest(item: Declaration) -> dg.EventLogRecord | None:
    return next(iter(instance().fetch_materializations(asset_key(item.key), limit=1).records), None)


def _found(workspace: Workspace, item: Declaration, month: str, manifest: Manifest) -> list[DagsterEvent]:
    """Return the events of a partition that was made elsewhere."""
    if item.shape:
        settle(workspace, item, month, manifest)
    said = "found on disk by sync, made elsewhere"
    return runless_events(workspace, item, month, manifest, instance(), said)


def _sources(workspace: Workspace, item: Declaration) -> Iterator[dg.AssetCheckEvaluation]:
    """Yield what holds of the sources of a dataset, over all its partitions."""
    if item.records:
        finding = source_finding(workspace, item)
        yield dg.AssetCheckEvaluation(
            asset_key=asset_key(item.key),
            check_name=SOURCES,
            passed=finding.passed,
            metadata={},
            description=finding.description,
        )


def _absent(item: Declaration, month: str) -> dg.AssetMaterialization:
    """Dagster cannot forget one partition: a version of its own makes what reads it stale."""
    return dg.AssetMaterialization(
        asset_key(item.key),
        description="not on disk as it was made; bring it back with `dvc checkout --force`, or make it again",
        partition=month or None,
        tags={DATA_VERSION_TAG: ABSENT, DATA_VERSION_IS_USER_PROVIDED_TAG: "true"},
    )
