"""Keeps what `make ui` shows up to date: the live state of the pages, and Data Docs.

Belongs here: noticing changes of data, sources, params, code, commits and Dagster's runs. Not here: what is
written then (orchestration/present.py, checks/docs.py). A new process writes each time, so that it reads the
current params and code.
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

from assets.declare.settings import ParamsError, checkout, read_again
from orchestration.files.identity import REPORT_CODE, FileStamp, file_stamp
from orchestration.workspace.workspace import Workspace

#: Seconds: the pause between two scans, the longest delay of a write while changes continue, and the time
#: limit of a write. Scanning takes at most a twentieth of the time, however many files there are.
_PAUSE, _LONGEST, _LIMIT = 2.0, 60.0, 300.0
_WRITERS = ("live", "docs")

#: Path endings of the folders that the writers themselves write, and Python's cache folder.
_WRITTEN = (f"quality{os.sep}live", f"quality{os.sep}docs")
_COMPILED = "__pycache__"

#: The first gets every event about a run or an asset, but no heartbeats. The second exists, and is empty,
#: while a process reads the first.
_RUNS = (".dagster/event_log.db", ".dagster/event_log.db-wal")


#: Watched because the live pages link to Data Docs once they exist.
_INDEX = "index.html"


class Pace:
    """Decides when to write: once changes stop, and at intervals while they continue."""

    def __init__(self) -> None:
        self._written: int | None = None
        self._before: int | None = None
        self._changing: float | None = None

    def due(self, seen: int, now: float) -> bool:
        """Return whether to write, given a digest of the files at time `now`. If so, it counts as written."""
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
        seen = sum(map(hash, marks(workspace)))  # one number, because there may be a million files
        took = time.monotonic() - begun
        if pace.due(seen, begun):
            for command in _WRITERS:
                run_command(workspace, command)
        time.sleep(max(_PAUSE, 20 * took))


def marks(workspace: Workspace) -> Iterator[FileStamp]:
    """Yield the stamp of every file that the live state depends on."""
    root, git = workspace.root, workspace.root / ".git"
    yield from _files(
        [
            workspace.root / "manifests",
            workspace.state / "history",
            *(root / name for name in ("params.yaml", "dvc.lock", "data")),
            *(checkout() / name for name in REPORT_CODE),
            *watched_sources(workspace, file_stamp(root / "params.yaml")),
            *(git / name for name in ("HEAD", "packed-refs", "refs/heads")),
            workspace.quality / "docs" / _INDEX,
        ]
    )
    yield from (mark for mark in _files(root / name for name in _RUNS) if mark[1])


def _files(places: Iterable[Path]) -> Iterator[FileStamp]:
    """Yield the stamp of each place that is a file, and of every file below each place that is a folder.

    Hidden files are skipped, because they are still being written. Files that vanish during the scan are
    skipped.
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
    """Return the source folders in params.yaml, read again when that file changes."""
    read_again()
    with contextlib.suppress(ParamsError):  # the writers report what is wrong with it
        return tuple(workspace.root / path for path in workspace.settings.source_paths)
    return ()


def run_command(workspace: Workspace, command: str) -> None:
    """Run a `silverloom` command in its own process; its output goes to the log."""
    try:
        subprocess.run(
            [sys.executable, "-m", "orchestration.cli", command],
            cwd=workspace.root,
            timeout=_LIMIT,
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        print(error, file=sys.stderr, flush=True)  # the next change triggers another try
