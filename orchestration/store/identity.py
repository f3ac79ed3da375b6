"""The one identity of data: DVC's MD5 of a file, and of a folder.

Belongs here: hashing, as DVC does it. Not here: what is done with a mismatch (records.py, reading.py).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

_hashes: dict[tuple[str, int, int, int], str] = {}


def file_md5(path: Path, trust_stat: bool = True) -> str:
    """Return the MD5 of a file's bytes.

    With `trust_stat`, a file whose size, inode and time of change are those of an earlier call in this
    process is not read again.
    """
    stat = path.stat()
    mark = (str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino)
    if trust_stat and mark in _hashes:
        return _hashes[mark]
    with path.open("rb") as file:
        value = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    _hashes[mark] = value
    return value


def folder_files(folder: Path, skip: Iterable[str] = ()) -> dict[str, Path]:
    """Return every file below a folder by its relative path with forward slashes, sorted."""
    ignored = set(skip)
    found = (Path(base) / name for base, _, names in os.walk(folder) for name in names)
    files = {path.relative_to(folder).as_posix(): path for path in found}
    return {name: files[name] for name in sorted(files) if not ignored & set(name.split("/"))}


def folder_hashes(folder: Path) -> dict[str, str]:
    """Return the MD5 of every file below a folder, by relative path; {} where there is no folder."""
    return {name: file_md5(path) for name, path in folder_files(folder).items()}


def version(hashes: Mapping[str, str]) -> str:
    """Return DVC's hash of a folder from the MD5s of its files by relative path."""
    entries = [{"md5": hashes[name], "relpath": name} for name in sorted(hashes)]
    return (
        hashlib.md5(json.dumps(entries, sort_keys=True).encode(), usedforsecurity=False).hexdigest() + ".dir"
    )
