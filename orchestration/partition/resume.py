"""Resume a partition from its finished parts: nothing is computed twice under the same key.

Belongs here: an engine that wraps another, stores each outcome as soon as it exists, and reports progress;
where outcomes and training checkpoints are stored. Not here: the format of these files (bundles.py), where
ops run (executors/), what a checkpoint contains (ops/models/training/checkpoints.py).
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from silverloom.assets.declare.declaration import Dataset
from silverloom.ops.core.outcome import Outcome, Outcomes
from silverloom.ops.core.parts import TABLES, Exchange, temporary_folder
from silverloom.ops.parse.bounded.messages import watched
from silverloom.orchestration.executors.base import WorkerDiedError
from silverloom.orchestration.executors.parts import LocalEngine, Locality, PartsEngine
from silverloom.orchestration.files.edits import Digests, check_code, check_imported, code_stamp
from silverloom.orchestration.files.identity import json_digest
from silverloom.orchestration.files.local_state import UnreadableError
from silverloom.orchestration.messages import Notice, PartitionProgress, Recent, tell
from silverloom.orchestration.partition.bundles import (
    pack,
    read_bundle,
    unpack,
    write_bundle,
    write_zipped,
    zipped,
)
from silverloom.orchestration.workspace.workspace import Workspace

Op: TypeAlias = Callable[..., Outcome]

#: The folder of checkpoints beside a partition's finished parts.
CHECKPOINTS = "checkpoints"

#: Seconds of work from which a part is stored even if it is the only one.
LONG = 1.0


@dataclass
class ResumableEngine:
    """Runs ops on another engine, but takes outcomes that an earlier run stored in `folder` from there.

    `partition` is the label for people. `close` stops all running maps.
    """

    workspace: Workspace
    engine: PartsEngine
    partition: str
    folder: Path
    _maps: list[Generator[Outcome, None, None]] = field(default_factory=list, init=False)

    def __reduce__(self) -> tuple[type[LocalEngine], tuple[()]]:
        """Become a plain engine in a worker process, where no map of the partition starts."""
        return LocalEngine, ()

    def map(self, op: Op, pieces: Iterable[Any], *shared: object) -> Outcomes:
        """Yield `op(piece, *shared)` for every piece, computed now or in an earlier run."""
        name = _name(op, shared)
        folder = self.folder / f"{len(self._maps)}-{name}"
        finished = FinishedParts(self.workspace, folder, code_stamp(self.workspace))
        self._maps.append(self._map(name, finished, op, pieces, shared))
        return self._maps[-1]

    @property
    def checkpoints(self) -> StoredCheckpoints:
        """The checkpoints of trainings of the partition, under its key."""
        return StoredCheckpoints(self.folder / CHECKPOINTS)

    def scratch(self) -> AbstractContextManager[Path]:
        """Return a scratch folder next to the finished parts; after a kill, it is removed along with them."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        return temporary_folder(self.folder.parent)

    @property
    def exchange(self) -> Exchange | None:
        """The wrapped engine's exchange: join results are not stored."""
        return self.engine.exchange

    def close(self) -> None:
        """Stop every map that was started."""
        for outcomes in self._maps:
            outcomes.close()

    def _map(
        self,
        name: str,
        finished: FinishedParts,
        op: Op,
        pieces: Iterable[Any],
        shared: tuple[object, ...],
    ) -> Generator[Outcome, None, None]:
        total = len(pieces) if isinstance(pieces, Sized) else None
        stored = finished.indices()
        if stored:
            tell(Notice(self.partition, f"{name}: resuming after {len(stored)} finished parts"))
        # From a sequence, read only missing pieces: reading one may take time.
        missing = (
            ((index, pieces[index]) for index in range(len(pieces)) if index not in stored)
            if isinstance(pieces, Sequence)
            else ((index, piece) for index, piece in enumerate(pieces) if index not in stored)
        )
        keep = finished.keep if self.engine.locality is Locality.HERE else _packed
        several, arrived = total != 1, finished.arrived
        left = None if total is None else total - len(stored)
        computed = self.engine.map(_compute, missing, op, keep, several, *shared, arrived=arrived, count=left)
        recent, done = Recent(), 0
        while True:
            tell(PartitionProgress(self.partition, name, done, total, recent.pace))
            if done in stored:
                yield finished.read(done)
            elif (computation := self._next(computed, f"{name}, part {done + 1}")) is not None:
                recent.finished()
                yield finished.outcome(computation)
            else:
                return
            done += 1

    def _next(self, computed: Iterator[Computed], name: str) -> Computed | None:
        """Return the next part. While this process transcribes a recording, report progress through it.

        A note on the error of a worker that died names the part.
        """
        recent, before = Recent(), 0

        def heard(seconds: int, of: int) -> None:
            nonlocal before
            recent.finished(max(0, seconds - before))
            before = seconds
            pace, unit = recent.pace, "seconds of sound"
            tell(PartitionProgress(self.partition, name, seconds, of or None, pace, unit))

        try:
            with watched(heard):
                return next(computed, None)
        except WorkerDiedError as error:
            error.add_note(name)
            raise


@dataclass(frozen=True)
class StoredPart:
    """A part that a worker stored on this machine's disk; this process reads it from there."""

    index: int
    rows: Mapping[str, int]
    """Row counts by table."""
    checksum: str


@dataclass(frozen=True)
class PackedPart:
    """A part sent over by a worker on another machine, to be stored here."""

    index: int
    rows: Mapping[str, int]
    content: bytes


#: The result of a part: the outcome itself if it was computed in this process, or took no time.
Computed: TypeAlias = Outcome | StoredPart | PackedPart


