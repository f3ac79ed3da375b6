"""Make one partition: key, write, publish, check, remember.

Belongs here: the `store` resource that every asset body is handed to. It opens the inputs itself: an IO
manager would open them before the locks are held. Not here: which partitions are made, and when (run.py,
stage.py, Dagster itself).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dagster as dg

from assets.declare.dagster_asset import ADVISORY, CHECKS
from assets.declare.declaration import Declaration
from assets.declare.graph import label
from assets.declare.report import Everything
from ops.crawl.former import asked_units
from ops.parts import Artifact, Parts
from orchestration.engine.local import engine
from orchestration.execute.checkpoints import StoredCheckpoints, discard
from orchestration.execute.crawl_place import crawl_place
from orchestration.execute.finished_parts import InputMark, begin_parts, discard_parts, marks
from orchestration.execute.inputs import ChangedBytesError, input_files, open_inputs
from orchestration.execute.metadata import links, metadata
from orchestration.execute.resume import ResumableEngine
from orchestration.files.full_disk import DiskFullError
from orchestration.files.identity import folder_hashes
from orchestration.files.parquet import write_outcomes
from orchestration.files.publish import building, write_files
from orchestration.messages.failures import describe, give_up_or_retry
from orchestration.messages.progress import EventLines, listening
from orchestration.mlflow.tracking import track
from orchestration.quality import checks as quality
from orchestration.quality import conservation
from orchestration.quality.checks import recorded_finding
from orchestration.quality.conservation import Finding
from orchestration.state.corpora import corpus
from orchestration.state.counts import counts
from orchestration.state.crawls import RECRAWL, ask_again, discard_crawl
from orchestration.state.freshness import (
    EXPECTATIONS,
    ONLY_STALE,
    NotReadyError,
    View,
    differences,
)
from orchestration.state.input_snapshot import check_code, code_marks, input_snapshot
from orchestration.state.partition_locks import making, reading
from orchestration.state.records import PartitionRecord, forget, write_record
from orchestration.workspace.workspace import Workspace


@dataclass(frozen=True)
class Store:
    """Makes the partitions of a workspace. With `commit`, a finished stage goes into dvc.lock at once."""

    workspace: Workspace
    commit: bool = True

    def make(self, declaration: Declaration, context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        """Make one partition and return what Dagster records of it.

        Transient failures are retried with a growing pause, permanent ones are not. A partition that
        another process finished while this one waited for it, or since a driver found it stale, is not made
        twice.
        """
        workspace = self.workspace
        input_snapshot(workspace)
        month = context.partition_key if context.has_partition_key else ""
        if RECRAWL in context.run.tags:
            ask_again(workspace, declaration, [month])
        try:
            with making(workspace, declaration, month) as waited:
                if (waited or ONLY_STALE in context.run.tags) and (
                    record := View(workspace).status(declaration, month).fresh_record
                ):
                    context.log.info("made by another run since this one was asked for it")
                    return _result(workspace, declaration, month, record)
                with listening(EventLines(context.log.info)):
                    result = make(workspace, declaration, month, context.run_id)
        except Exception as error:
            give_up_or_retry(error, context.retry_number, label(declaration, month))
        if self.commit:
            self._commit(declaration, context)
        return result

    def _commit(self, declaration: Declaration, context: dg.AssetExecutionContext) -> None:
        """Commit if that can be; a partition is finished all the same, and the next commit takes it along."""
        from orchestration.dvc.stages import commit_finished

        try:
            commit_finished(self.workspace, declaration)
        except Exception as error:
            context.log.warning(f"not committed to dvc.lock: {describe(error)}")


def make(
    workspace: Workspace, declaration: Declaration, month: str, run_id: str
) -> dg.MaterializeResult[Any]:
    """Make one partition, alone: the record is written last, and only when its checks have passed."""
    if (reason := declaration.excluded(month)) is not None:
        raise NotReadyError(f"{label(declaration, month)} is excluded in params.yaml: {reason}")
    check_code(workspace, code_marks(workspace))
    started = time.monotonic()
    target = workspace.folder(declaration, month)
    graph = workspace.graph
    months = graph.input_months(declaration, month)
    upstream = zip(declaration.inputs, graph.upstream(declaration), strict=True)
    sources = {source.argument: item for source, item in upstream}
    findings: dict[str, Finding] = {}
    with reading(workspace, [(item, part) for item in sources.values() for part in months[item.name]]):
        inputs = open_inputs(workspace, declaration, sources, months)
        before = marks(input_files(inputs))  # ahead of the key, under which only what was read is stored
        made_under = View(workspace).key(declaration, month)
        same = _same_bytes(workspace, declaration, month, made_under)
        if isinstance(inputs, Everything):
            with building(workspace.staging, target) as new:
                write_files(new, declaration.function(inputs))
        elif same is not None:
            findings = {name: Finding((), "passed when it was made") for name in ("conservation", "schema")}
        else:
            findings = _make_dataset(workspace, declaration, month, target, inputs, made_under, before)
        if View(workspace).key(declaration, month) != made_under:  # a `dvc checkout` asks for no lock
            forget(workspace, declaration, month)
            raise ChangedBytesError("an input was replaced while it was read: run again")
    check_code(workspace, code_marks(workspace))  # what workers ran may not be what the key tells
    record = same or PartitionRecord(
        made_under, folder_hashes(target), counts(target), run_id, time.monotonic() - started
    )
    if declaration.shape is not None:
        findings |= quality.check(workspace, declaration, month, target, record, run_id)
    _accept(workspace, declaration, month, record, findings)
    return _result(workspace, declaration, month, record, findings)


def _make_dataset(
    workspace: Workspace,
    declaration: Declaration,
    month: str,
    target: Path,
    inputs: Mapping[str, Parts | Artifact],
    key: Mapping[str, Any],
    before: Mapping[Path, InputMark],
) -> dict[str, Finding]:
    """Publish the rows of a partition; return what the checks found that need its inputs at hand."""
    assert declaration.shape is not None, f"{declaration.name} has no rows"
    parts_folder = begin_parts(workspace, declaration, month, key)
    with (
        building(workspace.staging, target) as new,
        contextlib.closing(
            ResumableEngine(workspace, engine(), label(declaration, month), parts_folder, before)
        ) as resumable,
    ):
        outcomes = declaration.function(**_arguments(workspace, declaration, month, inputs, key, resumable))
        units = write_outcomes(new, outcomes, declaration.shape)
    return {
        "conservation": conservation.conservation(
            target, units, _expected(workspace, declaration, month, inputs)
        ),
        "schema": conservation.schema(target, declaration.shape),
    }


def _accept(
    workspace: Workspace,
    declaration: Declaration,
    month: str,
    record: PartitionRecord,
    findings: Mapping[str, Finding],
) -> None:
    """Let a partition count as made if the checks that can refuse it passed; track it either way."""
    accepted = all(finding.passed for name, finding in findings.items() if name not in ADVISORY)
    if accepted:
        write_record(workspace, declaration, month, record)
    else:
        forget(workspace, declaration, month)
    try:
        track(
            workspace,
            declaration,
            month,
            record,
            {n: one.faults for n, one in findings.items() if not one.passed},
        )
    except DiskFullError:
        forget(
            workspace, declaration, month
        )  # made again, it is tracked: else its run would be missing for ever
        raise
    discard_parts(workspace, declaration, month)
    if accepted:
        discard_crawl(workspace, declaration, month)
    if accepted and declaration.checkpoints:
        discard(workspace, declaration, month)


def _same_bytes(
    workspace: Workspace, declaration: Declaration, month: str, key: Mapping[str, Any]
) -> PartitionRecord | None:
    """Return the record of a partition of which only the expectations changed: it is not made again."""
    former = View(workspace).known(declaration, month)
    unchanged = former is not None and differences(former.key, key) == [EXPECTATIONS]
    return replace(former, key=key) if former is not None and unchanged else None


def _arguments(
    workspace: Workspace,
    declaration: Declaration,
    month: str,
    inputs: Mapping[str, Parts | Artifact],
    key: Mapping[str, Any],
    resumable: ResumableEngine,
) -> dict[str, Any]:
    mapped = {
        name: replace(value, engine=resumable) if isinstance(value, Parts) else value
        for name, value in inputs.items()
    }
    arguments: dict[str, Any] = {**mapped, **declaration.arguments}
    if declaration.checkpoints:
        arguments[declaration.checkpoints] = StoredCheckpoints(workspace, declaration, month, key)
    if declaration.strict:
        arguments[declaration.strict] = workspace.settings.numerics == "strict"
    if declaration.crawl:
        arguments[declaration.crawl] = crawl_place(workspace, declaration, month)
    if declaration.records:
        arguments["records"] = corpus(workspace, declaration.records).records(month, resumable)
    return arguments


def _expected(
    workspace: Workspace, declaration: Declaration, month: str, inputs: Mapping[str, Parts | Artifact]
) -> Iterator[str]:
    """Yield the ids of the units that a step must account for, read from its input, not its output."""
    if declaration.records:
        listed = corpus(workspace, declaration.records).ids(month)
        yield from listed
        if declaration.crawl:
            yield from asked_units(workspace.folder(declaration, month), besides=listed)
    elif declaration.consumes:
        argument, _, nested = declaration.consumes.partition(".")
        read = inputs[argument]
        yield from conservation.unit_ids(read.rows if isinstance(read, Artifact) else read, nested or None)


def _result(
    workspace: Workspace,
    declaration: Declaration,
    month: str,
    record: PartitionRecord,
    findings: Mapping[str, Finding] | None = None,
) -> dg.MaterializeResult[Any]:
    """Return what Dagster records; without findings, those that a record stands for."""
    names = CHECKS if declaration.shape else ()
    found = findings or {
        name: recorded_finding(workspace, declaration, month, record.version, name) for name in names
    }
    return dg.MaterializeResult(
        data_version=dg.DataVersion(record.version),
        metadata={
            **metadata(workspace, workspace.folder(declaration, month), record),
            **links(workspace, declaration, month, record),
        },
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
