"""dvc.lock and DVC's cache, read as the plain files that they are.

Belongs here: reading what DVC recorded, without importing DVC (which takes a second).
Not here: changing it (dvc.py), what makes it damaged (lock_damage.py).
"""

from __future__ import annotations

import configparser
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from assets.declaration import Declaration
from assets.settings import ROOT
from orchestration.lock_damage import sound_stages

LOCK = ROOT / "dvc.lock"


def stage_name(item: Declaration) -> str:
    """Return the DVC stage of a dataset (stage names hold no slash)."""
    return "-".join(item.key.path)


def locked_stages() -> dict[str, Any]:
    """Return the stages of dvc.lock; {} where there is none. Raises DamagedLockError."""
    try:
        found = LOCK.stat()
        return _stages(found.st_mtime_ns, found.st_size)
    except FileNotFoundError:
        return {}


def check_lock() -> None:
    """Raise DamagedLockError where dvc.lock is damaged: before anything is made for want of what it lacks."""
    locked_stages()


@lru_cache(maxsize=1)
def _stages(_time: int, _size: int) -> dict[str, Any]:
    return sound_stages(LOCK)


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
def manifest(md5: str) -> Mapping[str, str] | None:
    """Return the files (MD5 by relative path) of a folder in DVC's cache; None where it is not there."""
    try:
        entries = json.loads(cached(md5).read_bytes())
    except FileNotFoundError:
        return None
    return {entry["relpath"]: entry["md5"] for entry in entries}


def cached(md5: str) -> Path:
    """Return where DVC's cache has a file or the list of a folder's files, if it has it."""
    return _cache() / "files" / "md5" / md5[:2] / md5[2:]


def _cache() -> Path:
    for name in ("config.local", "config"):
        path = ROOT / ".dvc" / name
        config = configparser.ConfigParser()
        config.read_string(path.read_text() if path.exists() else "")
        if config.has_option("cache", "dir"):
            return (path.parent / config.get("cache", "dir")).resolve()
    return ROOT / ".dvc" / "cache"