def _compute(
    numbered: tuple[int, Any],
    op: Op,
    keep: Callable[[int, Outcome], Computed],
    several: bool,
    *shared: object,
) -> Computed:
    """Compute a part and store it immediately, so that even parts ahead of their turn are not lost.

    A note on an error of the op names the part, counted from 1.
    """
    index, piece = numbered
    begun = time.monotonic()
    try:
        outcome = op(piece, *shared)
    except Exception as error:
        error.add_note(f"{_name(op, shared)}, part {index + 1}")
        raise
    return keep(index, outcome) if several or time.monotonic() - begun > LONG else outcome


def _name(op: Op, shared: Sequence[object]) -> str:
    """Return the name of an op; `Parts.map` passes its op as the first shared argument."""
    return str(getattr(shared[0] if shared and callable(shared[0]) else op, "__name__", "op"))


def _packed(index: int, outcome: Outcome) -> PackedPart:
    return PackedPart(index, _rows(outcome), zipped(pack(outcome)))


def _rows(outcome: Outcome) -> dict[str, int]:
    return {name: getattr(outcome, name).num_rows for name in TABLES}


_PART = re.compile(r"\d{5,}\.zip")


@dataclass(frozen=True)
class FinishedParts:
    """The finished parts of one map over the parts of a partition."""

    workspace: Workspace
    folder: Path
    code: Digests
    """The stamp of params and code in the process that started the partition."""
    user: int = field(default_factory=os.getpid)
    """The process that started the partition."""

    def indices(self) -> set[int]:
        """Return the indices of intact parts. Unreadable parts and unknown files are left alone."""
        self.folder.mkdir(parents=True, exist_ok=True)
        names = sorted(path.name for path in self.folder.iterdir())
        indices = [int(name.removesuffix(".zip")) for name in names if _PART.fullmatch(name)]
        return {index for index in indices if self._contents(index) is not None}

    def read(self, index: int, checksum: str | None = None) -> Outcome:
        """Return an intact part. Raises UnreadableError if it is damaged by now or has another checksum."""
        if (contents := self._contents(index, checksum)) is None:
            raise UnreadableError(f"{self._path(index)} was damaged or removed while in use: run again")
        return unpack(contents)

    def write(self, index: int, outcome: Outcome) -> str:
        """Store a part whole and return its checksum.

        Nothing is stored if params or code changed, because the part would not fit its key. Raises
        MovedError, DiskFullError.
        """
        check_imported(self.workspace, self.code)
        return write_bundle(self._path(index), pack(outcome), sync=False)

    def keep(self, index: int, outcome: Outcome) -> Computed:
        """Store a part; return it, or its place if another process goes on to use it. Raises like `write`."""
        checksum = self.write(index, outcome)
        return outcome if self.user == os.getpid() else StoredPart(index, _rows(outcome), checksum)

    def arrived(self, computed: Computed) -> Computed:
        """Store a part that was computed on another machine; raises like `write`."""
        if not isinstance(computed, PackedPart):
            return computed
        check_code(self.workspace, former=self.code)
        path = self._path(computed.index)
        return StoredPart(computed.index, computed.rows, write_zipped(path, computed.content, sync=False))

    def outcome(self, computed: Computed) -> Outcome:
        """Return the outcome of a part. Raises UnreadableError if its file differs from what was stored."""
        if isinstance(computed, Outcome):
            return computed
        stored = self.arrived(computed)
        assert isinstance(stored, StoredPart), "it has arrived"
        return self.read(stored.index, stored.checksum)

    def _path(self, index: int) -> Path:
        return self.folder / f"{index:05d}.zip"

    def _contents(self, index: int, checksum: str | None = None) -> dict[str, bytes] | None:
        return read_bundle(self._path(index), "this part will be computed again", checksum)


@dataclass(frozen=True)
class StoredCheckpoint:
    """The last checkpoint of one training."""

    path: Path

    def write(self, files: Mapping[str, bytes]) -> None:
        """Replace the last checkpoint with these files. On DiskFullError, the former one stays."""
        write_bundle(self.path, files)

    def read(self) -> Mapping[str, bytes] | None:
        """Return the files of the last checkpoint, or None if there is none to read."""
        return read_bundle(self.path, "training starts over")


@dataclass(frozen=True)
class StoredCheckpoints:
    """The checkpoints of a partition's trainings, beside its finished parts."""

    folder: Path

    def at(self, name: str) -> StoredCheckpoint:
        """Return the place of one training's checkpoint."""
        return StoredCheckpoint(self.folder / f"{name}.zip")


def begin_parts(workspace: Workspace, dataset: Dataset, partition: str, key: Mapping[str, Any]) -> Path:
    """Return the folder for a partition's finished parts and checkpoints under its key; remove all others."""
    folder = workspace.state_file("parts", dataset, partition) / json_digest(key)
    for stale in set(_entries(folder.parent)) - {folder}:
        _remove(stale)
    return folder


def discard_parts(
    workspace: Workspace,
    dataset: Dataset,
    partition: str,
    key: Mapping[str, Any] | None = None,
    checkpoints: bool = True,
) -> None:
    """Remove a partition's finished parts, all or those of one key, and its checkpoints unless they stay."""
    folder = workspace.state_file("parts", dataset, partition)
    if checkpoints:
        _remove(folder if key is None else folder / json_digest(key))
        return
    for entry in folder.glob("*/*"):
        if entry.name != CHECKPOINTS:
            _remove(entry)


def partitions_with_parts(workspace: Workspace, dataset: Dataset) -> set[str]:
    """Return the partitions of a dataset that have finished parts."""
    return {path.name for path in _entries(workspace.state_file("parts", dataset, "").parent)}


def _remove(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []
