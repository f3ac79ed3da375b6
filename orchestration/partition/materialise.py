"""Make one partition (key, write, check, publish, manifest), or only run its checks.

Belongs here: the `store` resource that every asset body calls. It opens the inputs itself, because an IO
manager would open them before the lock is held. Not here: which partitions are made and when (run/, Dagster
itself).
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import dagster as dg

from assets.declare.dataset import ADVISORY, CHECKS, SOURCES
from assets.declare.declaration import Declaration
from assets.declare.graph import Everything, label
from ops.core.counts import counts
from ops.core.parts import FILES, Artifact, FilesFolder, Parts
from ops.parse.records import RowRecords
from orchestration.checks import conservation, validate
from orchestration.checks.conservation import Finding, accepted, recorded
from orchestration.checks.ids import StoredIds, scratch
from orchestration.checks.rejects import source_finding
from orchestration.checks.units import expected_units
from orchestration.checks.validate import known_finding
from orchestration.executors.parts import RayEngine, engine
from orchestration.files.edits import check_code, source_versions
from orchestration.files.identity import folder_hashes
from orchestration.files.parquet import write_outcomes
from orchestration.files.publish import building, making, write_files
from orchestration.messages import EventLines, Notice, describe, give_up_or_retry, listening, tell
from orchestration.partition.crawl import bring_back, crawl_place
from orchestration.partition.dagster_events import (
    check_evaluation,
    combined,
    metadata,
    runless_events,
    unchanged,
)
from orchestration.partition.empty import settle_empty
from orchestration.partition.inputs import open_inputs
from orchestration.partition.one_task import made_by_one_task
from orchestration.partition.resume import (
    ResumableEngine,
    StoredCheckpoints,
    begin_parts,
    discard_checkpoints,
    discard_parts,
)
from orchestration.state.derived import StoredDerived
from orchestration.state.freshness import (
    CHECKS_CHANGED,
    FORCED,
    Manifest,
    NotReadyError,
    View,
    differences,
    read_manifest,
    write_manifest,
)
from orchestration.state.replaced import unreplaced
from orchestration.state.sources import RECRAWL, ask_again, corpus, discard_crawl, is_empty
from orchestration.workspace.workspace import Workspace, check_kernels, put_first

_Inputs: TypeAlias = Mapping[str, Parts | Artifact]
_Findings: TypeAlias = Mapping[str, Finding]

_SETTLED = "has no records; copied from the partition that was made"


class _RefusedError(Exception):
    """A blocking check failed, so the former partition remains."""


@dataclass(frozen=True)
class Store:
    """Makes partitions of a workspace. With `commit`, it commits a finished stage to dvc.lock immediately."""

    workspace: Workspace
    commit: bool = True

    def make(self, declaration: Declaration, context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        """Make one partition, unless it is fresh, and return what Dagster records about it.

        If only its checks changed, they run on the existing bytes. Transient failures are retried
        with growing pauses, permanent ones are not. If the commit to dvc.lock fails, the partition still
        counts as made, and the next commit includes it.
        """
        partition = self._begin(declaration, context)
        forced = FORCED in context.run.tags
        if RECRAWL in context.run.tags:
            ask_again(self.workspace, declaration, [partition])
        materialisation = Materialisation(self.workspace, declaration, partition)
        try:
            with making(self.workspace, declaration, partition):
                if declaration.crawl and (files := bring_back(self.workspace, declaration, partition)):
                    context.log.info(f"restored {files} files from DVC's cache")
                status = View(self.workspace).status(declaration, partition)
                if (fresh := status.fresh_manifest) is not None and not forced:
                    context.log.info("fresh: nothing to make")
                    return unchanged(
                        self.workspace, declaration, partition, fresh, materialisation.result(fresh)
                    )
                with listening(EventLines(context.log.info)):
                    if status.unchecked and not forced:
                        context.log.info(f"{'; '.join(status.reasons)}: checking the existing bytes again")
                        result = materialisation.check()
                    else:
                        result = materialisation.make()
            empty = not forced and is_empty(self.workspace, declaration, partition)
            if empty and (others := settle_empty(self.workspace, declaration, partition)):
                context.log.info(f"empty, and made together with: {', '.join(others)}")
                self._tell(declaration, others, context)
        except Exception as error:
            give_up_or_retry(error, context.retry_number, label(declaration, partition))
        self._commit(declaration, context)
        return result

    def check(
        self, declaration: Declaration, context: dg.AssetExecutionContext
    ) -> Iterable[dg.AssetCheckResult]:
        """Run the chosen checks on a partition's existing bytes, and return their results.

        A run without a partition, as started from Dagster's page of a partitioned asset, covers all
        partitions: each gets its own results, and the returned ones summarise them. A partition that is stale
        for other reasons than its checks is refused; its checks run when it is made.
        """
        named = self._begin(declaration, context)
        chosen = {key.name for key in context.selected_asset_check_keys}
        results: dict[str, list[dg.AssetCheckResult]] = {}
        for partition in [named] if named or not declaration.partitioned else declaration.made_partitions:
            try:
                with making(self.workspace, declaration, partition):
                    materialisation = Materialisation(self.workspace, declaration, partition)
                    found = materialisation.check(chosen)
            except Exception as error:
                give_up_or_retry(error, context.retry_number, label(declaration, partition))
            for result in found.check_results or ():
                results.setdefault(str(result.check_name), []).append(result)
                if partition != named and result.check_name in chosen - {SOURCES}:
                    context.log_event(check_evaluation(declaration, partition, result))
        self._commit(declaration, context)
        return [combined(of_check) for of_check in results.values()]

    def _begin(self, declaration: Declaration, context: dg.AssetExecutionContext) -> str:
        """Record today's code, params and sources; return the requested partition.

        A run of one month may include a dataset that has no months, such as an input.
        """
        put_first()
        source_versions(self.workspace)
        return context.partition_key if declaration.partitioned and context.has_partition_key else ""

    def _commit(self, declaration: Declaration, context: dg.AssetExecutionContext) -> None:
        if self.commit:
            from orchestration.dvc.stages import commit_finished

            try:
                commit_finished(View(self.workspace), declaration)
            except Exception as error:
                context.log.warning(f"could not commit to dvc.lock: {describe(error)}")

    def _tell(
        self, dataset: Declaration, partitions: Iterable[str], context: dg.AssetExecutionContext
    ) -> None:
        """Report to Dagster the partitions made as copies, before anything is made from them."""
        for partition in partitions:
            if (manifest := read_manifest(self.workspace, dataset, partition)) is not None:
                for event in runless_events(
                    self.workspace, dataset, partition, manifest, context.instance, _SETTLED
                ):
                    context.log_event(event)  # Dagster takes a check's result once per run and partition


@dataclass(frozen=True)
class Materialisation:
    """The making of one partition. The caller holds its lock."""

    workspace: Workspace
    dataset: Declaration
    partition: str

    @property
    def _place(self) -> tuple[Workspace, Declaration, str]:
        return self.workspace, self.dataset, self.partition

    def make(self) -> dg.MaterializeResult[Any]:
        """Make it. If its checks pass, it replaces the former partition, and then its manifest is written."""
        check_kernels()
        workspace, dataset, partition = self._place
        if (reason := dataset.excluded(partition)) is not None:
            raise NotReadyError(f"{label(dataset, partition)} is excluded in params.yaml: {reason}")
        is_report = dataset.shape is None
        check_code(workspace, is_report)
        target = workspace.folder(dataset, partition)
        findings: dict[str, Finding] = {}
        with (
            contextlib.suppress(_RefusedError),
            building(workspace.staging, target) as new,
            self._unreplaced() as view,
        ):
            inputs = open_inputs(workspace, dataset, self._read)  # before the key: it names a changed byte
            key = view.key(dataset, partition)
            if isinstance(inputs, Everything):
                write_files(new, dataset.function(inputs))
            else:
                findings = self.make_rows(new, inputs, key)
            check_code(workspace, is_report)  # workers may have run other code than the key says
            manifest = Manifest(key, folder_hashes(new), counts(new))
            if not is_report:
                findings |= validate.check(*self._place, new, manifest)
            manifest = replace(manifest, checks=recorded(findings))
            if not accepted(findings):
                raise _RefusedError
        self.accept(manifest, findings)
        return self.result(manifest, findings)

    def check(self, names: Collection[str] = tuple(CHECKS)) -> dg.MaterializeResult[Any]:
        """Run some checks on the bytes on disk. If a blocking one fails, the partition is not fresh any more.

        Expectations and warnings always run together. After a change of a check, the bytes count again once
        all checks have passed. Raises NotReadyError if the partition does not exist
        or is stale.
        """
        workspace, dataset, partition = self._place
        if (manifest := View(workspace).known(dataset, partition)) is None:
            raise NotReadyError(f"{label(dataset, partition)} is missing or changed on disk: make it first")
        shape = dataset.shape
        assert shape is not None, "a report has no checks"
        folder, findings = workspace.folder(dataset, partition), dict[str, Finding]()
        with scratch(*self._place) as space, self._unreplaced() as view:
            inputs = open_inputs(workspace, dataset, self._read) if "conservation" in names else {}
            assert not isinstance(inputs, Everything)
            today = view.key(dataset, partition)
            changes = differences(manifest.key, today)
            if others := "; ".join(change for change in changes if change != CHECKS_CHANGED):
                raise NotReadyError(f"{label(dataset, partition)} is stale: {others}; make it first")
            if "conservation" in names:
                findings["conservation"] = conservation.on_disk(folder, self._expected(inputs, folder), space)
            if "schema" in names:
                findings["schema"] = conservation.schema(folder, shape, space)
        if not validate.LEVELS.keys().isdisjoint(names):
            findings |= validate.check(*self._place, folder, manifest)
        check_code(workspace)
        results = {**({} if changes else manifest.checks), **recorded(findings)}
        if not accepted(findings) or results.keys() >= CHECKS.keys():
            write_manifest(*self._place, replace(manifest, key=today, checks=results))
        return self.result(manifest, findings)

    def _unreplaced(self) -> contextlib.AbstractContextManager[View]:
        """Like `unreplaced`, for the inputs; discards the parts, since some may be of another version."""
        return unreplaced(self.workspace, self._read, lambda: discard_parts(*self._place))

    @property
    def _read(self) -> Mapping[str, list[str]]:
        return self.workspace.graph.input_partitions(self.dataset, self.partition)

    def make_rows(self, new: Path, inputs: _Inputs, key: Mapping[str, Any]) -> dict[str, Finding]:
        """Write the partition's rows to a folder. Return the findings of the checks that need its inputs."""
        assert self.dataset.shape is not None, f"{self.dataset.name} has no rows"
        folder = begin_parts(*self._place, key)
        named = label(self.dataset, self.partition)
        maps = engine(self.dataset.name, self.dataset.code["models"], lambda text: tell(Notice(named, text)))
        resumable = ResumableEngine(self.workspace, maps, named, folder)
        with scratch(*self._place) as space:
            units = StoredIds(space / "units")
            with contextlib.closing(resumable):
                arguments = self._arguments(inputs, key, resumable, new)
                outcomes = (
                    made_by_one_task(maps, self.dataset, arguments)
                    if self.dataset.one_task and isinstance(maps, RayEngine)
                    else self.dataset.function(**arguments)
                )
                write_outcomes(new, units.taken_from(outcomes), self.dataset.shape)
            return {
                "conservation": conservation.conservation(new, units, self._expected(inputs, new), space),
                "schema": conservation.schema(new, self.dataset.shape, space),
            }

    def accept(self, manifest: Manifest, findings: _Findings) -> None:
        """Write the manifest if the blocking checks passed, and discard what only making it needed."""
        passed = accepted(findings)
        if passed:
            write_manifest(*self._place, manifest)
        discard_parts(*self._place)
        if passed and self.dataset.checkpoints:
            discard_checkpoints(*self._place)
        if passed and self.dataset.crawl:
            discard_crawl(*self._place)

    def result(self, manifest: Manifest, findings: _Findings | None = None) -> dg.MaterializeResult[Any]:
        """Return what Dagster records. Without findings, those implied by the manifest are used."""
        names = CHECKS if self.dataset.shape else ()
        found = findings or {name: known_finding(manifest, name) for name in names}
        return dg.MaterializeResult(
            data_version=dg.DataVersion(manifest.version),
            metadata=metadata(*self._place, manifest) if accepted(found) else None,
            check_results=self._results(found),
        )

    def _results(self, findings: _Findings) -> list[dg.AssetCheckResult]:
        sources = {SOURCES: source_finding(*self._place)} if self.dataset.records else {}
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

    def _arguments(
        self, inputs: _Inputs, key: Mapping[str, Any], resumable: ResumableEngine, new: Path
    ) -> dict[str, Any]:
        dataset = self.dataset
        mapped = {
            source.argument: replace(value, engine=resumable) if isinstance(value, Parts) else value
            for source in dataset.argument_inputs
            for value in [inputs[source.argument]]
        }
        arguments: dict[str, Any] = {**mapped, **dataset.arguments}
        if dataset.checkpoints:
            arguments[dataset.checkpoints] = StoredCheckpoints(*self._place, key)
        if dataset.strict:
            arguments[dataset.strict] = self.workspace.settings.numerics == "strict"
        if dataset.crawl:
            arguments[dataset.crawl] = crawl_place(*self._place)
        if dataset.derived:
            arguments[dataset.derived] = StoredDerived(self.workspace, dataset, key)
        if dataset.files:
            arguments[dataset.files] = FilesFolder(new / FILES)
        if dataset.records:
            records = corpus(self.workspace, dataset.records).records(self.partition, resumable)
            arguments["records"] = replace(records, rows=self._row_records(inputs))
        return arguments

    def _row_records(self, inputs: _Inputs) -> tuple[RowRecords, ...]:
        """Return the rows of datasets that params.yaml lists as sources."""
        found = []
        for name, source in self.workspace.settings.named_datasets(self.dataset.records).items():
            rows = inputs[source.dataset]
            assert isinstance(rows, Parts), f"{source.dataset} has rows"
            found.append(RowRecords(name, source, *self.dataset.row_format(source), rows, self.partition))
        return tuple(found)

    def _expected(self, inputs: _Inputs, folder: Path) -> Iterator[str]:
        return expected_units(*self._place, inputs, folder)
