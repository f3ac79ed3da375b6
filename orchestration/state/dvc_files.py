"""dvc.lock and DVC's cache, read as plain files: importing DVC takes a second.

Belongs here: what DVC recorded and cached; detecting a damaged lock. Not here: DVC's commits (dvc/stages.py).
The bytes in the cache are DVC's own: nothing here repairs them.

A lock that another process is still writing is read again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints, ValidationError, model_validator

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.yaml import read_yaml
from silverloom.orchestration.files.local_state import UnreadableError, read_state, tell_unreadable
from silverloom.orchestration.workspace.workspace import NoGitError, Workspace, git

#: A file may still be being written for this many seconds after its last change.
_WRITING = 3.0
_CONFLICT = (b"<<<<<<< ", b"=======", b">>>>>>> ")


class DamagedLockError(UnreadableError):
    """dvc.lock is corrupt; the text says how, and what to do."""


class _Entry(BaseModel):
    """A file or folder that a stage reads or writes."""

    path: str
    md5: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}(\.dir)?$")]
    size: int
    nfiles: int | None = None

    @model_validator(mode="after")
    def _whole(self) -> _Entry:
        if self.md5.endswith(".dir") and self.nfiles is None:
            raise ValueError("a folder without nfiles")
        return self


class _Stage(BaseModel):
    cmd: str
    deps: list[_Entry] = []
    params: dict[str, dict[str, Any]] = {}
    outs: list[_Entry] = []


class _Tracking(BaseModel):
    """The content of a .dvc file."""

    outs: Annotated[list[_Entry], Field(min_length=1)]


class _Lock(BaseModel):
    version: Literal["2.0"] = Field(alias="schema")
    stages: dict[str, _Stage]

    @model_validator(mode="after")
    def _made(self) -> _Lock:
        if lacking := [name for name, stage in self.stages.items() if "-" in name and not stage.outs]:
            raise ValueError(f"the stage {lacking[0]} without outs")
        return self


def stage_name(dataset: Dataset) -> str:
    """Return the name of a dataset's DVC stage; stage names cannot contain a slash."""
    return "-".join(dataset.key.path)


def locked_stages(workspace: Workspace) -> dict[str, Any]:
    """Return the stages in dvc.lock, {} if there is no file. Raises DamagedLockError."""
    try:
        stat = workspace.lock.lstat()
        return _stages(workspace, stat.st_mtime_ns, stat.st_size)
    except FileNotFoundError:
        return {}


def check_lock(workspace: Workspace) -> None:
    """Raise DamagedLockError if dvc.lock is damaged: its missing entries are no reason to make anything."""
    locked_stages(workspace)


def recorded(stage: Mapping[str, Any], kind: str, path: str) -> str | None:
    """Return the MD5 that a stage in dvc.lock records for a path among its `deps` or `outs`."""
    return next((entry.get("md5") for entry in stage.get(kind, []) if entry["path"] == path), None)


def is_from_git(workspace: Workspace) -> bool:
    """Return whether dvc.lock is what git has, or what a merge left."""
    content = workspace.lock.read_bytes() if workspace.lock.is_file() else b""
    return _conflict(content) or (content != b"" and content == _in_git(workspace))


