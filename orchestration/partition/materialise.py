"""Make one partition (key, write, check, publish, manifest), or only run its checks.

Belongs here: the order of these steps. Not here: calling its function (op.py), what Dagster asks and records
(store.py), which partitions are made and when (run/, Dagster itself).
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from assets.declare.checks import CHECKS
from assets.declare.declaration import Declaration
from assets.declare.graph import Everything, label
from assets.declare.project import DATASET_CODE, REPORT_CODE
from ops.core.counts import counts
from orchestration.checks import conservation, validate
from orchestration.checks.conservation import Finding, accepted
from orchestration.checks.ids import StoredIds, scratch
from orchestration.checks.units import expected_units
from orchestration.executors.parts import engine
from orchestration.files.identity import check_code, code_marks, folder_hashes
from orchestration.files.parquet import write_outcomes
from orchestration.files.publish import building, write_files
from orchestration.messages import Notice, tell
from orchestration.partition.inputs import open_inputs
from orchestration.partition.op import OpenInputs, outcomes
from orchestration.partition.resume import (
    ResumableEngine,
    begin_parts,
    discard_checkpoints,
    discard_parts,
)
from orchestration.state.freshness import (
    CHECKS_CHANGED,
    FAILED,
    Manifest,
    NotReadyError,
    View,
    differences,
    write_manifest,
)
from orchestration.state.replaced import unreplaced
from orchestration.state.sources import discard_crawl
from orchestration.workspace.environment import check_kernels
from orchestration.workspace.workspace import Workspace

_Findings: TypeAlias = Mapping[str, Finding]


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
    dataset: Declaration
    partition: str

    @property
    def _place(self) -> tuple[Workspace, Declaration, str]:
        return self.workspace, self.dataset, self.partition

    def make(self, run_id: str) -> Checked:
        """Make it. If its checks pass, it replaces the former partition, and then its manifest is written."""
        check_kernels()
        workspace, dataset, partition = self._place
        if (reason := dataset.excluded(partition)) is not None:
            raise NotReadyError(f"{label(dataset, partition)} is excluded in params.yaml: {reason}")
        self._check_code()
        target = workspace.folder(dataset, partition)
        findings: dict[str, Finding] = {}
        with (
            contextlib.suppress(_RefusedError),
            building(workspace.staging, target) as new,
            self._unreplaced(),
        ):
            inputs = open_inputs(workspace, dataset, self._read)
            key = View(workspace).key(dataset, partition)
            if isinstance(inputs, Everything):
                write_files(new, dataset.function(inputs))
            else:
                findings = self.make_rows(new, inputs, key)
            self._check_code()  # workers may have run other code than the key says
            manifest = Manifest(key, folder_hashes(new), counts(new))
            if dataset.shape is not None:
                findings |= validate.check(*self._place, new, manifest, run_id)
            if not accepted(findings):
                raise _RefusedError
        self.accept(manifest, findings)
        return Checked(manifest, findings)

    def check(self, run_id: str, names: Collection[str] = tuple(CHECKS)) -> Checked:
        """Run some checks on the bytes on disk. If a blocking one fails, the partition is not fresh any more.

        Expectations and warnings always run together. After a failure, or a change of a check, the bytes
        count again once all checks have passed together. Raises NotReadyError if the partition does not exist
        or is stale.
        """
        workspace, dataset, partition = self._place
        if (manifest := View(workspace).known(dataset, partition)) is None:
            raise NotReadyError(f"{label(dataset, partition)} is missing or changed on disk: make it first")
        shape = dataset.shape
        assert shape is not None, "a report has no checks"
        today = View(workspace).key(dataset, partition)
        if others := [change for change in differences(manifest.key, today) if change != CHECKS_CHANGED]:
            raise NotReadyError(f"{label(dataset, partition)} is stale: {'; '.join(others)}; make it first")
        folder, findings = workspace.folder(dataset, partition), dict[str, Finding]()
        with scratch(*self._place) as space, self._unreplaced():
            if "conservation" in names:
                inputs = open_inputs(workspace, dataset, self._read)
                assert not isinstance(inputs, Everything)
                findings["conservation"] = conservation.on_disk(folder, self._expected(inputs, folder), space)
            if "schema" in names:
                findings["schema"] = conservation.schema(folder, shape, space)
        if not validate.LEVELS.keys().isdisjoint(names):
            findings |= validate.check(*self._place, folder, manifest, run_id)
        self._check_code()
        if not accepted(findings):
            failed = {**today, "code": {**today["code"], "expectations": FAILED}}
            write_manifest(*self._place, replace(manifest, key=failed))
        elif findings.keys() >= CHECKS.keys():
            write_manifest(*self._place, replace(manifest, key=today))
        return Checked(manifest, findings)

    def _check_code(self) -> None:
        """Raise MovedError if anything that the key covers was edited since this process started."""
        code = REPORT_CODE if self.dataset.shape is None else DATASET_CODE
        check_code(self.workspace, code_marks(self.workspace), code)

    def _unreplaced(self) -> contextlib.AbstractContextManager[None]:
        """Notice inputs that are replaced in a block, and discard the parts: some may be made from those."""
        return unreplaced(self.workspace, self._read, lambda: discard_parts(*self._place))

    @property
    def _read(self) -> Mapping[str, list[str]]:
        return self.workspace.graph.input_partitions(self.dataset, self.partition)

    def make_rows(self, new: Path, inputs: OpenInputs, key: Mapping[str, Any]) -> dict[str, Finding]:
        """Write the partition's rows to a folder. Return the findings of the checks that need its inputs."""
        assert self.dataset.shape is not None, f"{self.dataset.name} has no rows"
        folder = begin_parts(*self._place, key)
        named = label(self.dataset, self.partition)
        maps = engine(self.dataset.name, self.dataset.code["models"], lambda text: tell(Notice(named, text)))
        resumable = ResumableEngine(self.workspace, maps, named, folder)
        with scratch(*self._place) as space:
            units = StoredIds(space / "units")
            with contextlib.closing(resumable):
                made = outcomes(*self._place, inputs, key, resumable, new)
                write_outcomes(new, units.taken_from(made), self.dataset.shape)
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

    def _expected(self, inputs: OpenInputs, folder: Path) -> Iterator[str]:
        return expected_units(*self._place, inputs, folder)
