"""Make one partition (key, write, check, publish, manifest), or only run its checks.

Belongs here: the order of these steps, and calling the dataset's function with its arguments. Not here: where
its parts run (executors/), which of them are finished (resume.py), what Dagster asks and records (store.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from silverloom.assets.declare.checks import CHECKS
from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import Everything, label
from silverloom.ops.core.counts import total
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.parts import FILES, Artifact, FilesFolder, Parts
from silverloom.ops.parse.records import RowRecords
from silverloom.orchestration.checks import conservation, validate
from silverloom.orchestration.checks.conservation import Finding, accepted, expected_units, recorded
from silverloom.orchestration.checks.ids import StoredIds, scratch
from silverloom.orchestration.executors.parts import RayEngine, engine
from silverloom.orchestration.files.edits import check_code
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.orchestration.files.publish import building, write_files
from silverloom.orchestration.gx.docs import renew_docs
from silverloom.orchestration.messages import Notice, tell
from silverloom.orchestration.partition.crawl import crawl_place
from silverloom.orchestration.partition.inputs import open_inputs
from silverloom.orchestration.partition.one_task import made_by_one_task
from silverloom.orchestration.partition.resume import ResumableEngine, begin_parts, discard_parts
from silverloom.orchestration.state.derived import StoredDerived
from silverloom.orchestration.state.freshness import (
    CHECKS_CHANGED,
    Manifest,
    NotReadyError,
    View,
    differences,
    unreplaced,
    write_manifest,
)
from silverloom.orchestration.state.sources import corpus, discard_crawl
from silverloom.orchestration.workspace.environment import check_kernels
from silverloom.orchestration.workspace.workspace import Workspace

_Findings: TypeAlias = Mapping[str, Finding]
#: The opened inputs of a partition, by the argument or dataset that they are for.
OpenInputs: TypeAlias = Mapping[str, Parts | Artifact]


class Checked(NamedTuple):
    """The bytes of a partition, as their manifest describes them, and what the checks that ran found."""

    manifest: Manifest
    findings: _Findings


class _RefusedError(Exception):
    """A blocking check failed, so the former partition remains."""


@dataclass(frozen=True)
class Materialisation:
    """The making of one partition. The caller holds its lock."""

    workspace: Workspace
    dataset: Dataset
    partition: str

    @property
    def _place(self) -> tuple[Workspace, Dataset, str]:
        return self.workspace, self.dataset, self.partition

    def make(self) -> Checked:
        """Make it. If its checks pass, it replaces the former partition, and then its manifest is written."""
        check_kernels()
        workspace, dataset, partition = self._place
        if (reason := dataset.excluded(partition)) is not None:
            raise NotReadyError(f"{label(dataset, partition)} is excluded in params.yaml: {reason}")
        is_report = dataset.shape is None
        check_code(workspace, is_report)
        target = workspace.folder(dataset, partition)
        findings, counts = dict[str, Finding](), total([])
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
                findings, counts = self.make_rows(new, inputs, key)
            check_code(workspace, is_report)  # workers may have run other code than the key says
            manifest = Manifest(key, folder_hashes(new), counts)
            if not is_report:
                findings |= validate.check(*self._place, new, manifest)
            manifest = replace(manifest, checks=recorded(findings))
            if not accepted(findings):
                raise _RefusedError
        self.accept(manifest, findings)
        if is_report and (fault := renew_docs(workspace)):
            tell(Notice(label(dataset, partition), fault))
        return Checked(manifest, findings)

    def check(self, names: Collection[str] = tuple(CHECKS)) -> Checked:
        """Run some checks on the bytes on disk. If a blocking one fails, the partition is not fresh any more.

        Expectations and warnings always run together. After a change of a check, the bytes count again once
        all checks have passed. Raises NotReadyError if the partition does not exist or is stale.
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
        return Checked(manifest, findings)

    def _unreplaced(self) -> contextlib.AbstractContextManager[View]:
        """Like `unreplaced`, for the inputs; discards the parts, since some may be of another version."""
        return unreplaced(self.workspace, self._read, lambda: discard_parts(*self._place))

    @property
    def _read(self) -> Mapping[str, list[str]]:
        return self.workspace.graph.input_partitions(self.dataset, self.partition)

    def make_rows(
        self, new: Path, inputs: OpenInputs, key: Mapping[str, Any]
    ) -> tuple[dict[str, Finding], dict[str, Any]]:
        """Write the partition's rows to a folder.

        Return the findings of the checks that need its inputs, and the counts of its rows.
        """
        assert self.dataset.shape is not None, f"{self.dataset.name} has no rows"
        folder = begin_parts(*self._place, key)
        named = label(self.dataset, self.partition)
        maps = engine(self.dataset.name, self.dataset.code["models"], lambda text: tell(Notice(named, text)))
        resumable = ResumableEngine(self.workspace, maps, named, folder)
        with scratch(*self._place) as space:
            units = StoredIds(space / "units")
            with contextlib.closing(resumable):
                made = outcomes(*self._place, inputs, key, resumable, new)
                counts = write_outcomes(new, units.taken_from(made), self.dataset.shape)
            findings = {
                "conservation": conservation.conservation(new, units, self._expected(inputs, new), space),
                "schema": conservation.schema(new, self.dataset.shape, space),
            }
            return findings, counts

    def accept(self, manifest: Manifest, findings: _Findings) -> None:
        """Write the manifest if the blocking checks passed, and discard what only making it needed."""
        passed = accepted(findings)
        if passed:
            write_manifest(*self._place, manifest)
        discard_parts(*self._place, checkpoints=passed)
        if passed and self.dataset.crawl:
            discard_crawl(*self._place)

    def _expected(self, inputs: OpenInputs, folder: Path) -> Iterator[str]:
        return expected_units(*self._place, inputs, folder)


