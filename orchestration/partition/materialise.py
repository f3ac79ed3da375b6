"""Make one partition: key, write, check, publish, manifest; or run its checks alone.

Belongs here: the `store` resource that every asset body is handed to. It opens the inputs itself: an IO
manager would open them before the lock is held. Not here: which partitions are made, and when (run/,
Dagster itself).
"""

from __future__ import annotations

import contextlib
import time
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
from ops.crawl.journal import asked_units
from ops.parse.records import RowRecords
from orchestration.checks import conservation, validate
from orchestration.checks.conservation import Finding
from orchestration.checks.rejects import source_finding
from orchestration.checks.validate import known_finding
from orchestration.executors.parts import RayEngine, engine
from orchestration.files.full_disk import DiskFullError
from orchestration.files.identity import (
    Stamps,
    check_code,
    code_marks,
    folder_hashes,
    input_snapshot,
    stamps_of,
    unreplaced,
)
from orchestration.files.parquet import write_outcomes
from orchestration.files.publish import building, making, write_files
from orchestration.messages import EventLines, describe, give_up_or_retry, listening
from orchestration.mlflow.tracking import track
from orchestration.partition.crawl import bring_back, crawl_place
from orchestration.partition.dagster_events import check_evaluation, metadata, runless_events
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
    EXPECTATIONS,
    FAILED,
    FORCED,
    Manifest,
    NotReadyError,
    View,
    differences,
    forget,
    manifest_file,
    read_manifest,
    write_manifest,
)
from orchestration.state.sources import RECRAWL, ask_again, corpus, discard_crawl, is_empty
from orchestration.workspace.workspace import Workspace, check_kernels, put_first

_Inputs: TypeAlias = Mapping[str, Parts | Artifact]
_Findings: TypeAlias = Mapping[str, Finding]

_SETTLED = "without records, as the partition that was made"


class _RefusedError(Exception):
    """A check that blocks failed: the former partition stays as it is."""


