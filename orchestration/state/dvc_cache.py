"""Damaged files in DVC's cache: DVC takes a file there for what its name says, and so would never replace it.

Belongs here: finding them where the right bytes are at hand or wrong ones came out. Not here: where the
cache lies, and its lists of files (lockfile.py).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from assets.declare.declaration import Declaration
from orchestration.files.damage import set_aside
from orchestration.files.identity import file_md5, folder_hashes, version
from orchestration.state.dvc_lock import cached, locked_stages, manifest, recorded, stage_name
from orchestration.workspace.workspace import Workspace

_THEN = "the next commit brings it back"


def check_sizes(workspace: Workspace, item: Declaration) -> None:
    """Set aside what the cache has of a finished dataset and is no file, or not of the size of that on disk.

    To be called before a commit, which then adds what is missing. Bytes are compared only where wrong ones
    are met (`check_bytes`): to read all of the cache at every commit would double its cost.
    """
    folder = workspace.folder(item)
    hashes = folder_hashes(folder)
    path = workspace.shown(folder)
    former = recorded(locked_stages(workspace).get(stage_name(item), {}), "outs", path)
    for md5 in {version(hashes), former or ""}:
        manifest(workspace, md5)
    for name, md5 in hashes.items():
        place = cached(workspace, md5)
        if os.path.lexists(place) and not _alike(place, folder / name):
            set_aside(place, "it is not what its name says", _THEN)


def check_bytes(workspace: Workspace, recorded: Mapping[str, str], found: Mapping[str, str]) -> None:
    """Set aside the wrong bytes in the cache that can be the cause of wrong ones on disk.

    Both are MD5s by file name: those that should be, those that are.
    """
    for name, md5 in recorded.items():
        place = cached(workspace, md5)
        if found.get(name, md5) != md5 and place.is_file() and file_md5(place) != md5:
            set_aside(place, "its MD5 is not its name", _THEN)


def _alike(place: Path, file: Path) -> bool:
    return place.is_file() and place.stat().st_size == file.stat().st_size
