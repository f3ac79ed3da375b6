"""Damaged SQLite files: found by what SQLite itself says of them, and set aside whole.

Belongs here: looking at a file, and moving it with the files beside it. Not here: what is in it
(mlflow/, dagster/), and that nobody else does so at the same time (whoever calls holds a lock).
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from pathlib import Path

from orchestration.files.damage import set_aside

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

#: What SQLite keeps beside a file, by the end of its name.
_BESIDE = ("-wal", "-shm", "-journal")

#: Seconds that a look waits for another process.
_PATIENCE = 30.0


def damaged(error: BaseException) -> bool:
    """Say whether an error, or what caused it, is that SQLite found a file damaged."""
    causes: list[BaseException | None] = [error]
    while (cause := causes.pop()) is not None:
        if isinstance(cause, sqlite3.DatabaseError) and _is_damage(cause):
            return True
        causes += [cause.__cause__ or cause.__context__]
    return False


def fault(path: Path, table: str, thorough: bool = False) -> str | None:
    """Return what is wrong with a store that has such a table; None for a sound one, and where there is none.

    Every page is looked at, which takes time that grows with the file, where that is asked for or where the
    file is shorter than it says itself. One that is write-protected is not damaged: raises PermissionError.
    """
    for place in (path, *_beside(path)):
        if os.path.lexists(place) and not place.is_file():
            return "it is no file" if place == path else f"{place.name} is no file"
    if not path.exists():
        return None
    if path.stat().st_size == 0:
        return "it is empty"
    if not os.access(path, os.R_OK):
        return "it may not be read"
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "write-protected: `chmod u+w` it", str(path))
    uri = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=_PATIENCE)) as store:
            found = store.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
            if found is None:
                return f"it has no table {table}"
            if thorough or _is_short(path):
                (word,) = store.execute("PRAGMA quick_check(1)").fetchone()
                return None if word == "ok" else str(word)
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise
        return str(error)
    return None


def set_damaged_aside(path: Path, table: str, then: str, thorough: bool = False) -> None:
    """Set a store aside in which there is a fault, with what SQLite keeps beside it, and say `then`.

    Servers that run go on with the file that they opened: whoever started them is told to start them again.
    """
    if (wrong := fault(path, table, thorough)) is None:
        return
    first, *others = [place for place in (path, *_beside(path)) if os.path.lexists(place)]
    place = set_aside(first, wrong, f"{then}; restart `make ui` if it runs")
    for neighbour in others if place is not None else ():
        neighbour.rename(f"{place}{neighbour.name.removeprefix(path.name)}")


def _beside(path: Path) -> list[Path]:
    return [path.with_name(f"{path.name}{end}") for end in _BESIDE]


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in _DAMAGED


def _is_short(path: Path) -> bool:
    with path.open("rb") as file:
        header = file.read(32)
    size = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    return path.stat().st_size < pages * (65_536 if size == 1 else size)
