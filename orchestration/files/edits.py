"""Edits of params, code and sources while this process works.

Belongs here: stamps of params and code as of this process's start, versions of the sources as of its first
look, and comparing both with today's. DVC records what is on disk at the end of the work, but the work used
what was there at the beginning. Not here: inputs that are replaced (state/freshness.py).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeAlias

from silverloom.assets.declare.project import CODE, checkout
from silverloom.orchestration.files.identity import (
    IGNORED,
    file_md5,
    file_stamp,
    folder_hashes,
    json_digest,
    version,
)
from silverloom.orchestration.workspace.workspace import Workspace

_PARAMS, _PAGES = "params.yaml", "pages"
#: A digest of each place, by name.
Digests: TypeAlias = tuple[tuple[str, str], ...]


class MovedError(RuntimeError):
    """Something was edited during the work; the text names it."""


@cache
def code_stamp(workspace: Workspace) -> Digests:
    """Return the stamp of params and code as of the first call in this process.

    That is when the process is prepared (process.py), before params are read and assets declared. The stamp
    also reveals edits that were undone: workers that started in between ran the edited code.
    """
    return tuple((name, _stamp(workspace, name)) for name in (_PARAMS, *CODE))


@cache
def source_versions(workspace: Workspace) -> Digests:
    """Return the versions of raw sources, whose bytes DVC records, as of the first call."""
    places = {path: workspace.root / path for path in workspace.settings.source_paths}
    return tuple((path, version_of(place)) for path, place in places.items() if place.exists())


def check_code(workspace: Workspace, report: bool = False, former: Digests | None = None) -> None:
    """Raise MovedError if params or code were written to since this process started.

    The code of pages counts for a report only. Another process may give its own `former` stamp.
    """
    stamp, today = dict(former or code_stamp(workspace)), dict(code_stamp.__wrapped__(workspace))
    if not report:
        stamp[_PAGES] = today[_PAGES]
    _compare(stamp, today, "what was finished before is kept: run again")


def check_imported(workspace: Workspace, former: Digests) -> None:
    """Raise like `check_code`, unless this process has imported nothing since it last compared the two.

    A process runs what it has imported, so the last comparison still holds.
    """
    _check_once(workspace, former, len(sys.modules))


@lru_cache(maxsize=1)
def _check_once(workspace: Workspace, former: Digests, _modules: int) -> None:
    check_code(workspace, former=former)


def check_unmoved(workspace: Workspace) -> None:
    """Raise MovedError if params, code or sources differ from the first look of this process."""
    former = dict(code_stamp(workspace) + source_versions(workspace))
    today = dict(code_stamp.__wrapped__(workspace) + source_versions.__wrapped__(workspace))
    _compare(former, today, "what was made is kept but not in dvc.lock: run again")


def _compare(former: Mapping[str, str], today: Mapping[str, str], then: str) -> None:
    if moved := sorted(name for name in {*former, *today} if today.get(name) != former.get(name)):
        raise MovedError(f"{', '.join(moved)} changed while this ran; {then}")


def version_of(place: Path) -> str:
    """Return the version of a file or folder, or why it cannot be read."""
    try:
        return version(folder_hashes(place)) if place.is_dir() else file_md5(place)
    except PermissionError as error:  # an unreadable source is rejected there, and DVC's commit fails
        return str(error)


def _stamp(workspace: Workspace, name: str) -> str:
    """Return a digest of the stamps of params.yaml, or of a file or all files below a folder of code.

    Hidden files, which editors create while a file is open, do not count. They would change a folder's own
    stamp, so folders do not count either.
    """
    place = workspace.root / name if name == _PARAMS else checkout() / name
    paths = [] if place.is_dir() else [place]
    for base, folders, names in os.walk(place):
        folders[:] = [folder for folder in folders if folder not in IGNORED]
        paths += [Path(base, file) for file in names if not file.startswith(".")]
    return json_digest(sorted(filter(None, map(file_stamp, paths))))  # a vanished file changes the digest too
