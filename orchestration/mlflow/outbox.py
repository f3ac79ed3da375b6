"""Runs that wait to be sent to MLflow: one file each, in the order in which they were made.

Belongs here: what a run is, and its file. Not here: what is said of a partition (tracking.py), sending
(send.py).

A file is a zip archive, whose checksums tell damage: `run.json`, and for a run with models their files and
the project's `ops`, of which MLflow's client makes models that can be loaded elsewhere.
"""

from __future__ import annotations

import time
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from pydantic import ConfigDict, TypeAdapter

import ops
from orchestration.files.damage import DamagedError
from orchestration.files.publish import writing
from orchestration.workspace.workspace import Workspace

_RUN, _OPS = "run.json", "ops"


@dataclass(frozen=True)
class TrackedDataset:
    """A version of a dataset that a run read or made."""

    name: str
    digest: str
    context: str
    """`input` or `output`."""
    source: str
    """JSON that says where it lies."""
    profile: str | None = None
    """JSON that says how large it is."""


@dataclass(frozen=True)
class TrackedModel:
    """A trained model that becomes an artifact of its run."""

    kind: str
    """The module whose KIND it is of."""
    folder: str
    """Its files, below the root of the checkout."""
    packages: Mapping[str, str]
    """What it needs: versions by names."""


@dataclass(frozen=True)
class TrackedRun:
    """One run as MLflow shows it, with the runs that belong to it."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(ser_json_inf_nan="constants")

    name: str
    status: str
    start: int
    """Milliseconds since 1970, as `end` is."""
    end: int
    params: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    datasets: Sequence[TrackedDataset] = ()
    children: Sequence[TrackedRun] = ()
    curve: Sequence[tuple[str, int, float]] = ()
    """Metrics over steps: name, step, value."""
    model: TrackedModel | None = None


@dataclass(frozen=True)
class WaitingRun:
    """A run and the experiment that it belongs to, with the tags that the experiment is created with."""

    experiment: str
    run: TrackedRun
    experiment_tags: Mapping[str, str] = field(default_factory=dict)


_WAITING = TypeAdapter(WaitingRun)


def outbox(workspace: Workspace) -> Path:
    """Return the folder of the runs that wait: what is for a server outlives the folder of an experiment."""
    kept = workspace if workspace.tracked_here else workspace.enclosing
    return kept.state / "outbox"


def waiting(workspace: Workspace) -> list[Path]:
    """Return the files of the runs that wait, the oldest first."""
    return sorted(outbox(workspace).glob("[!.]*.zip"))


def put(workspace: Workspace, entry: WaitingRun) -> Path:
    """Write a run into the outbox, whole or not at all. Raises DiskFullError."""
    path = outbox(workspace) / f"{time.time_ns()}-{uuid.uuid4().hex[:12]}.zip"
    models = [child.model for child in entry.run.children if child.model]
    with writing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        archive.writestr(_RUN, _WAITING.dump_json(entry))
        for model in models:
            _add(archive, workspace.root / model.folder, model.folder)
        if models:
            _add(archive, Path(next(iter(ops.__path__))), _OPS)
    return path


def take(path: Path, folder: Path) -> WaitingRun:
    """Return the run of a file, and unpack what else is in it. Raises DamagedError."""
    if not path.is_file():
        raise DamagedError("it is no file")
    try:
        with zipfile.ZipFile(path) as archive:
            entry = _WAITING.validate_json(archive.read(_RUN))
            archive.extractall(folder)
    except (zipfile.BadZipFile, LookupError, ValueError, EOFError, PermissionError) as error:
        raise DamagedError(error) from None
    return entry


def _add(archive: zipfile.ZipFile, folder: Path, name: str) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            archive.write(path, f"{name}/{path.relative_to(folder).as_posix()}")
