"""Recognise a full disk behind any library's error by its type, and say which disk it is.

Belongs here: the errors of the system, SQLite and DuckDB that mean it, and the line that names the disk. Not
here: leaving existing files untouched (publish.py).
"""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

from silverloom.orchestration.workspace.workspace import Workspace

#: How every line about a full disk begins.
FULL = "no space left on the device"
_NUMBERS = (errno.ENOSPC, errno.EDQUOT)

#: SQLite's errors that may mean a full disk: it cannot tell why it failed to write.
_UNSURE = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)

#: With fewer free bytes than this, such an error is blamed on the disk.
_LITTLE = 1 << 20


class DiskFullError(OSError):
    """No space is left; existing files are untouched."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, including those wrapped by SQLAlchemy."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or getattr(cause, "orig", None)


def full_disk(error: BaseException) -> str | None:
    """Return a line that says which disk is full, or None if the error means something else."""
    for cause in causes(error):
        if isinstance(cause, DiskFullError):
            return str(cause.strerror)
        if isinstance(cause, OSError) and cause.errno in _NUMBERS:
            written = cause.filename2 or cause.filename
            return full_line(Path(written) if isinstance(written, str) else None)
        if isinstance(cause, sqlite3.Error) and _means_full(cause):
            return full_line()
        if _duckdb_full(cause):
            return full_line()
    return None


def with_its_type(error: Exception) -> Exception:
    """Return an error as a DiskFullError caused by it, if it means a full disk, or else the error itself.

    Dagster stores an error as its type's name and text, so only the type says for sure what it means.
    """
    if isinstance(error, DiskFullError) or (line := full_disk(error)) is None:
        return error
    full = DiskFullError(errno.ENOSPC, line)
    full.__cause__ = error
    return full


def full_line(path: Path | None = None, name: str = "") -> str:
    """Return the line about the disk of a path; without a path, about the fullest disk that a run uses."""
    place = _mount(path) if path else min(_places(), key=free_bytes)
    system = os.statvfs(place)
    files = ", and no free inodes" if system.f_files and not system.f_favail else ""
    room = f"{free_bytes(place) / 2**20:.1f} MB are free on {place}{files}"
    return f"{FULL}{f' while writing {name}' if name else ''}: {room}; free some space and run again"


def _means_full(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code == sqlite3.SQLITE_FULL or (code in _UNSURE and min(map(free_bytes, _places())) < _LITTLE)


def _duckdb_full(error: BaseException) -> bool:
    """Return whether DuckDB could not write: its I/O errors hold the system's words, not their number."""
    duckdb = sys.modules.get("duckdb")  # a module that is not loaded has raised nothing
    if duckdb is None or not isinstance(error, duckdb.IOException):
        return False
    return any(os.strerror(number) in str(error) for number in _NUMBERS)


def _places() -> list[Path]:
    """Return the mount points of everything that a run writes to."""
    here, temporary = Workspace.here(), os.environ.get("TMPDIR", "/tmp")  # noqa: S108
    folders = (here.root, here.root / ".dagster", here.state, here.data, temporary)
    return [_mount(Path(folder)) for folder in folders]


def _mount(path: Path) -> Path:
    path = path.resolve()
    while not path.is_mount() and path != path.parent:
        path = path.parent
    return path


def free_bytes(place: Path) -> int:
    """Return the number of free bytes on a path's file system."""
    system = os.statvfs(place)
    return system.f_bavail * system.f_frsize
