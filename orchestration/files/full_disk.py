"""Recognise a full disk behind whatever a library makes of it, and say which disk it is.

Belongs here: the errors of the system and of SQLite that mean it, and the line that names the disk. Not here:
leaving what was there untouched (publish.py).
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from orchestration.workspace.workspace import Workspace

#: How every line about a full disk begins: so it is recognised in what another process says.
FULL = "no space left on the device"
_NUMBERS = (errno.ENOSPC, errno.EDQUOT)
_WORDS = (FULL, "No space left on device", "Disk quota exceeded", "database or disk is full")

#: What SQLite says of a full disk where it cannot tell why a file is not written.
_UNSURE = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)

#: Bytes; with fewer of them free, an error of that kind is put down to the disk.
_LITTLE = 1 << 20


class DiskFullError(OSError):
    """There is no space left; what was there before is untouched."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what caused it, also as SQLAlchemy has it."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or getattr(cause, "orig", None)


def full_disk(error: BaseException) -> str | None:
    """Return the line that says which disk is full; None where an error means something else."""
    for cause in causes(error):
        if isinstance(cause, DiskFullError):
            return str(cause.strerror)
        if isinstance(cause, OSError) and cause.errno in _NUMBERS:
            written = cause.filename2 or cause.filename
            return full_line(Path(written) if isinstance(written, str) else None)
        if isinstance(cause, sqlite3.Error) and _means_full(cause):
            return full_line()
    return in_words(str(error))


def in_words(text: str) -> str | None:
    """Return the same where only the words of an error are left."""
    if FULL in text:
        return text
    return full_line() if any(words in text for words in _WORDS) else None


def full_line(path: Path | None = None, name: str = "") -> str:
    """Return the line about the disk of a path; without one, about the fullest that a run writes to."""
    place = _mount(path) if path else min(_places(), key=free_bytes)
    system = os.statvfs(place)
    files = ", and no further file" if system.f_files and not system.f_favail else ""
    room = f"{free_bytes(place) / 2**20:.1f} MB are free on {place}{files}"
    return f"{FULL}{f' while {name} was written' if name else ''}: {room}; make room there and run again"


def _means_full(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code == sqlite3.SQLITE_FULL or (code in _UNSURE and min(map(free_bytes, _places())) < _LITTLE)


def _places() -> list[Path]:
    """Return the mount points of all that a run writes to."""
    here, temporary = Workspace.here(), os.environ.get("TMPDIR", "/tmp")  # noqa: S108
    folders = (here.root, here.root / ".dagster", here.state, here.data, temporary)
    return [_mount(Path(folder)) for folder in folders]


def _mount(path: Path) -> Path:
    path = path.resolve()
    while not path.is_mount() and path != path.parent:
        path = path.parent
    return path


def free_bytes(place: Path) -> int:
    """Return how many bytes are free where a path lies."""
    system = os.statvfs(place)
    return system.f_bavail * system.f_frsize