def tracking_files(workspace: Workspace) -> list[Path]:
    """Return the .dvc files that git tracks or could track, as DVC requires of them."""
    listed = _git(workspace, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.dvc")
    places = {workspace.root / os.fsdecode(name) for name in listed.split(b"\0") if name}
    return sorted(place for place in places if place.is_file())


def is_tracking_file(content: bytes) -> bool:
    """Return whether the content of a .dvc file is whole."""
    try:
        _Tracking.model_validate(read_yaml(content))
    except (ValueError, RecursionError):
        return False
    return content.endswith(b"\n")


def parse_lock(content: bytes) -> dict[str, Any]:
    """Parse the content of a dvc.lock into stages. Raises DamagedLockError with what is wrong."""
    if not content.strip():
        raise DamagedLockError("it is empty")
    if _conflict(content):
        raise DamagedLockError("it contains merge conflict markers")
    try:
        read = read_yaml(content)
    except (ValueError, RecursionError) as error:
        brief = " ".join(str(error).split())[:120]
        raise DamagedLockError(f"it cannot be read as YAML ({brief})") from error
    if not isinstance(read, dict):
        raise DamagedLockError("it is not a mapping with stages")
    try:
        _Lock.model_validate(read)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DamagedLockError(f"it has the wrong structure ({place}: {first['msg']})") from error
    if not content.endswith(b"\n"):
        raise DamagedLockError("its last line is cut off")
    stages: dict[str, Any] = read["stages"]
    return stages


@lru_cache(maxsize=1)
def _stages(workspace: Workspace, _time: int, _size: int) -> dict[str, Any]:
    """Return the stages in dvc.lock. Raises DamagedLockError, FileNotFoundError."""
    while True:
        written = workspace.lock.lstat().st_mtime
        try:
            return parse_lock(read_state(workspace.lock) or b"")
        except UnreadableError as error:
            if not 0 <= time.time() - written < _WRITING:
                raise DamagedLockError(
                    f"dvc.lock is damaged: {error}; `git checkout dvc.lock` restores git's version (in a "
                    "merge: `git checkout --ours dvc.lock` or `--theirs`, then `git add dvc.lock`), or "
                    f"remove it, and `{workspace.command('run')}` writes a new one from what was made here "
                    "(the hashes of datasets that are only in a remote or elsewhere are lost with it)"
                ) from error
        time.sleep(0.1)


def _conflict(content: bytes) -> bool:
    return any(line.startswith(_CONFLICT) for line in content.splitlines())


def _in_git(workspace: Workspace) -> bytes:
    """Return dvc.lock from git's index, or b"" if it is not there."""
    return _git(workspace, "show", ":./dvc.lock")


def _git(workspace: Workspace, *arguments: str) -> bytes:
    with contextlib.suppress(NoGitError):
        return git(workspace, *arguments) or b""
    return b""


#: DVC's hash of a folder.
_FOLDER = re.compile(r"[0-9a-f]{32}\.dir")


@lru_cache(maxsize=256)
def cached_files(workspace: Workspace, md5: str) -> Mapping[str, str] | None:
    """Return the files (MD5 by relative path) of a folder in DVC's cache, or None if the folder is not there.

    A list whose bytes do not match its name counts as absent.
    """
    if not _FOLDER.fullmatch(str(md5)):
        return None
    path = cached(workspace, md5)
    try:
        content = read_state(path)
        return None if content is None else _entries(content, md5)
    except UnreadableError as error:
        tell_unreadable(path, str(error), "remove it: `dvc pull` or the next commit restores it")
        return None


def _entries(content: bytes, md5: str) -> dict[str, str]:
    if hashlib.md5(content, usedforsecurity=False).hexdigest() != md5.removesuffix(".dir"):
        raise UnreadableError("its MD5 is not its name")
    try:
        files = {entry["relpath"]: entry["md5"] for entry in json.loads(content)}
    except (ValueError, TypeError, KeyError):
        raise UnreadableError("it does not list files") from None
    if any(".." in PurePosixPath(name).parts or name.startswith("/") for name in files):
        raise UnreadableError("it lists files outside its folder")
    return files


def cached(workspace: Workspace, md5: str) -> Path:
    """Return the path in DVC's cache of a file, or of a folder's list of files; it may not exist."""
    return cache_folder(workspace.root) / "files" / "md5" / md5[:2] / md5[2:]


@lru_cache(maxsize=1)
def cache_folder(root: Path) -> Path:
    """Return the folder of DVC's cache, as DVC itself determines it from its four levels of configuration.

    DVC is asked once per process, and only by commands that need the cache: starting it takes half a second.
    """
    if not (root / ".dvc").is_dir():
        return root / ".dvc" / "cache"
    command = [sys.executable, "-m", "dvc", "cache", "dir"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no message"]
        cause = next((line for line in lines if line.startswith("ERROR: ")), lines[-1])
        places = ".dvc/config, .dvc/config.local, or what `dvc config` wrote with --global or --system"
        raise ValueError(
            f"DVC's configuration cannot be read: {cause.removeprefix('ERROR: ')}; correct {places}"
        )
    return root / done.stdout.splitlines()[-1]
