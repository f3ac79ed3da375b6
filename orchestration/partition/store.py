"""What Dagster calls to make a partition or to run its checks: the `store` resource.

Belongs here: what a run of Dagster asks (its tags, partition and selected checks), retries, the log, and the
commit that follows. The store opens inputs itself, because an IO manager would open them before the lock is
held. Not here: making a partition (materialise.py), what Dagster records about it (dagster_events.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import dagster as dg

from silverloom.assets.declare.checks import ADVISORY, CHECKS, SOURCES
from silverloom.assets.declare.dagster_asset import asset_key
from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import label
from silverloom.orchestration.compat import add_to_timeline
from silverloom.orchestration.files.edits import source_versions
from silverloom.orchestration.files.publish import making
from silverloom.orchestration.messages import EventLines, describe, give_up_or_retry, listening
from silverloom.orchestration.partition.crawl import bring_back
from silverloom.orchestration.partition.dagster_events import (
    check_evaluation,
    check_results,
    combined,
    failed_check,
    materialize_result,
    runless_events,
    unchanged,
)
from silverloom.orchestration.partition.empty import copy_empty
from silverloom.orchestration.partition.materialise import Materialisation
from silverloom.orchestration.state.freshness import FORCED, NotReadyError, View, made_from, read_manifest
from silverloom.orchestration.state.sources import RECRAWL, ask_again, is_empty
from silverloom.orchestration.workspace.environment import put_first
from silverloom.orchestration.workspace.workspace import Workspace

_COPIED = "has no records; copied from the partition that was made"


@dataclass(frozen=True)
class Store:
    """Makes partitions of a workspace. With `commit`, it commits a finished stage to dvc.lock immediately."""

    workspace: Workspace
    commit: bool = True

    def run(
        self, dataset: Dataset, context: dg.AssetExecutionContext
    ) -> Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]:
        """Make one partition, or only run its checks, as selected in Dagster; yield what Dagster records.

        Raises dg.Failure if a blocking check failed, and RetryRequested after a transient failure.
        """
        key = asset_key(dataset.key)
        made = self.make(dataset, context) if key in context.selected_asset_keys else None
        results = list(made.check_results or () if made else self.check(dataset, context))
        chosen = {check.name for check in context.selected_asset_check_keys}
        selected = [result for result in results if result.check_name in chosen]
        blocking = CHECKS.keys() - ADVISORY
        failed = [result for result in results if result.check_name in blocking and not result.passed]
        if made and not failed:
            yield dg.MaterializeResult(
                asset_key=key, data_version=made.data_version, metadata=made.metadata, check_results=selected
            )
            return
        yield from selected
        if failed:  # a materialisation event would make Dagster show the partition as made
            causes = "; ".join(map(failed_check, failed))
            raise dg.Failure(f"not made: {causes}" if made else causes, allow_retries=False)

    def make(self, dataset: Dataset, context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        """Make one partition, unless it is fresh, and return what Dagster records about it.

        If only its checks changed, they run on the existing bytes. Transient failures are retried
        with growing pauses, permanent ones are not. If the commit to dvc.lock fails, the partition still
        counts as made, and the next commit includes it.
        """
        add_to_timeline(context.instance, context.run)
        partition = self._begin(dataset, context)
        place = self.workspace, dataset, partition
        forced = FORCED in context.run.tags
        if RECRAWL in context.run.tags:
            ask_again(self.workspace, dataset, [partition])
        materialisation = Materialisation(*place)
        try:
            with making(*place), listening(EventLines(context.log.info)):
                if dataset.crawl and (files := bring_back(*place)):
                    context.log.info(f"restored {files} files from DVC's cache")
                view = View(self.workspace)
                status = view.status(dataset, partition)
                if (fresh := status.fresh_manifest) is not None and not forced:
                    context.log.info("fresh: nothing to make")
                    return unchanged(*place, fresh)
                why = "its run is forced" if forced else "; ".join(status.reasons)
                if status.unchecked and not forced:
                    context.log.info(f"{why}: checking the existing bytes again")
                    checked = materialisation.check()
                else:
                    context.log.info(f"made because: {why}")
                    with contextlib.suppress(NotReadyError):  # making it tells which input is missing
                        context.log.info(f"made from: {made_from(view.key(dataset, partition))}")
                    checked = materialisation.make()
                result = materialize_result(*place, *checked)
            if not forced and is_empty(*place):
                self._copy_empty(dataset, partition, context)
        except Exception as error:
            give_up_or_retry(error, context.retry_number, label(dataset, partition))
        self._commit(dataset, context)
        return result

    def check(self, dataset: Dataset, context: dg.AssetExecutionContext) -> Iterable[dg.AssetCheckResult]:
        """Run the chosen checks on a partition's existing bytes, and return their results.

        A run without a partition, as started from Dagster's page of a partitioned asset, covers all
        partitions: each gets its own results, and the returned ones summarise them. A partition that is stale
        for other reasons than its checks is refused; its checks run when it is made.
        """
        named = self._begin(dataset, context)
        chosen = {key.name for key in context.selected_asset_check_keys}
        results: dict[str, list[dg.AssetCheckResult]] = {}
        for partition in [named] if named or not dataset.partitioned else dataset.made_partitions:
            try:
                with making(self.workspace, dataset, partition):
                    materialisation = Materialisation(self.workspace, dataset, partition)
                    checked = materialisation.check(chosen)
            except Exception as error:
                give_up_or_retry(error, context.retry_number, label(dataset, partition))
            for result in check_results(self.workspace, dataset, partition, checked.findings):
                results.setdefault(str(result.check_name), []).append(result)
                if partition != named and result.check_name in chosen - {SOURCES}:
                    context.log_event(check_evaluation(dataset, partition, result))
        self._commit(dataset, context)
        return [combined(of_check) for of_check in results.values()]

    def _begin(self, dataset: Dataset, context: dg.AssetExecutionContext) -> str:
        """Record today's code, params and sources; return the requested partition.

        A run of one month may include a dataset that has no months, such as an input.
        """
        put_first()
        source_versions(self.workspace)
        return context.partition_key if dataset.partitioned and context.has_partition_key else ""

    def _commit(self, dataset: Dataset, context: dg.AssetExecutionContext) -> None:
        if not self.commit:
            return
        try:
            if (view := View(self.workspace)).complete(dataset):
                from silverloom.orchestration.dvc.stages import commit_finished

                commit_finished(view)
        except Exception as error:
            context.log.warning(f"could not commit to dvc.lock: {describe(error)}")

    def _copy_empty(self, dataset: Dataset, partition: str, context: dg.AssetExecutionContext) -> None:
        """Publish the other empty partitions as copies of this one, and report them to Dagster."""
        if not (others := copy_empty(self.workspace, dataset, partition)):
            return
        context.log.info(f"empty, and made together with: {', '.join(others)}")
        for other in others:
            if (manifest := read_manifest(self.workspace, dataset, other)) is not None:
                for event in runless_events(
                    self.workspace, dataset, other, manifest, context.instance, _COPIED
                ):
                    context.log_event(event)  # Dagster takes a check's result once per run and partition
