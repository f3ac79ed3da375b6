"""One process at a time makes a partition, and none while another reads it.

Belongs here: the locks of partitions, and of what is written of all of them. They end with the process that
holds them. Whoever makes a partition takes its own lock first and then those of its inputs: the graph has no
circles, so neither have the waits.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assets.declare.declaration import Declaration
from orchestration.files.locks import lock_file
from orchestration.workspace.workspace import Workspace


@contextlib.contextmanager
def making(workspace: Workspace, item: Declaration, month: str) -> Iterator[bool]:
    """Hold a partition alone; gives whether another process had to be waited for."""
    path = _path(workspace, item, month)
    waited = False
    try:
        held = lock_file(path)
    except BlockingIOError:
        waited, held = True, lock_file(path, wait=True)
    with contextlib.closing(held):
        yield waited


@contextlib.contextmanager
def reading(workspace: Workspace, months: Mapping[str, Sequence[str]]) -> Iterator[None]:
    """Hold partitions, months by dataset, together with other readers: nobody makes them anew meanwhile."""
    with contextlib.ExitStack() as held:
        for item, month in ((workspace.datasets[name], month) for name in months for month in months[name]):
            lock = lock_file(_path(workspace, item, month), wait=True, shared=True)
            held.enter_context(contextlib.closing(lock))
        yield


@contextlib.contextmanager
def writing_all(workspace: Workspace, name: str) -> Iterator[None]:
    """Hold, alone, what is written of all datasets together (`live`, `docs`): others wait for their turn."""
    with contextlib.closing(lock_file(workspace.state / "locks" / f"{name}.lock", wait=True)):
        yield


def _path(workspace: Workspace, item: Declaration, month: str) -> Path:
    return workspace.state_file("locks", item, month, ".lock")
