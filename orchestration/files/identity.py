"""The one identity of data: DVC's MD5 of a file, and of a folder. And whether a file is replaced while it is
read.

Belongs here: hashing, as DVC does it; the stamps of files, compared before and after by readers without a
lock. Not here: what is done with a mismatch (partition/inputs.py, state/freshness.py).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

#: Folders that .dvcignore names.
IGNORED = frozenset({"__pycache__"})

#: Path, size, time of change in nanoseconds and inode of a file.
FileStamp: TypeAlias = tuple[str, int, int, int]

_hashes: dict[FileStamp, str] = {}


def file_stamp(path: Path) -> FileStamp | None:
    """Return what tells whether a file is written to or replaced later; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return str(path), found.st_size, found.st_mtime_ns, found.st_ino


def file_md5(path: Path) -> str:
    """Return the MD5 of a file's bytes.

    A file whose size, inode and time of change are those of an earlier call in this process is not read
    again; every process reads it once. One that changed in the last second is read each time: a second
    change could leave all three as they are.
    """
    mark = file_stamp(path)
    if mark in _hashes:
        return _hashes[mark]
    with path.open("rb") as file:
        value = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if mark is not None and time.time_ns() - mark[2] > 1_000_000_000:
        _hashes[mark] = value
    return value


def folder_files(folder: Path) -> dict[str, Path]:
    """Return every file below a folder by its relative path with forward slashes, sorted, as DVC sees it."""
    files: dict[str, Path] = {}
    for base, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in IGNORED]
        for path in (Path(base) / name for name in names):
            if path.is_file():  # no pipe, which would be waited for, and no link that leads nowhere
                files[path.relative_to(folder).as_posix()] = path
    return {name: files[name] for name in sorted(files)}


def folder_hashes(folder: Path) -> dict[str, str]:
    """Return the MD5 of every file below a folder, by relative path; {} where there is no folder."""
    return {name: file_md5(path) for name, path in folder_files(folder).items()}


def version(hashes: Mapping[str, str]) -> str:
    """Return DVC's hash of a folder from the MD5s of its files by relative path."""
    return hashlib.md5(listing(hashes), usedforsecurity=False).hexdigest() + ".dir"


def listing(hashes: Mapping[str, str]) -> bytes:
    """Return DVC's list of the files of a folder, of which its hash of the folder is the MD5."""
    return _json([{"md5": hashes[name], "relpath": name} for name in sorted(hashes)])


def json_digest(content: Any) -> str:
    """Return the MD5 of content that JSON can hold, whatever the order of its names."""
    return hashlib.md5(_json(content), usedforsecurity=False).hexdigest()


def _json(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True).encode()


Stamps: TypeAlias = Mapping[Path, FileStamp | None]


class InputReplacedError(RuntimeError):
    """A file is not what it was when it was opened; the text names it. It may be gone at the next try."""


def stamps_of(paths: Iterable[Path]) -> dict[Path, FileStamp | None]:
    """Return what tells whether files are replaced later; of a folder, all files below it."""
    return {
        path: file_stamp(path)
        for place in paths
        for path in (folder_files(place).values() if place.is_dir() else [place])
    }


def check_unreplaced(stamps: Stamps) -> None:
    """Raise InputReplacedError where a file is not what it was when its stamp was taken."""
    for path, stamp in stamps.items():
        if file_stamp(path) != stamp:
            raise InputReplacedError(f"an input was replaced while it was read: {path}; run again")


@contextlib.contextmanager
def unreplaced(stamps: Stamps) -> Iterator[None]:
    """Raise InputReplacedError behind a block in which a file was replaced, also where the block raised.

    Half of what the block read may be of the former version and half of the new one: what it gives counts for
    nothing, and what it failed at may be just that.
    """
    try:
        yield
    except Exception as error:
        try:
            check_unreplaced(stamps)
        except InputReplacedError as replaced:
            raise replaced from error
        raise
    check_unreplaced(stamps)
