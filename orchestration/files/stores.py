"""SQLite stores of other tools that cannot be used: one line with file, cause and remedy.

Belongs here: damage, files of other programs, I/O errors, write protection, and locks of other processes. Not
here: full disks (full_disk.py). Nothing is repaired: the user moves the file away.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from silverloom.orchestration.files.full_disk import full_disk

#: What to do about each of SQLite's errors. A store that another process holds is sound, and stays.
_AWAY = "move it away to start a new one, and restart `make ui` if it is running"
_HELD = "another process holds it: end that process, or wait, and run again"
_REMEDIES = {
    sqlite3.SQLITE_BUSY: _HELD,
    sqlite3.SQLITE_LOCKED: _HELD,
    sqlite3.SQLITE_READONLY: f"make it and its folder writable, or {_AWAY}",
    sqlite3.SQLITE_CANTOPEN: f"make it and its folder readable and writable, or {_AWAY}",
    sqlite3.SQLITE_PERM: f"make it and its folder readable and writable, or {_AWAY}",
    sqlite3.SQLITE_CORRUPT: _AWAY,
    sqlite3.SQLITE_NOTADB: _AWAY,
}
_ELSE = f"check its disk, or {_AWAY}"
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class StoreError(RuntimeError):
    """A store cannot be used; the text names the file, the cause and what to do."""


@contextlib.contextmanager
def store_errors(what: str, files: Iterable[Path]) -> Iterator[None]:
    """Turn SQLite's errors, other than a full disk, into a StoreError.

    `what` is whose store it is, such as "Dagster's store"; `files` are its databases.
    """
    try:
        yield
    except Exception as error:
        cause: sqlite3.Error | None = sqlite_error(error)
        if cause is None or full_disk(error) is not None:
            raise
        file, cause = next(((file, fault) for file in files if (fault := trouble(file))), (None, cause))
        place = file or f"one of {', '.join(map(str, files))}"
        raise StoreError(f"{what} cannot be used: {place}: {cause}; {_remedy(cause)}") from error


def check_store(what: str, file: Path, tables: Iterable[str]) -> set[str]:
    """Return the tables of a database, none if there is no file.

    Raises StoreError if it has tables, but none of these: it is another program's; SQLite's error for a file
    that is no database.
    """
    if not file.is_file():
        return set()
    with contextlib.closing(sqlite3.connect(file)) as store:
        present = {name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if present and present.isdisjoint(tables):
        raise StoreError(f"{what} cannot be used: {file}: it is another program's; {_AWAY}")
    return present


def sqlite_error(error: BaseException) -> sqlite3.DatabaseError | None:
    """Return SQLite's error behind an error of any library, or None if it is about a statement, not the file.

    An error that was only being handled when another occurred (`__context__`) is not behind that one.
    """
    cause: BaseException | None = error
    while cause is not None and not _of_the_file(cause):
        cause = getattr(cause, "orig", None) or cause.__cause__
    return cause if isinstance(cause, sqlite3.DatabaseError) else None


def _of_the_file(error: BaseException) -> bool:
    return isinstance(error, sqlite3.OperationalError) or (
        isinstance(error, sqlite3.DatabaseError) and _code(error) in _DAMAGED
    )


def trouble(file: Path) -> sqlite3.Error | None:
    """Return the error that reading or locking a database gives now, or None. All its pages are read."""
    if not file.exists():
        return None
    uri = f"{file.absolute().as_uri()}?mode=rw"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)) as store:
            store.execute("BEGIN IMMEDIATE")
            (word,) = store.execute("PRAGMA quick_check(1)").fetchone()
            store.execute("ROLLBACK")
    except sqlite3.Error as error:
        return error
    if word == "ok":
        return None
    damage = sqlite3.DatabaseError(word)
    damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return damage


def _remedy(error: sqlite3.Error) -> str:
    return _REMEDIES.get(_code(error), _ELSE)


def _code(error: sqlite3.Error) -> int:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
