"""Locks between processes: files that one process holds alone.

Belongs here: taking them, at once or with patience. Not here: what is held by which (whoever takes them).

filelock is not used: its locks that readers share are SQLite databases or files with a heartbeat, and flock
needs one empty file and ends with its process.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import IO

from orchestration.files.damage import make_folder, set_aside

_PAUSE = 0.02


def lock_file(path: Path, wait: bool = False) -> IO[bytes]:
    """Return an open file, in a folder that is made, whose lock ends with it.

    Raises BlockingIOError where another process holds it, unless it is to `wait`.
    """
    make_folder(path.parent)
    try:
        file = path.open("ab")
    except OSError:
        if path.is_file() or not os.path.lexists(path):
            raise
        set_aside(path, "it is no file", "a new lock takes its place")
        file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BaseException:
        file.close()
        raise
    return file


def lock_within(path: Path, seconds: float) -> IO[bytes]:
    """Return what `lock_file` does. Raises TimeoutError, which names it, where another process keeps it."""
    end = time.monotonic() + seconds
    while True:
        try:
            return lock_file(path)
        except BlockingIOError:
            if time.monotonic() > end:
                message = f"another process has held {path} for {seconds:g} s: run again when it has ended"
                raise TimeoutError(message) from None
        time.sleep(_PAUSE)
