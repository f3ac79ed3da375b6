"""What this process stands on: params, code and raw sources as they were when it began.

Belongs here: noticing that one of them was edited meanwhile. DVC records what is on disk at the end of the
work; the work was done on what was there at its beginning. Not here: what is stale (freshness.py).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from orchestration.files.identity import IGNORED, FileMark, file_mark, file_md5, folder_hashes, version
from orchestration.workspace.workspace import Workspace

#: All that a dataset's code hash is made of.
CODE = ("assets", "models.txt", "ops", "orchestration/files/parquet.py", "requirements.lock")
_NAMES = ("params.yaml", *CODE)


class MovedError(RuntimeError):
    """Something was edited while the work was under way; the text names it."""


def input_snapshot(workspace: Workspace) -> dict[str, str]:
    """Return the version of everything that the work depends on, as first asked for in this process."""
    return {**code(workspace), **_sources(workspace)}


@cache
def code(workspace: Workspace) -> dict[str, str]:
    """Return the versions of params and code: asked for before any of the two is read (catalogue.py)."""
    code_marks(workspace)  # ahead of the versions: what is edited in between is noticed
    return _versions(workspace, _NAMES)


@cache
def code_marks(workspace: Workspace) -> dict[str, str]:
    """Return what tells whether params or code were written to, as first asked for in this process.

    Unlike versions they tell of an edit that was undone, too: workers that began in between ran the edited.
    """
    return {name: _mark(workspace.root / name) for name in _NAMES}


def check_code(workspace: Workspace, former: Mapping[str, str]) -> None:
    """Raise MovedError where params or code were written to since `former`, what `code_marks` gave."""
    if moved := [name for name in _NAMES if _mark(workspace.root / name) != former[name]]:
        names = ", ".join(moved)
        raise MovedError(f"{names} changed while this ran; what was finished before is kept: run again")


@cache
def _sources(workspace: Workspace) -> dict[str, str]:
    return _versions(workspace, _source_paths(workspace))


def check(workspace: Workspace) -> None:
    """Raise MovedError where something is not as it was at the first call of `input_snapshot`."""
    former, today = input_snapshot(workspace), _versions(workspace, [*_NAMES, *_source_paths(workspace)])
    if moved := sorted(name for name in {*former, *today} if today.get(name) != former.get(name)):
        names = ", ".join(moved)
        raise MovedError(f"{names} changed while this ran; what was made is kept, dvc.lock is not: run again")


def _source_paths(workspace: Workspace) -> list[str]:
    return [source.path for group in workspace.settings.sources.values() for source in group.values()]


def _versions(workspace: Workspace, paths: Iterable[str]) -> dict[str, str]:
    return {path: _version(place) for path in paths if (place := workspace.root / path).exists()}


def _version(place: Path) -> str:
    try:
        return version(folder_hashes(place)) if place.is_dir() else file_md5(place)
    except PermissionError as error:  # of a source: it is a reject there, and DVC's commit is refused
        return str(error)


def _mark(place: Path) -> str:
    """Return a hash of the size, time of change and inode of a file, or of all files below a folder."""
    return hashlib.md5(repr(sorted(_stats(place))).encode(), usedforsecurity=False).hexdigest()


def _stats(place: Path) -> Iterator[FileMark]:
    """Yield a tuple of each file; hidden ones, as editors leave them beside what they show, are none."""
    paths = [] if place.is_dir() else [place]  # what a folder's own time tells of are hidden files, too
    for base, folders, names in os.walk(place):
        folders[:] = [name for name in folders if name not in IGNORED]
        paths += [Path(base, name) for name in names if not name.startswith(".")]
    yield from filter(None, map(file_mark, paths))  # one that is gone tells as much
