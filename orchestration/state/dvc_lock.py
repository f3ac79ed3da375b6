"""dvc.lock and DVC's cache, read as the plain files that they are.

Belongs here: reading what DVC recorded, without importing DVC (which takes a second).
Not here: changing it (dvc/stages.py), what makes it damaged (dvc_lock_damage.py).
"""

from __future__ import annotations

import configparser
import hashlib
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from assets.declare.declaration import Declaration
from orchestration.files.damage import DamagedError, read_state, set_aside
from orchestration.state.dvc_lock_damage import remember, sound_stages
from orchestration.workspace.workspace import Workspace

#: DVC's hash of a folder.
_FOLDER = re.compile(r"[0-9a-f]{32}\.dir")


def stage_name(item: Declaration) -> str:
    """Return the DVC stage of a dataset (stage names hold no slash)."""
    return "-".join(item.key.path)


def locked_stages(workspace: Workspace) -> dict[str, Any]:
    """Return the stages of dvc.lock; {} where there is none. Raises DamagedLockError."""
    try:
        found = workspace.lock.lstat()
        return _stages(workspace, found.st_mtime_ns, found.st_size)
    except FileNotFoundError:
        return {}


def check_lock(workspace: Workspace) -> None:
    """Raise DamagedLockError where dvc.lock is damaged: before anything is made for want of what it lacks."""
    locked_stages(workspace)


def check_before_dvc(workspace: Workspace) -> None:
    """Raise DamagedLockError before DVC writes over what is left; else remember what dvc.lock holds now.

    Of one that was removed, this is nothing: then DVC may be interrupted with any part of it built anew.
    """
    check_lock(workspace)
    remember(workspace, workspace.lock.read_bytes() if workspace.lock.exists() else b"")


@lru_cache(maxsize=1)
def _stages(workspace: Workspace, _time: int, _size: int) -> dict[str, Any]:
    return sound_stages(workspace)


def read_stages(content: bytes) -> dict[str, Any] | None:
    """Return the stages of a former dvc.lock; None for what is none."""
    try:
        read = yaml.CSafeLoader(content).get_single_data()  # ten times as fast as yaml.safe_load
    except (yaml.YAMLError, UnicodeDecodeError):
        return None
    stages = read.get("stages") if isinstance(read, dict) else None
    return stages if isinstance(stages, dict) else None


def recorded(stage: Mapping[str, Any], kind: str, path: str) -> str | None:
    """Return the MD5 that a stage of dvc.lock recorded for a path among its `deps` or `outs`."""
    return next((entry.get("md5") for entry in stage.get(kind, []) if entry["path"] == path), None)


@lru_cache(maxsize=256)
def manifest(workspace: Workspace, md5: str) -> Mapping[str, str] | None:
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
            raise ValueError(
                f".dvc/{name} cannot be read: {' '.join(str(error).split())}; {remedy}"
            ) from error
        if config.has_option("cache", "dir"):
            return (path.parent / config.get("cache", "dir")).resolve()
    return root / ".dvc" / "cache"