@dataclass(frozen=True)
class Store:
    """Makes the partitions of a workspace. With `commit`, a finished stage goes into dvc.lock at once."""

    workspace: Workspace
    commit: bool = True

    def make(self, declaration: Declaration, context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        """Make one partition, unless it is fresh, and return what Dagster records of it.

        Where its bytes are today's and its expectations are others, only its checks run.
        Transient failures are retried with a growing pause, permanent ones are not. One that cannot be
        committed to dvc.lock is finished all the same, and the next commit takes it along.
        """
        partition = self._begin(context)
        forced = FORCED in context.run.tags
        if RECRAWL in context.run.tags:
            ask_again(self.workspace, declaration, [partition])
        materialisation = Materialisation(self.workspace, declaration, partition)
        try:
            with making(self.workspace, declaration, partition):
                if declaration.crawl and (files := bring_back(self.workspace, declaration, partition)):
                    context.log.info(f"{files} files brought back from DVC's cache")
                status = View(self.workspace).status(declaration, partition)
                if status.fresh_manifest is not None and not forced:
                    context.log.info("fresh: nothing was made")
                    return materialisation.result(status.fresh_manifest)
                with listening(EventLines(context.log.info)):
                    if status.unchecked and not forced:
                        context.log.info(f"{'; '.join(status.reasons)}: the same bytes are checked again")
                        result = materialisation.check(context.run.run_id)
                    else:
                        result = materialisation.make(context.run.run_id)
            empty = not forced and is_empty(self.workspace, declaration, partition)
            if empty and (others := settle_empty(self.workspace, declaration, partition)):
                context.log.info(f"as empty, and made with it: {', '.join(others)}")
                self._tell(declaration, others, context)
        except Exception as error:
            give_up_or_retry(error, context.retry_number, label(declaration, partition))
        self._commit(declaration, context)
        return result

    def check(
        self, declaration: Declaration, context: dg.AssetExecutionContext
    ) -> Iterable[dg.AssetCheckResult]:
        """Run the chosen checks of a partition on the bytes that were made, and return their results.

        A run that names no partition, as from Dagster's page of a partitioned asset, is about all: each has
        results of its own then, and those returned are of all together. One that is stale by more than its
        expectations is refused: its checks run when it is made.
        """
        named, chosen = self._begin(context), {key.name for key in context.selected_asset_check_keys}
        results: dict[str, list[dg.AssetCheckResult]] = {}
        for partition in [named] if named or not declaration.partitioned else declaration.made_partitions:
            try:
                with making(self.workspace, declaration, partition):
                    materialisation = Materialisation(self.workspace, declaration, partition)
                    found = materialisation.check(context.run.run_id, chosen)
            except Exception as error:
                give_up_or_retry(error, context.retry_number, label(declaration, partition))
            for result in found.check_results or ():
                results.setdefault(str(result.check_name), []).append(result)
                if partition != named and result.check_name in chosen - {SOURCES}:
                    context.log_event(check_evaluation(declaration, partition, result))
        self._commit(declaration, context)
        return [_together(of_check) for of_check in results.values()]

    def _begin(self, context: dg.AssetExecutionContext) -> str:
        """Take notice of what code, params and sources are now; return the partition that is asked for."""
        put_first(self.workspace)
        input_snapshot(self.workspace)
        return context.partition_key if context.has_partition_key else ""

    def _commit(self, declaration: Declaration, context: dg.AssetExecutionContext) -> None:
        if self.commit:
            from orchestration.dvc.stages import commit_finished

            try:
                commit_finished(View(self.workspace), declaration)
            except Exception as error:
                context.log.warning(f"not committed to dvc.lock: {describe(error)}")

    def _tell(
        self, dataset: Declaration, partitions: Iterable[str], context: dg.AssetExecutionContext
    ) -> None:
        """Tell Dagster of partitions that were settled, before anything is made of them."""
        for partition in partitions:
            if (manifest := read_manifest(self.workspace, dataset, partition)) is not None:
                for event in runless_events(
                    self.workspace, dataset, partition, manifest, context.instance, _SETTLED
                ):
                    context.log_event(event)  # Dagster takes a check's result once a run and partition


@dataclass(frozen=True)
class Materialisation:
    """The making of one partition, whose lock is held."""

    workspace: Workspace
    dataset: Declaration
    partition: str

    @property
    def _place(self) -> tuple[Workspace, Declaration, str]:
        return self.workspace, self.dataset, self.partition

    def make(self, run_id: str) -> dg.MaterializeResult[Any]:
        """Make it, alone; it takes the place of the former one, then its manifest, once its checks passed."""
        check_kernels()
        workspace, dataset, partition = self._place
        if (reason := dataset.excluded(partition)) is not None:
            raise NotReadyError(f"{label(dataset, partition)} is excluded in params.yaml: {reason}")
        check_code(workspace, code_marks(workspace))
        started, target = time.monotonic(), workspace.folder(dataset, partition)
        findings: dict[str, Finding] = {}
        before, inputs = self._open()
        with unreplaced(before):
            key = View(workspace).key(dataset, partition)
        with contextlib.suppress(_RefusedError), building(workspace.staging, target) as new:
            with unreplaced(before):
                if isinstance(inputs, Everything):
                    write_files(new, dataset.function(inputs))
                else:
                    findings = self.make_rows(new, inputs, key, before)
            check_code(workspace, code_marks(workspace))  # what workers ran may not be what the key tells
            manifest = Manifest(key, folder_hashes(new), counts(new))
            if dataset.shape is not None:
                findings |= validate.check(*self._place, new, manifest, run_id)
            if not _accepted(findings):
                raise _RefusedError
        self.accept(manifest, findings, run_id, time.monotonic() - started)
        return self.result(manifest, findings)

    def check(self, run_id: str, names: Collection[str] = tuple(CHECKS)) -> dg.MaterializeResult[Any]:
        """Run some of its checks on what lies on disk; where one that blocks fails, nothing is made of it.

        Expectations and warnings are looked at together. Bytes that failed a check count again once all of
        them passed.
        Raises NotReadyError where it was not made, or not of what would be taken today.
        """
        workspace, dataset, partition = self._place
        if (manifest := View(workspace).known(dataset, partition)) is None:
            raise NotReadyError(f"{label(dataset, partition)} is not on disk as it was made: make it first")
        before, inputs = self._open()
        shape = dataset.shape
        assert shape is not None and not isinstance(inputs, Everything), "a report has no checks"
        today = View(workspace).key(dataset, partition)
        if others := [change for change in differences(manifest.key, today) if change != EXPECTATIONS]:
            raise NotReadyError(f"{label(dataset, partition)} is stale: {'; '.join(others)}; make it first")
        folder, findings = workspace.folder(dataset, partition), dict[str, Finding]()
        with unreplaced(before):
            if "conservation" in names:
                findings["conservation"] = conservation.on_disk(folder, self._expected(inputs, folder))
        if "schema" in names:
            findings["schema"] = conservation.schema(folder, shape)
        if not validate.LEVELS.keys().isdisjoint(names):
            findings |= validate.check(*self._place, folder, manifest, run_id)
        if not _accepted(findings):
            failed = {**today, "code": {**today["code"], "expectations": FAILED}}
            write_manifest(*self._place, replace(manifest, key=failed))
        elif findings.keys() >= CHECKS.keys() or (manifest.passed and "expectations" in findings):
            write_manifest(*self._place, replace(manifest, key=today))
        return self.result(manifest, findings)

    def _open(self) -> tuple[Stamps, Everything | _Inputs]:
        """Return its inputs, and the stamps of their files, taken before any is read."""
        partitions = self.workspace.graph.input_partitions(self.dataset, self.partition)
        datasets = self.workspace.datasets
        read = [(datasets[name], part) for name in partitions for part in partitions[name]]
        folders = (self.workspace.folder(*place) for place in read)
        before = stamps_of([*folders, *(manifest_file(self.workspace, *place) for place in read)])
        with unreplaced(before):
            return before, open_inputs(self.workspace, self.dataset, partitions)

    def make_rows(
        self, new: Path, inputs: _Inputs, key: Mapping[str, Any], before: Stamps
    ) -> dict[str, Finding]:
        """Write the rows of a partition into a folder; return what the checks found that need its inputs."""
        assert self.dataset.shape is not None, f"{self.dataset.name} has no rows"
        folder = begin_parts(*self._place, key)
        maps = engine(self.dataset.name, self.dataset.code["models"])
        resumable = ResumableEngine(self.workspace, maps, label(self.dataset, self.partition), folder, before)
        with contextlib.closing(resumable):
            arguments = self._arguments(inputs, key, resumable, new)
            outcomes = (
                made_by_one_task(maps, self.dataset, arguments)
                if self.dataset.one_task and isinstance(maps, RayEngine)
                else self.dataset.function(**arguments)
            )
            units = write_outcomes(new, outcomes, self.dataset.shape)
        return {
            "conservation": conservation.conservation(new, units, self._expected(inputs, new)),
            "schema": conservation.schema(new, self.dataset.shape),
        }

    def accept(self, manifest: Manifest, findings: _Findings, run_id: str, seconds: float) -> None:
        """Let it count as made if the checks that can refuse it passed; track it either way."""
        accepted = _accepted(findings)
        if accepted:
            write_manifest(*self._place, manifest)
        try:
            failed = {name: finding.faults for name, finding in findings.items() if not finding.passed}
            track(*self._place, manifest, accepted, failed, run_id, seconds)
        except DiskFullError:
            if accepted:
                forget(*self._place)  # made again, it is tracked: else its run would be missing for ever
            raise
        discard_parts(*self._place)
        if accepted and self.dataset.checkpoints:
            discard_checkpoints(*self._place)
        if accepted and self.dataset.crawl:
            discard_crawl(*self._place)

    def result(self, manifest: Manifest, findings: _Findings | None = None) -> dg.MaterializeResult[Any]:
        """Return what Dagster records; without findings, those that a manifest stands for."""
        names = CHECKS if self.dataset.shape else ()
        found = findings or {name: known_finding(*self._place, manifest.version, name) for name in names}
        return dg.MaterializeResult(
            data_version=dg.DataVersion(manifest.version),
            metadata=metadata(*self._place, manifest) if _accepted(found) else None,
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
        """Return the rows of the datasets that params.yaml names as sources."""
        found = []
        for name, source in self.workspace.settings.named_datasets(self.dataset.records).items():
            rows = inputs[source.dataset]
            assert isinstance(rows, Parts), f"{source.dataset} has rows"
            found.append(RowRecords(name, source, *self.dataset.row_format(source), rows, self.partition))
        return tuple(found)

    def _expected(self, inputs: _Inputs, folder: Path) -> Iterator[str]:
        """Yield the ids of the units that a step must account for, read from its input, not its output.

        A crawl finds units itself: what it asked for stands in the journal in its folder.
        """
        if not self.dataset.crawl:
            yield from self._listed(inputs)
            return
        listed = list(self._listed(inputs))
        yield from listed
        yield from asked_units(folder / FILES, besides=listed)

    def _listed(self, inputs: _Inputs) -> Iterator[str]:
        """Yield those of them that its input holds."""
        if self.dataset.records:
            yield from corpus(self.workspace, self.dataset.records).ids(self.partition)
            for named in self._row_records(inputs):
                yield from conservation.unit_ids(named.rows)
        elif self.dataset.consumes:
            argument, _, nested = self.dataset.consumes.partition(".")
            read = inputs[argument]
            rows = read.rows if isinstance(read, Artifact) else read
            yield from conservation.unit_ids(rows, nested or None)


def _together(results: list[dg.AssetCheckResult]) -> dg.AssetCheckResult:
    """Return one result for those of several partitions: it passed if they all did."""
    if len(results) == 1:
        return results[0]
    failed = [result for result in results if not result.passed]
    said = "; ".join(str(result.description) for result in failed)
    return dg.AssetCheckResult(
        check_name=results[0].check_name,
        passed=not failed,
        severity=results[0].severity,
        description=said or f"passed in all {len(results)} partitions",
    )


def _accepted(findings: _Findings) -> bool:
    return all(finding.passed for name, finding in findings.items() if name not in ADVISORY)