def outcomes(
    workspace: Workspace,
    dataset: Dataset,
    partition: str,
    inputs: OpenInputs,
    key: Mapping[str, Any],
    engine: ResumableEngine,
    folder: Path,
) -> Outcomes:
    """Return what a dataset's function makes of a partition's inputs; large files are written to `folder`.

    The function's maps over parts run on `engine`. A dataset that is `one_task` is called on a node of the
    cluster, if there is one.
    """
    place = workspace, dataset, partition
    mapped = {
        source.argument: replace(value, engine=engine) if isinstance(value, Parts) else value
        for source in dataset.argument_inputs
        for value in [inputs[source.argument]]
    }
    arguments: dict[str, Any] = {**mapped, **dataset.arguments}
    if dataset.checkpoints:
        arguments[dataset.checkpoints] = engine.checkpoints
    if dataset.strict:
        arguments[dataset.strict] = workspace.settings.numerics == "strict"
    if dataset.crawl:
        arguments[dataset.crawl] = crawl_place(*place)
    if dataset.derived:
        arguments[dataset.derived] = StoredDerived(workspace, dataset, key)
    if dataset.files:
        arguments[dataset.files] = FilesFolder(folder / FILES)
    if dataset.records:
        records = corpus(workspace, dataset.records).records(partition, engine)
        arguments["records"] = replace(records, rows=_row_records(*place, inputs))
    if dataset.one_task and isinstance(engine.engine, RayEngine):
        return made_by_one_task(engine.engine, dataset, arguments)
    here: Outcomes = dataset.function(**arguments)
    return here


def _row_records(
    workspace: Workspace, dataset: Dataset, partition: str, inputs: OpenInputs
) -> tuple[RowRecords, ...]:
    """Return the rows of datasets that params.yaml lists as sources."""
    records = []
    for name, source in workspace.settings.named_datasets(dataset.records).items():
        rows = inputs[source.dataset]
        assert isinstance(rows, Parts), f"{source.dataset} has rows"
        records.append(RowRecords(name, source, *dataset.row_format(source), rows, partition))
    return tuple(records)
