"""SQLite stores of other tools that cannot be used just now: one line with file, cause and remedy.

Belongs here: I/O errors, write protection, and locks of other processes. Not here: damaged stores, which are
set aside (damage.py), and full disks (full_disk.py).
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from orchestration.files.damage import damaged
from orchestration.files.full_disk import full_disk

#: What to do about each of SQLite's errors. A store that another process holds is sound, and stays.
_HELD = "another process holds it: end that process, or wait, and run again"
_ELSEWHERE = ", or move it away to start a new one"
_REMEDIES = {
    sqlite3.SQLITE_BUSY: _HELD,
    sqlite3.SQLITE_LOCKED: _HELD,
    sqlite3.SQLITE_READONLY: f"make it and its folder writable{_ELSEWHERE}",
    sqlite3.SQLITE_CANTOPEN: f"make it and its folder readable and writable{_ELSEWHERE}",
    sqlite3.SQLITE_PERM: f"make it and its folder readable and writable{_ELSEWHERE}",
}
_ELSE = f"check its disk{_ELSEWHERE}"


class StoreError(RuntimeError):
    """A store cannot be used; the text names the file, the cause and what to do."""


@contextlib.contextmanager
def store_errors(what: str, files: Iterable[Path]) -> Iterator[None]:
    """Turn SQLite's errors, other than damage and a full disk, into a StoreError.

    `what` is whose store it is, such as "Dagster's store"; `files` are its databases.
    """
    try:
        yield
    except Exception as error:
        cause: sqlite3.Error | None = sqlite_error(error)
        if cause is None or damaged(error) or full_disk(error) is not None:
            raise
        file, cause = next(((file, fault) for file in files if (fault := trouble(file))), (None, cause))
        place = file or f"one of {', '.join(map(str, files))}"
        remedy = _REMEDIES.get(_code(cause), _ELSE)
        raise StoreError(f"{what} cannot be used: {place}: {cause}; {remedy}") from error


def sqlite_error(error: BaseException) -> sqlite3.OperationalError | None:
    """Return SQLite's error behind an error of any library, or None.

    An error that was only being handled when another occurred (`__context__`) is not behind that one.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, sqlite3.OperationalError):
        cause = getattr(cause, "orig", None) or cause.__cause__
    return cause


def trouble(file: Path) -> sqlite3.Error | None:
    """Return the error that reading or locking a database gives now, or None."""
    if not file.exists():
        return None
    uri = f"{file.absolute().as_uri()}?mode=rw"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)) as store:
            store.execute("BEGIN IMMEDIATE")
            store.execute("SELECT count(*) FROM sqlite_master").fetchone()
            store.execute("ROLLBACK")
    except sqlite3.Error as error:
        return error
    return None


def _code(error: sqlite3.Error) -> int:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
