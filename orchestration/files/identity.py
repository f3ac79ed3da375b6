"""The one identity of data: DVC's MD5 of a file or folder.

Belongs here: hashing as DVC does it, with a cache of hashes between commands by file stamps. Not here:
noticing edits while work is in progress (edits.py), handling a mismatch (partition/inputs.py,
state/freshness.py).
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from silverloom.assets.declare.cache import read_cache, write_cache
from silverloom.orchestration.workspace.workspace import Workspace

#: Folders listed in .dvcignore.
IGNORED = frozenset({"__pycache__"})

#: A file's path, size, modification time in nanoseconds, and inode.
FileStamp: TypeAlias = tuple[str, int, int, int]

_CACHE = "hashes.json"

#: MD5s by path, with the stamps of the hashed files: from this process, and from earlier ones.
_hashes: dict[str, tuple[FileStamp, str]] = {}
_former: dict[str, tuple[FileStamp, str]] = {}


def keep_hashes(workspace: Workspace) -> None:
    """Load the hashes that earlier commands cached, and save this one's at exit."""
    stored: dict[str, list[Any]] = json.loads(read_cache(workspace.root, _CACHE) or "{}")
    _former.update({name: ((name, *stamp), md5) for name, (*stamp, md5) in stored.items()})
    atexit.register(_leave_hashes, workspace.root, os.getpid())


def _leave_hashes(root: Path, process: int) -> None:
    if not _hashes or os.getpid() != process:
        return
    inside = f"{root}{os.sep}"
    known = {
        name: (*stamp[1:], md5)
        for name, (stamp, md5) in {**_former, **_hashes}.items()
        if name.startswith(inside) and Path(name).exists()
    }
    write_cache(root, _CACHE, json.dumps(known).encode())


def file_stamp(path: Path) -> FileStamp | None:
    """Return a stamp that changes if the file is written to or replaced, or None if there is no file."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return os.fspath(path), stat.st_size, stat.st_mtime_ns, stat.st_ino


def is_stable(stamp: FileStamp) -> bool:
    """Return whether a file is older than a second: until then, a change may leave its stamp unchanged."""
    return time.time_ns() - stamp[2] > 1_000_000_000


def file_md5(path: Path, former: bool = True) -> str:
    """Return the MD5 of a file's bytes.

    A file with the same size, inode and modification time as in an earlier call is not read again, unless it
    changed in the last second. With `former=False`, hashes from earlier commands do not count.
    """
    stamp, name = file_stamp(path), os.fspath(path)
    for known in (_hashes.get(name), _former.get(name) if former else None):
        if known is not None and known[0] == stamp:
            return known[1]
    with path.open("rb") as file:
        value = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if stamp is not None and is_stable(stamp):
        _hashes[name] = stamp, value
    return value


def folder_files(folder: Path) -> dict[str, Path]:
    """Return every file below a folder by relative path with forward slashes, sorted, as DVC sees it."""
    files: dict[str, Path] = {}
    waiting = [(os.fspath(folder), "")]
    while waiting:
        base, name = waiting.pop()
        listed: list[os.DirEntry[str]] = []
        with contextlib.suppress(OSError), os.scandir(base) as entries:
            listed = list(entries)
        for entry in listed:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in IGNORED:
                    waiting.append((entry.path, f"{name}{entry.name}/"))
            elif Path(entry.path).is_file() if entry.is_symlink() else entry.is_file():
                files[f"{name}{entry.name}"] = Path(entry.path)  # skips pipes and dangling links
    return {name: files[name] for name in sorted(files)}


def folder_hashes(folder: Path) -> dict[str, str]:
    """Return the MD5 of every file below a folder by relative path; {} if there is no folder."""
    return {name: file_md5(path) for name, path in folder_files(folder).items()}


def version(hashes: Mapping[str, str]) -> str:
    """Return DVC's hash of a folder from the MD5s of its files by relative path."""
    return text_md5(listing(hashes)) + ".dir"


def listing(hashes: Mapping[str, str]) -> bytes:
    """Return DVC's list of a folder's files; its MD5 is DVC's hash of the folder."""
    return _json([{"md5": hashes[name], "relpath": name} for name in sorted(hashes)])


def json_digest(content: Any) -> str:
    """Return the MD5 of JSON content, regardless of the order of keys."""
    return text_md5(_json(content))


def text_md5(content: str | bytes) -> str:
    """Return the MD5 of a text in UTF-8, or of bytes."""
    content = content.encode() if isinstance(content, str) else content
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _json(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True).encode()
