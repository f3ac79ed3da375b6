"""One process at a time makes a partition.

Belongs here: the locks of partitions, and of what is written of all of them. They end with the process that
holds them. Readers hold none, however many partitions they read: they compare versions before and after
(execute/inputs.py). A reader waits only for an input that is being published, one at a time: the graph has no
circles, so neither have the waits.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from assets.declare.declaration import Declaration
from orchestration.files.locks import lock_file
from orchestration.workspace.workspace import Workspace


@contextlib.contextmanager
def making(workspace: Workspace, item: Declaration, month: str, wait: bool = True) -> Iterator[bool]:
    """Hold a partition alone; gives whether another process had to be waited for.

    Raises BlockingIOError where another process holds it and it is not to `wait`.
    """
    path = _path(workspace, item, month)
    waited = False
    try:
        held = lock_file(path)
    except BlockingIOError:
        if not wait:
            raise
        waited, held = True, lock_file(path, wait=True)
    with contextlib.closing(held):
        yield waited


@contextlib.contextmanager
def writing_all(workspace: Workspace, name: str) -> Iterator[None]:
    """Hold, alone, what is written of all datasets together (`live`, `docs`): others wait for their turn."""
    with contextlib.closing(lock_file(workspace.state / "locks" / f"{name}.lock", wait=True)):
        yield


def _path(workspace: Workspace, item: Declaration, month: str) -> Path:
    return workspace.state_file("locks", item, month, ".lock")
