"""Whether everything is as the last run left it: then there is nothing to commit, and nobody to tell.

Belongs here: a digest of all that the end of a run reads and writes. Not here: that end itself (run.py).

Datasets, what they are made of and what DVC compares count by their bytes. What only describes (histories,
the stores of Dagster and MLflow, pages of the present) and DVC's cache count by size, time and inode.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import TypeAdapter

from orchestration.files.checksummed import dump, read
from orchestration.files.identity import file_mark, file_md5, folder_files, folder_hashes, version
from orchestration.files.publish import write_file
from orchestration.state.addresses import Addresses
from orchestration.state.dvc_cache import cached
from orchestration.state.freshness import View
from orchestration.state.input_snapshot import input_snapshot
from orchestration.versions.revisions import head
from orchestration.workspace.workspace import Workspace

#: Compared by their bytes.
_CONTENT = ("code.json", "dvc.lock", "dvc.yaml", "metrics", ".dvc/config", ".dvc/config.local", ".dvcignore")
#: Compared by size, time and inode.
_STATE = (
    ".silverloom/dvc.lock",
    *(f".silverloom/{name}" for name in ("history", "locks", "measured", "records", "validations")),
    ".silverloom/mlflow.db",
    ".silverloom/mlflow.db-wal",
    ".dagster/.opening",
    ".dagster/dagster.yaml",
    ".dagster/event_log.db",
    ".dagster/event_log.db-wal",
    ".dagster/history",
    ".dagster/schedules",
    "data/quality/docs",
    "data/quality/live",
)
_KIND = TypeAdapter(dict[str, str])


def settled(workspace: Workspace) -> bool:
    """Say whether everything is as it was when that was remembered."""
    known = read(_note(workspace), _KIND, "what is finished is committed again")
    return known is not None and known == {
        "datasets": datasets_now(workspace),
        "around": _around(workspace),
    }


def remember(workspace: Workspace, committed: str) -> None:
    """Remember how everything is, after the datasets that were `committed` were told of.

    Not where they are others by now: another process makes some, and may not come to commit them.
    """
    from orchestration.dagster.instance import instance

    instance().dispose()  # its stores are written to as they are closed
    if datasets_now(workspace) == committed:
        write_file(_note(workspace), dump({"datasets": committed, "around": _around(workspace)}))


def datasets_now(workspace: Workspace) -> str:
    """Return a digest of what datasets are made of, of their bytes, and of which partitions are fresh."""
    view = View(workspace)
    found = {
        item.name: (
            [view.status(item, month).fresh for month in item.made_months],
            folder_hashes(workspace.folder(item)),
        )
        for item in workspace.datasets.values()
    }
    return _digest([input_snapshot(workspace), found])


def _note(workspace: Workspace) -> Path:
    return workspace.state / "settled.json"


def _around(workspace: Workspace) -> str:
    """Return a digest of what is told of the datasets, and where."""
    made = [folder_hashes(workspace.folder(item)) for item in workspace.datasets.values()]
    in_cache = sorted({md5 for hashes in made for md5 in (*hashes.values(), version(hashes))})
    content = [
        (str(path), file_md5(path) if path.is_file() else "no file") for path in _files(workspace, _CONTENT)
    ]
    state = [file_mark(path) for path in _files(workspace, _STATE)]
    cache = [file_mark(cached(workspace, md5)) for md5 in in_cache]
    return _digest([head(workspace), Addresses(workspace).base_port(), content, state, cache])


def _digest(content: object) -> str:
    return hashlib.md5(json.dumps(content).encode(), usedforsecurity=False).hexdigest()


def _files(workspace: Workspace, names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        if (workspace.root / name).is_dir():
            files = folder_files(workspace.root / name).values()
            yield from (path for path in files if not path.name.endswith("-shm"))
        elif os.path.lexists(workspace.root / name):
            yield workspace.root / name
