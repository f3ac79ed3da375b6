"""Locks between processes: files that one process holds alone.

Belongs here: taking them, at once or with patience. Not here: what is held by which (whoever takes them).
"""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from pathlib import Path

from filelock import FileLock, Timeout

from orchestration.files.damage import make_folder, set_aside

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
