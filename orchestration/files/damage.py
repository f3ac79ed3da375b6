"""Damaged local state: it is set aside, never deleted, and one line says so.

Belongs here: reading a file of local state, detecting what is not a regular file, moving damaged files away;
JSON with a checksum, so that damage shows; damage in SQLite files, as SQLite reports it. Not here: what the
files contain, and how to rebuild it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from orchestration.files.identity import json_digest

#: Damaged files go here, under their own path in the checkout; if that is taken, a number is appended.
ASIDE = Path(".silverloom", "damaged")


class DamagedError(ValueError):
    """A file of local state is not valid; the text says why, without the file's name."""


def read_state(path: Path) -> bytes | None:
    """Return a file's bytes, or None if there is no file. Raises DamagedError unless it is a regular file."""
    try:
        return path.read_bytes() if is_file(path) else None
    except FileNotFoundError:  # another process removed it just now
        return None


def is_file(path: Path) -> bool:
    """Return whether a readable file exists. Raises DamagedError if it is not a regular file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise DamagedError("it is not a regular file")
        path.open("rb").close()
        return True
    except PermissionError:
        raise DamagedError("it is not readable") from None
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise DamagedError("it is a dangling link") from None
        return False
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise  # such as too many open files; the file itself may be intact
        raise DamagedError("it is a link to itself") from None


def set_aside(path: Path, wrong: object, then: str) -> Path | None:
    """Move a damaged file away and print a line: what is `wrong` with it, and what happens `then`.

    Returns its new path, or None if another process was faster or it could not be moved.
    """
    place, root = None, _checkout(path)
    try:
        place = _move(path, root)
        done = f"set aside as {_shown(place, root)}"
    except FileNotFoundError:
        return None
    except OSError as error:
        done = f"it cannot be moved away ({error.strerror})"
    line = f"warning: {_shown(path, root)} is damaged: {' '.join(str(wrong).split())}; {done}, {then}"
    print(line, file=sys.stderr, flush=True)
    return place


def make_folder(folder: Path) -> None:
    """Create a folder and its parents; anything in its place that is not a folder is set aside."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTDIR, errno.ELOOP):
            raise
        for place in reversed((folder, *folder.parents)):
            if os.path.lexists(place) and not place.is_dir():
                set_aside(place, "it is not a folder", "a folder takes its place")
        folder.mkdir(parents=True, exist_ok=True)


def remove_file(path: Path) -> None:
    """Remove a file if it exists; anything that is not a regular file is set aside."""
    try:
        path.unlink(missing_ok=True)
    except NotADirectoryError:
        return
    except (IsADirectoryError, PermissionError):  # for a folder, Linux raises the first and POSIX the second
        if not path.is_dir():
            raise
        set_aside(path, "it is not a regular file", "its place stays empty")


def _move(path: Path, root: Path | None) -> Path:
    """Rename into ASIDE of the path's checkout. Without one, or if the path contains ASIDE, add a suffix."""
    inside = root is not None and not (root / ASIDE).is_relative_to(path)
    wanted = (
        root / ASIDE / path.relative_to(root) if root and inside else path.with_name(f"{path.name}.damaged")
    )
    make_folder(wanted.parent)
    place, number = wanted, 1
    while os.path.lexists(place):
        number += 1
        place = wanted.with_name(f"{wanted.name}.{number}")
    try:
        path.rename(place)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.move(path, place)
    return place


def _shown(path: Path, root: Path | None) -> str:
    return path.relative_to(root).as_posix() if root else str(path)


def _checkout(path: Path) -> Path | None:
    """Return the checkout that contains a path: the nearest parent folder with params or local state."""
    marks = ("params.yaml", ASIDE.parent)
    return next(
        (place for place in path.parents if any(os.path.lexists(place / mark) for mark in marks)), None
    )


#: The key of the checksum, next to the keys of the content.
CHECKSUM = "checksum"


def dump_checked(content: Mapping[str, Any]) -> bytes:
    """Return JSON with the checksum of its content."""
    content = json.loads(json.dumps(content))  # turns keys into strings before they are sorted
    return json.dumps({**content, CHECKSUM: json_digest(content)}, sort_keys=True, indent=1).encode()


def load_checked(text: bytes) -> tuple[dict[str, Any], bool]:
    """Return the content that `dump_checked` wrote, and whether it has a checksum. Raises DamagedError."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise DamagedError("it is not JSON" if text.strip() else "it is empty") from None
    if not isinstance(content, dict):
        raise DamagedError("it has the wrong structure")
    checked = CHECKSUM in content
    if checked and content.pop(CHECKSUM) != json_digest(content):
        raise DamagedError("its checksum does not match its content")
    return content, checked


def read_checked(path: Path, kind: TypeAdapter[Any], then: str) -> dict[str, Any] | None:
    """Return the content of a file, or None if it is missing. A damaged file is set aside; `then` is printed.

    A valid file without a checksum dates from before checksums existed, and counts as missing.
    """
    try:
        text = read_state(path)
        if text is None:
            return None
        content, checked = load_checked(text)
        kind.validate_python(content)
    except (DamagedError, ValidationError) as error:
        set_aside(path, first_fault(error) if isinstance(error, ValidationError) else error, then)
        return None
    return content if checked else None


def first_fault(error: ValidationError) -> str:
    """Return the first place where a content has the wrong structure, and what is wrong there."""
    first = error.errors()[0]
    return f"it has the wrong structure ({'.'.join(map(str, first['loc']))}: {first['msg']})"


_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

#: Endings of SQLite's side files of a database.
_BESIDE = ("-wal", "-shm", "-journal")

#: Seconds to wait for another process that has locked the database.
PATIENCE = 30.0


def damaged(error: BaseException) -> bool:
    """Return whether an error, or its cause, is that SQLite found a file damaged."""
    causes: list[BaseException | None] = [error]
    while (cause := causes.pop()) is not None:
        if isinstance(cause, sqlite3.DatabaseError) and _is_damage(cause):
            return True
        causes += [cause.__cause__ or cause.__context__]
    return False


def fault(path: Path, table: str, thorough: bool = False) -> str | None:
    """Return what is wrong with a database that should have a table, or None if it is intact or missing.

    Every page is checked if `thorough` is set or the file is shorter than its header says; that takes time in
    proportion to the file. Raises PermissionError for a write-protected file, which is not damaged.
    """
    for place in (path, *_beside(path)):
        if os.path.lexists(place) and not place.is_file():
            return "it is not a regular file" if place == path else f"{place.name} is not a regular file"
    if not path.exists():
        return None
    if path.stat().st_size == 0:
        return "it is empty"
    if not os.access(path, os.R_OK):
        return "it is not readable"
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "write-protected: `chmod u+w` it", str(path))
    uri = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE)) as store:
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
    """Set a damaged database aside, with SQLite's side files, and print `then`.

    Running servers keep using the file that they opened, so the message says to restart them.
    """
    if (wrong := fault(path, table, thorough)) is None:
        return
    first, *others = [place for place in (path, *_beside(path)) if os.path.lexists(place)]
    place = set_aside(first, wrong, f"{then}; restart `make ui` if it is running")
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
