"""A dataset that a single task makes on a cluster node, such as a training, a tokenizer or a table of scores.

Belongs here: what such a task receives, and what it sends back: outcomes, log lines, checkpoints. Not here:
where tasks run (executors/), maps over parts, and checkpoints on disk (resume.py).
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from silverloom.assets.declare.declaration import Dataset
from silverloom.ops.core.outcome import Outcomes
from silverloom.orchestration.executors.base import EventSink
from silverloom.orchestration.executors.parts import RayEngine
from silverloom.orchestration.executors.shipping import ShippedFolder
from silverloom.orchestration.partition.bundles import pack, unpack, unzipped, zipped
from silverloom.orchestration.partition.resume import StoredCheckpoint, StoredCheckpoints

#: Kinds of events from a task: text for people, or the name and files of a checkpoint.
_TEXT, _CHECKPOINT = "text", "checkpoint"


def made_by_one_task(engine: RayEngine, dataset: Dataset, arguments: Mapping[str, Any]) -> Outcomes:
    """Yield the outcomes of a dataset whose whole function runs on another node.

    Each new checkpoint is stored here at once, and a restarted task begins with them.
    """
    stored = arguments.get(dataset.checkpoints or "")
    checkpoints = stored if isinstance(stored, StoredCheckpoints) else None

    def told(event: tuple[str, Any, Any]) -> None:
        kind, first, second = event
        if kind == _CHECKPOINT and checkpoints is not None:
            checkpoints.at(first).write(second)
        elif kind == _TEXT:
            sys.stderr.write(first)
            sys.stderr.flush()

    def today() -> tuple[Any, ...]:
        if checkpoints is None:
            return dataset.function, dict(arguments), None
        sent = {name: value for name, value in arguments.items() if value is not checkpoints}
        return dataset.function, sent, (dataset.checkpoints, ShippedFolder(checkpoints.folder))

    for content in engine.once(_make, today, told):
        yield unpack(unzipped(content))


def _make(
    tell: EventSink,
    function: Callable[..., Outcomes],
    arguments: dict[str, Any],
    checkpoints: tuple[str, ShippedFolder] | None,
) -> list[bytes]:
    """Call a dataset's function in a worker; return its outcomes, packed."""
    if checkpoints is not None:
        argument, arrived = checkpoints
        arguments = {**arguments, argument: _ToldCheckpoints(arrived.path, tell)}
    with contextlib.redirect_stderr(_Told(tell)):
        return [zipped(pack(outcome)) for outcome in function(**arguments)]


@dataclass(frozen=True)
class _ToldCheckpoints:
    """A task's checkpoints: those it received, and those it makes, which it also sends back."""

    folder: Path
    tell: EventSink

    def at(self, name: str) -> _ToldCheckpoint:
        return _ToldCheckpoint(name, StoredCheckpoint(self.folder / f"{name}.zip"), self.tell)


@dataclass(frozen=True)
class _ToldCheckpoint:
    name: str
    here: StoredCheckpoint
    tell: EventSink

    def write(self, files: Mapping[str, bytes]) -> None:
        self.here.write(files)
        self.tell((_CHECKPOINT, self.name, dict(files)))

    def read(self) -> Mapping[str, bytes] | None:
        return self.here.read()


class _Told(io.TextIOBase):
    """A stream that sends back what is written to it."""

    def __init__(self, tell: EventSink) -> None:
        self._tell = tell

    def write(self, text: str) -> int:
        self._tell((_TEXT, text, None))
        return len(text)
