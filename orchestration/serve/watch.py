"""Keep what `make ui` shows of the present up to date: the state beside the pages, and Data Docs.

Belongs here: noticing that data, sources, params, code, commits or Dagster's runs changed. Not here: what is
written then (orchestration/present.py, checks/docs.py): each time by a process of its own, which reads params
and code anew.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from assets.declare.settings import ParamsError, read_again
from orchestration.files.identity import CODE, FileStamp, file_stamp
from orchestration.workspace.workspace import Workspace

#: Seconds between two looks; the most that pass without writing while changes go on; the most that writing
#: may take. Looking takes a twentieth of the time, however much there is.
_PAUSE, _LONGEST, _LIMIT = 2.0, 60.0, 300.0
_WRITERS = ("live", "docs")

#: The ends of the folders that the writers write, and what Python writes.
_WRITTEN = (f"quality{os.sep}live", f"quality{os.sep}docs")
_COMPILED = "__pycache__"

#: Every event that starts, ends or is told of an asset is in the first; a heartbeat is in none.
#: The second is there, and empty, while anybody reads the first.
_RUNS = (".dagster/event_log.db", ".dagster/event_log.db-wal")


#: A page of the docs is new: the pages of the present link to it.
_INDEX = "index.html"


class Pace:
    """Says when it is time to write: when a change is over, and from time to time while changes go on."""

    def __init__(self) -> None:
        self._written: int | None = None
        self._before: int | None = None
        self._changing: float | None = None

    def due(self, seen: int, now: float) -> bool:
        """Say so of what is seen at a time, in seconds; it then counts as written."""
        settled = self._written is None or seen == self._before
        self._before = seen
        if seen == self._written:
            self._changing = None
            return False
        self._changing = now if self._changing is None else self._changing
        if not settled and now - self._changing < _LONGEST:
            return False
        self._written, self._changing = seen, None
        return True


def watch(workspace: Workspace) -> None:
    """Write at the start and after every change, until this process is ended."""
    pace = Pace()
    while True:
        begun = time.monotonic()
        seen = sum(map(hash, marks(workspace)))  # a number, since there may be a million files
        took = time.monotonic() - begun
        if pace.due(seen, begun):
            for command in _WRITERS:
                run_command(workspace, command)
        time.sleep(max(_PAUSE, 20 * took))


def marks(workspace: Workspace) -> Iterator[FileStamp]:
    """Yield the stamp of every file that the present is told from."""
    root, git = workspace.root, workspace.root / ".git"
    yield from _files(
        [
            workspace.root / "manifests",
            workspace.state / "history",
            *(root / name for name in ("params.yaml", "dvc.lock", "data", *CODE)),
            *watched_sources(workspace, file_stamp(root / "params.yaml")),
            *(git / name for name in ("HEAD", "packed-refs", "refs/heads")),
            workspace.quality / "docs" / _INDEX,
        ]
    )
    yield from (mark for mark in _files(root / name for name in _RUNS) if mark[1])


def _files(places: Iterable[Path]) -> Iterator[FileStamp]:
    """Yield the stamp of each place that is a file, and of every file below one that is a folder.

    Hidden files are none: another process is writing them. What vanishes meanwhile is not there.
    """
    for place in places:
        yield from filter(None, [] if place.is_dir() else [file_stamp(place)])
        for base, folders, names in os.walk(place):
            folders[:] = [name for name in folders if _counts(base, name)]
            chosen = (name for name in names if _counts(base, name) and not name.endswith(".lock"))
            yield from filter(None, (file_stamp(Path(base, name)) for name in chosen))


def _counts(base: str, name: str) -> bool:
    return not name.startswith(".") and name != _COMPILED and not f"{base}{os.sep}{name}".endswith(_WRITTEN)


@lru_cache(maxsize=1)
def watched_sources(workspace: Workspace, _: FileStamp | None) -> tuple[Path, ...]:
    """Return where the sources of params.yaml lie, read anew when that changes."""
    read_again()
    with contextlib.suppress(ParamsError):  # what is wrong with it is what the writers say
        return tuple(workspace.root / path for path in workspace.settings.source_paths)
    return ()


def run_command(workspace: Workspace, command: str) -> None:
    """Run a command of `silverloom` in a process of its own; what it says goes to the log."""
    try:
        subprocess.run(
            [sys.executable, "-m", "orchestration.cli", command],
            cwd=workspace.root,
            timeout=_LIMIT,
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        print(error, file=sys.stderr, flush=True)  # the next change is the next chance
