"""Local state that was damaged: it is set aside, never deleted, and one line says so.

Belongs here: reading a file of local state, telling what is no file, moving it out of the way; JSON with a
checksum, by which small files show that they are as they were written; damage in SQLite's files, by what
SQLite says of them. Not here: what they hold, and how it is rebuilt.
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

#: What is set aside lies here under its own path in the checkout; a second one of one path gets a number.
ASIDE = Path(".silverloom", "damaged")


class DamagedError(ValueError):
    """A file of local state is not what it should be; the text says how, without the file's name."""


def read_state(path: Path) -> bytes | None:
    """Return the bytes of a file, None where there is none. Raises DamagedError for what is no file."""
    try:
        return path.read_bytes() if is_file(path) else None
    except FileNotFoundError:  # another process removed it just now
        return None


def is_file(path: Path) -> bool:
    """Say whether there is a file, which can be read. Raises DamagedError for what is no file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise DamagedError("it is no file")
        path.open("rb").close()
        return True
    except PermissionError:
        raise DamagedError("it may not be read") from None
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise DamagedError("it is a link that leads nowhere") from None
        return False
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise  # too many open files, say: the file itself may be sound
        raise DamagedError("it is a link to itself") from None


def set_aside(path: Path, wrong: object, then: str) -> Path | None:
    """Move what is damaged away and say so in a line: what is wrong with it, what is done `then`.

    Returns where it is now; None where another process was faster, or where it may not be moved.
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
    """Make a folder and those above it; what stands in its place and is no folder is set aside."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTDIR, errno.ELOOP):
            raise
        for place in reversed((folder, *folder.parents)):
            if os.path.lexists(place) and not place.is_dir():
                set_aside(place, "it is no folder", "a folder is made in its place")
        folder.mkdir(parents=True, exist_ok=True)


def remove_file(path: Path) -> None:
    """Remove a file, if there is one; what is no file is set aside."""
    try:
        path.unlink(missing_ok=True)
    except NotADirectoryError:
        return
    except (IsADirectoryError, PermissionError):  # what POSIX says of a folder, Linux and others
        if not path.is_dir():
            raise
        set_aside(path, "it is no file", "nothing is to be in its place")


def _move(path: Path, root: Path | None) -> Path:
    """Rename into ASIDE of its checkout, or beside itself: outside of any, and where it holds ASIDE."""
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
    """Return the checkout that a path lies in: the nearest folder above it with params or local state."""
    marks = ("params.yaml", ASIDE.parent)
    return next(
        (place for place in path.parents if any(os.path.lexists(place / mark) for mark in marks)), None
    )


#: The key of the checksum, beside those of the content.
CHECKSUM = "checksum"


def dump_checked(content: Mapping[str, Any]) -> bytes:
    """Return JSON with the checksum of its content."""
    content = json.loads(json.dumps(content))  # keys become texts before they are sorted
    return json.dumps({**content, CHECKSUM: json_digest(content)}, sort_keys=True, indent=1).encode()


def load_checked(text: bytes) -> tuple[dict[str, Any], bool]:
    """Return the content of what `dump` wrote, and whether it bears a checksum. Raises DamagedError."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise DamagedError("it is no JSON" if text.strip() else "it is empty") from None
    if not isinstance(content, dict):
        raise DamagedError("it holds something else")
    checked = CHECKSUM in content
    if checked and content.pop(CHECKSUM) != json_digest(content):
        raise DamagedError("its checksum is not that of its content")
    return content, checked


def read_checked(path: Path, kind: TypeAdapter[Any], then: str) -> dict[str, Any] | None:
    """Return what a file holds; None where there is none. One that is damaged is set aside, and `then` said.

    A file of the right `kind` without a checksum was written before there were any: it is as if it were lost.
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
    """Return where a content of another shape differs first, and how."""
    first = error.errors()[0]
    return f"it holds something else ({'.'.join(map(str, first['loc']))}: {first['msg']})"


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
