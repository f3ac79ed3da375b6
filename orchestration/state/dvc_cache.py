"""DVC's cache, read as the plain files that it is; what is damaged there is set aside.

Belongs here: where the cache lies, its lists of files, and finding damaged files where the right bytes are at
hand or wrong ones came out: DVC takes a file there for what its name says, and so would never replace it. Not
here: writing to it (dvc/commit.py).
"""

from __future__ import annotations

import configparser
import hashlib
import json
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath

from assets.declare.declaration import Declaration
from orchestration.files.damage import DamagedError, read_state, set_aside
from orchestration.files.identity import file_md5, folder_hashes, version
from orchestration.state.dvc_lock import locked_stages, recorded, stage_name
from orchestration.workspace.workspace import Workspace

#: DVC's hash of a folder.
_FOLDER = re.compile(r"[0-9a-f]{32}\.dir")
_THEN = "the next commit brings it back"


@lru_cache(maxsize=256)
def cached_files(workspace: Workspace, md5: str) -> Mapping[str, str] | None:
    """Return the files (MD5 by relative path) of a folder in DVC's cache; None where it is not there.

    A list whose bytes are not those of its name is set aside: DVC itself takes it as it is.
    """
    if not _FOLDER.fullmatch(str(md5)):
        return None
    path = cached(workspace, md5)
    try:
        content = read_state(path)
        return None if content is None else _entries(content, md5)
    except DamagedError as error:
        set_aside(path, error, "`dvc pull` or the next commit brings it back")
        return None


def _entries(content: bytes, md5: str) -> dict[str, str]:
    if hashlib.md5(content, usedforsecurity=False).hexdigest() != md5.removesuffix(".dir"):
        raise DamagedError("its MD5 is not its name")
    try:
        found = {entry["relpath"]: entry["md5"] for entry in json.loads(content)}
    except (ValueError, TypeError, KeyError):
        raise DamagedError("it lists no files") from None
    if any(".." in PurePosixPath(name).parts or name.startswith("/") for name in found):
        raise DamagedError("it lists files outside of its folder")
    return found


def check_sizes(workspace: Workspace, item: Declaration) -> None:
    """Set aside what the cache has of a finished dataset and is no file, or not of the size of that on disk.

    To be called before a commit, which then adds what is missing. Bytes are compared only where wrong ones
    are met (`check_bytes`): to read all of the cache at every commit would double its cost.
    """
    folder = workspace.folder(item)
    hashes = folder_hashes(folder)
    former = recorded(locked_stages(workspace).get(stage_name(item), {}), "outs", workspace.shown(folder))
    for md5 in {version(hashes), former or ""}:
        cached_files(workspace, md5)
    for name, md5 in hashes.items():
        place = cached(workspace, md5)
        size = (folder / name).stat().st_size
        if os.path.lexists(place) and not (place.is_file() and place.stat().st_size == size):
            set_aside(place, "it is not what its name says", _THEN)


def check_bytes(workspace: Workspace, recorded: Mapping[str, str], found: Mapping[str, str]) -> None:
    """Set aside the wrong bytes in the cache that can be the cause of wrong ones on disk.

    Both are MD5s by file name: those that should be, those that are.
    """
    for name, md5 in recorded.items():
        place = cached(workspace, md5)
        if found.get(name, md5) != md5 and place.is_file() and file_md5(place) != md5:
            set_aside(place, "its MD5 is not its name", _THEN)


def cached(workspace: Workspace, md5: str) -> Path:
    """Return where DVC's cache has a file or the list of a folder's files, if it has it."""
    return _cache(workspace.root) / "files" / "md5" / md5[:2] / md5[2:]


@lru_cache(maxsize=1)
def _cache(root: Path) -> Path:
    for name in ("config.local", "config"):
        path = root / ".dvc" / name
        config = configparser.ConfigParser()
        try:
            config.read_string((read_state(path) or b"").decode())
        except (configparser.Error, ValueError) as error:
            remedy = "`git checkout` it" if name == "config" else "mend or remove it"
            cause = " ".join(str(error).split())
            raise ValueError(f".dvc/{name} cannot be read: {cause}; {remedy}") from error
        if config.has_option("cache", "dir"):
            return (path.parent / config.get("cache", "dir")).resolve()
    return root / ".dvc" / "cache"
