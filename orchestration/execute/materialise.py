"""Make one partition: key, write, publish, check, remember.

Belongs here: the `store` resource that every asset body is handed to. It opens the inputs itself: an IO
manager would open them before the lock is held. Not here: which partitions are made, and when (drivers/,
Dagster itself).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import dagster as dg

from assets.declare.dagster_asset import ADVISORY, CHECKS, SOURCES
from assets.declare.declaration import Declaration
from assets.declare.graph import label
from assets.declare.report import Everything
from ops.crawl.former import asked_units
from ops.parse.row_records import RowRecords
from ops.parts import FILES, Artifact, FilesFolder, Parts
from orchestration.engine.local import engine
from orchestration.execute.crawl_place import crawl_place
from orchestration.execute.empty import settle_empty
from orchestration.execute.finished_parts import (
    StoredCheckpoints,
    begin_parts,
    discard_checkpoints,
    discard_parts,
)
from orchestration.execute.inputs import open_inputs
from orchestration.execute.metadata import metadata
from orchestration.execute.pinned import bring_back
from orchestration.execute.resume import ResumableEngine
from orchestration.execute.runless import runless_events
from orchestration.files.full_disk import DiskFullError
from orchestration.files.identity import folder_hashes
from orchestration.files.parquet import write_outcomes
from orchestration.files.publish import building, write_files
from orchestration.files.replaced import InputReplacedError, Stamps, stamps_of, unreplaced
from orchestration.messages.failures import describe, give_up_or_retry
from orchestration.messages.progress import EventLines, listening
from orchestration.mlflow.tracking import track
from orchestration.quality import checks as quality
from orchestration.quality import conservation
from orchestration.quality.checks import recorded_finding
from orchestration.quality.conservation import Finding
from orchestration.quality.sources import source_finding
from orchestration.state.corpora import corpus
from orchestration.state.counts import counts
from orchestration.state.crawls import RECRAWL, ask_again, discard_crawl
from orchestration.state.empty import is_empty
from orchestration.state.freshness import EXPECTATIONS, FORCED, ONLY_STALE, NotReadyError, View, differences
from orchestration.state.input_snapshot import check_code, code_marks, input_snapshot
from orchestration.state.partition_locks import making
from orchestration.state.records import PartitionRecord, forget, read_record, write_record
from orchestration.workspace.environment import check_kernels, put_first
from orchestration.workspace.workspace import Workspace

_Inputs: TypeAlias = Mapping[str, Parts | Artifact]
_Findings: TypeAlias = Mapping[str, Finding]

_SETTLED = "without records, as the partition that was made"


@dataclass(frozen=True)
class Store:
    """Makes the partitions of a workspace. With `commit`, a finished stage goes into dvc.lock at once."""

    workspace: Workspace
    commit: bool = True

    def make(self, declaration: Declaration, context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        """Make one partition and return what Dagster records of it.

        Transient failures are retried with a growing pause, permanent ones are not. A partition that
        another process finished while this one waited for it, or since a driver found it stale, is not made
        twice. One that cannot be committed is finished all the same, and the next commit takes it along.
        """
        put_first(self.workspace)
        input_snapshot(self.workspace)
        month = context.partition_key if context.has_partition_key else ""
        forced = FORCED in context.run.tags
        if RECRAWL in context.run.tags:
            ask_again(self.workspace, declaration, [month])
        materialisation = Materialisation(self.workspace, declaration, month)
        try:
            with making(self.workspace, declaration, month) as waited:
                if declaration.crawl and (files := bring_back(self.workspace, declaration, month)):
                    context.log.info(f"{files} files brought back from DVC's cache")
                empty = bool(month) and is_empty(self.workspace, declaration, month)
                settled = empty and not forced
                if (waited or settled or ONLY_STALE in context.run.tags) and (
                    record := View(self.workspace).status(declaration, month).fresh_record
                ):
                    context.log.info("made by another run since this one was asked for it")
                    return materialisation.result(record)
                with listening(EventLines(context.log.info)):
                    result = materialisation.make(context.run_id)
            if empty and (others := settle_empty(self.workspace, declaration, month, forced)):
                context.log.info(f"as empty, and settled with it: {', '.join(others)}")
                self._tell(declaration, others, context.instance)
        except Exception as error:
            give_up_or_retry(error, context.retry_number, label(declaration, month))
        if self.commit:
            from orchestration.dvc.stages import commit_finished

            try:
                commit_finished(self.workspace, declaration)
            except Exception as error:
                context.log.warning(f"not committed to dvc.lock: {describe(error)}")
        return result

    def _tell(self, item: Declaration, months: Iterable[str], instance: dg.DagsterInstance) -> None:
        """Tell Dagster of partitions that were settled, before anything is made of them."""
        for month in months:
            if (record := read_record(self.workspace, item, month)) is not None:
                for event in runless_events(self.workspace, item, month, record, instance, _SETTLED):
                    instance.report_runless_asset_event(event)


@dataclass(frozen=True)
class Materialisation:
    """The making of one partition, whose lock is held."""

    workspace: Workspace
    item: Declaration
    month: str

    @property
    def _place(self) -> tuple[Workspace, Declaration, str]:
        return self.workspace, self.item, self.month

    def make(self, run_id: str) -> dg.MaterializeResult[Any]:
        """Make it, alone: the record is written last, and only when its checks have passed."""
        check_kernels()
        workspace, item, month = self._place
        if (reason := item.excluded(month)) is not None:
            raise NotReadyError(f"{label(item, month)} is excluded in params.yaml: {reason}")
        check_code(workspace, code_marks(workspace))
        started, target = time.monotonic(), workspace.folder(item, month)
        months = workspace.graph.input_months(item, month)
        findings: dict[str, Finding] = {}
        read = (workspace.folder(workspace.datasets[name], part) for name in months for part in months[name])
        before = stamps_of(read)  # ahead of all that is read of them
        with unreplaced(before):
            inputs = open_inputs(workspace, item, months)
            key = View(workspace).key(item, month)
            same = self._same_bytes(key)
            if isinstance(inputs, Everything):
                with building(workspace.staging, target) as new, unreplaced(before):
                    write_files(new, item.function(inputs))
            elif same is not None:
                findings = {
                    name: Finding((), "passed when it was made") for name in ("conservation", "schema")
                }
            else:
                findings = self.make_rows(target, inputs, key, before)
        if View(workspace).key(item, month) != key:  # what was read is as it was, and something else is not
            forget(*self._place)
            raise InputReplacedError("an input was replaced while it was read: run again")
        check_code(workspace, code_marks(workspace))  # what workers ran may not be what the key tells
        record = same or PartitionRecord(
            key, folder_hashes(target), counts(target), run_id, time.monotonic() - started
        )
        if item.shape is not None:
            findings |= quality.check(*self._place, target, record, run_id)
        self.accept(record, findings)
        return self.result(record, findings)

    def make_rows(
        self, target: Path, inputs: _Inputs, key: Mapping[str, Any], before: Stamps
    ) -> dict[str, Finding]:
        """Publish the rows of a partition; return what the checks found that need its inputs at hand."""
        assert self.item.shape is not None, f"{self.item.name} has no rows"
        folder = begin_parts(*self._place, key)
        resumable = ResumableEngine(self.workspace, engine(), label(self.item, self.month), folder, before)
        published = building(self.workspace.staging, target)
        with published as new, unreplaced(before), contextlib.closing(resumable):
            outcomes = self.item.function(**self._arguments(inputs, key, resumable, new))
            units = write_outcomes(new, outcomes, self.item.shape)
        return {
            "conservation": conservation.conservation(target, units, self._expected(inputs)),
            "schema": conservation.schema(target, self.item.shape),
        }

    def accept(self, record: PartitionRecord, findings: _Findings) -> None:
        """Let it count as made if the checks that can refuse it passed; track it either way."""
        accepted = all(finding.passed for name, finding in findings.items() if name not in ADVISORY)
        if accepted:
            write_record(*self._place, record)
        else:
            forget(*self._place)
        try:
            failed = {name: finding.faults for name, finding in findings.items() if not finding.passed}
            track(*self._place, record, failed)
        except DiskFullError:
            forget(*self._place)  # made again, it is tracked: else its run would be missing for ever
            raise
        discard_parts(*self._place)
        if accepted and self.item.checkpoints:
            discard_checkpoints(*self._place)
        if accepted and self.item.crawl:
            discard_crawl(*self._place)

    def result(self, record: PartitionRecord, findings: _Findings | None = None) -> dg.MaterializeResult[Any]:
        """Return what Dagster records; without findings, those that a record stands for."""
        names = CHECKS if self.item.shape else ()
        found = {
            **(findings or {name: recorded_finding(*self._place, record.version, name) for name in names}),
            **({SOURCES: source_finding(self.workspace, self.item)} if self.item.records else {}),
        }
        return dg.MaterializeResult(
            data_version=dg.DataVersion(record.version),
            metadata=metadata(*self._place, record),
            check_results=[
                dg.AssetCheckResult(
                    check_name=name,
                    passed=finding.passed,
                    severity=dg.AssetCheckSeverity.WARN if name in ADVISORY else dg.AssetCheckSeverity.ERROR,
                    description=finding.description,
                    metadata={"summary": finding.summary, "faults": list(finding.faults), **finding.shown},
                )
                for name, finding in found.items()
            ],
        )

    def _same_bytes(self, key: Mapping[str, Any]) -> PartitionRecord | None:
        """Return the record of a partition of which only the expectations changed: it is not made again."""
        former = View(self.workspace).known(self.item, self.month)
        unchanged = former is not None and differences(former.key, key) == [EXPECTATIONS]
        return replace(former, key=key) if former is not None and unchanged else None

    def _arguments(
        self, inputs: _Inputs, key: Mapping[str, Any], resumable: ResumableEngine, new: Path
    ) -> dict[str, Any]:
        item = self.item
        mapped = {
            source.argument: replace(value, engine=resumable) if isinstance(value, Parts) else value
            for source in item.argument_inputs
            for value in [inputs[source.argument]]
        }
        arguments: dict[str, Any] = {**mapped, **item.arguments}
        if item.checkpoints:
            arguments[item.checkpoints] = StoredCheckpoints(*self._place, key)
        if item.strict:
            arguments[item.strict] = self.workspace.settings.numerics == "strict"
        if item.crawl:
            arguments[item.crawl] = crawl_place(*self._place)
        if item.files:
            arguments[item.files] = FilesFolder(new / FILES)
        if item.records:
            records = corpus(self.workspace, item.records).records(self.month, resumable)
            arguments["records"] = replace(records, rows=self._row_records(inputs))
        return arguments

    def _row_records(self, inputs: _Inputs) -> tuple[RowRecords, ...]:
        """Return the rows of the datasets that params.yaml names as sources."""
        found = []
        for name, source in self.workspace.settings.named_datasets(self.item.records).items():
            rows = inputs[source.dataset]
            assert isinstance(rows, Parts), f"{source.dataset} has months"
            found.append(RowRecords(name, source, *self.item.row_format(source), rows, self.month))
        return tuple(found)

    def _expected(self, inputs: _Inputs) -> Iterator[str]:
        """Yield the ids of the units that a step must account for, read from its input, not its output."""
        if not self.item.crawl:
            yield from self._listed(inputs)
            return
        listed = list(self._listed(inputs))
        yield from listed
        yield from asked_units(self.workspace.folder(self.item, self.month) / FILES, besides=listed)

    def _listed(self, inputs: _Inputs) -> Iterator[str]:
        """Yield those of them that its input holds."""
        if self.item.records:
            yield from corpus(self.workspace, self.item.records).ids(self.month)
            for named in self._row_records(inputs):
                yield from conservation.unit_ids(named.rows)
        elif self.item.consumes:
            argument, _, nested = self.item.consumes.partition(".")
            read = inputs[argument]
            rows = read.rows if isinstance(read, Artifact) else read
            yield from conservation.unit_ids(rows, nested or None)
