"""What this process stands on: params, code and raw sources as they were when it began.

Belongs here: noticing that one of them was edited meanwhile. DVC records what is on disk at the end of the
work; the work was done on what was there at its beginning. Not here: what is stale (freshness.py).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from orchestration.files.identity import IGNORED, file_md5, file_stamp, folder_hashes, json_digest, version
from orchestration.workspace.workspace import Workspace

#: All that a dataset's code hash is made of.
CODE = ("assets", "models.txt", "ops", "orchestration/files/parquet.py", "requirements.lock")
_NAMES = ("params.yaml", *CODE)


class MovedError(RuntimeError):
    """Something was edited while the work was under way; the text names it."""


def input_snapshot(workspace: Workspace) -> dict[str, str]:
    """Return what tells whether params, code or sources changed since it was first asked for."""
    return {**code_marks(workspace), **_sources(workspace)}


@cache
def code_marks(workspace: Workspace) -> dict[str, str]:
    """Return what tells whether params or code were written to, as first asked for in this process.

    That is when this package is imported, before params are read and assets declared. They tell of an edit
    that was undone, too: workers that began in between ran what was edited.
    """
    return _marks(workspace)


def check_code(workspace: Workspace, former: Mapping[str, str]) -> None:
    """Raise MovedError where params or code were written to since `former`, what `code_marks` gave."""
    _check(former, _marks(workspace), "what was finished before is kept: run again")


def check(workspace: Workspace) -> None:
    """Raise MovedError where something is not as it was at the first call of `input_snapshot`."""
    today = {**_marks(workspace), **_sources.__wrapped__(workspace)}
    _check(input_snapshot(workspace), today, "what was made is kept, dvc.lock is not: run again")


def _check(former: Mapping[str, str], today: Mapping[str, str], then: str) -> None:
    if moved := sorted(name for name in {*former, *today} if today.get(name) != former.get(name)):
        raise MovedError(f"{', '.join(moved)} changed while this ran; {then}")


@cache
def _sources(workspace: Workspace) -> dict[str, str]:
    """Return the versions of raw sources, whose bytes DVC records."""
    paths = workspace.settings.source_paths
    return {path: version_of(place) for path in paths if (place := workspace.root / path).exists()}


def version_of(place: Path) -> str:
    """Return the version of a file or folder, or why it cannot be read."""
    try:
        return version(folder_hashes(place)) if place.is_dir() else file_md5(place)
    except PermissionError as error:  # of a source: it is a reject there, and DVC's commit is refused
        return str(error)


def _marks(workspace: Workspace) -> dict[str, str]:
    """Return a hash of the marks of each file, or of all files below each folder, of params and code.

    Hidden files, as editors leave them beside what they show, are none. A folder's own mark tells of them,
    too, so it is left out.
    """
    marks = {}
    for name in _NAMES:
        place = workspace.root / name
        paths = [] if place.is_dir() else [place]
        for base, folders, names in os.walk(place):
            folders[:] = [name for name in folders if name not in IGNORED]
            paths += [Path(base, name) for name in names if not name.startswith(".")]
        found = sorted(filter(None, map(file_stamp, paths)))  # one that is gone tells as much
        marks[name] = json_digest(found)
    return marks
