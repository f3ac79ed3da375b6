"""Locks between processes: one process at a time makes a partition.

Belongs here: locks of files, at once or with patience, of partitions, and of what is written of all of them.
They end with the process that holds them. Readers hold none, however many partitions they read: they compare
versions before and after (partition/inputs.py). A reader waits only for an input that is being published,
one at a time: the graph has no circles, so neither have the waits.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from filelock import FileLock, Timeout

from assets.declare.declaration import Declaration
from orchestration.files.damage import make_folder, set_aside
from orchestration.workspace.workspace import Workspace

_PAUSE = 0.02


def lock_file(path: Path, wait: bool = False) -> ExitStack:
    """Hold a lock, in a folder that is made, until what is returned is closed or this process ends.

    Raises BlockingIOError where another process holds it, unless it is to `wait`.
    """
    try:
        return _held(path, -1 if wait else 0)
    except Timeout:
        raise BlockingIOError(errno.EAGAIN, "another process holds the lock", str(path)) from None


def lock_within(path: Path, seconds: float) -> ExitStack:
    """Return what `lock_file` does. Raises TimeoutError, which names it, where another process keeps it."""
    try:
        return _held(path, seconds)
    except Timeout:
        message = f"another process has held {path} for {seconds:g} s: run again when it has ended"
        raise TimeoutError(message) from None


def _held(path: Path, timeout: float) -> ExitStack:
    make_folder(path.parent)
    # A soft lock is a file, which stays when its process is killed.
    lock = FileLock(path, timeout, thread_local=False, poll_interval=_PAUSE, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        raise
    except OSError:
        if not path.is_symlink() and (path.is_file() or not os.path.lexists(path)):
            raise
        set_aside(path, "it is no file", "a new lock takes its place")
        lock.acquire()
    held = ExitStack()
    held.callback(lock.release)
    return held


@contextlib.contextmanager
def making(workspace: Workspace, dataset: Declaration, partition: str, wait: bool = True) -> Iterator[bool]:
    """Hold a partition alone; gives whether another process had to be waited for.

    Raises BlockingIOError where another process holds it and it is not to `wait`.
    """
    path = _path(workspace, dataset, partition)
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


def _path(workspace: Workspace, dataset: Declaration, partition: str) -> Path:
    return workspace.state_file("locks", dataset, partition, ".lock")
