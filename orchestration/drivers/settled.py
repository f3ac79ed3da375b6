"""Whether everything is as the last run left it: then there is nothing to commit, and nobody to tell.

Belongs here: a digest of all that the end of a run reads and writes. Not here: that end itself (run.py).

Datasets and what they are made of count by their bytes. What is made of them, and DVC's cache, count by size,
time and inode: where these alone differ, a run does at its end what it would have done anyway.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from pydantic import TypeAdapter

from orchestration.files.checksummed import dump, read
from orchestration.files.identity import file_stamp, folder_files, folder_hashes, json_digest, version
from orchestration.files.page_paths import SO_FAR
from orchestration.files.publish import write_file
from orchestration.state.addresses import Addresses
from orchestration.state.dvc_cache import cached
from orchestration.state.freshness import View
from orchestration.state.input_snapshot import input_snapshot
from orchestration.versions.revisions import head
from orchestration.workspace.workspace import Workspace

#: What the end of a run reads and writes, besides datasets and DVC's cache.
_AROUND = {
    "": ("code.json", "dvc.lock", "dvc.yaml", "metrics", ".dvcignore", ".silverloom/validations"),
    ".dvc": ("config", "config.local"),
    ".silverloom": ("dvc.lock", "history", "locks", "measured", "records"),
    ".dagster": (".opening", "dagster.yaml", "event_log.db", "event_log.db-wal", "history", "schedules"),
    "data/quality": ("docs", "live", SO_FAR),
}
_KIND = TypeAdapter(dict[str, str])

#: The MD5 of every file of every dataset.
_Hashes: TypeAlias = dict[str, dict[str, str]]


def settled(workspace: Workspace) -> bool:
    """Say whether everything is as it was when that was remembered."""
    known = read(_note(workspace), _KIND, "what is finished is committed again")
    return known is not None and known == _digests(workspace)


def remember(workspace: Workspace, committed: str) -> None:
    """Remember how everything is, after the datasets that were `committed` were told of.

    Not where they are others by now: another process makes some, and may not come to commit them.
    """
    from orchestration.dagster.instance import close_stores

    close_stores()  # which writes to them
    found = _digests(workspace)
    if found["datasets"] == committed:
        write_file(_note(workspace), dump(found))


def datasets_now(workspace: Workspace) -> str:
    """Return a digest of what datasets are made of, of their bytes, and of which partitions are fresh."""
    return _datasets(workspace, _hashes(workspace))


def _note(workspace: Workspace) -> Path:
    return workspace.state / "settled.json"


def _hashes(workspace: Workspace) -> _Hashes:
    return {name: folder_hashes(workspace.folder(item)) for name, item in workspace.datasets.items()}


def _digests(workspace: Workspace) -> dict[str, str]:
    hashes = _hashes(workspace)
    return {"datasets": _datasets(workspace, hashes), "around": _around(workspace, hashes)}


def _datasets(workspace: Workspace, hashes: _Hashes) -> str:
    view = View(workspace)
    fresh = [
        view.status(item, month).fresh for item in workspace.datasets.values() for month in item.made_months
    ]
    return json_digest([input_snapshot(workspace), fresh, hashes])


def _around(workspace: Workspace, hashes: _Hashes) -> str:
    """Return a digest of what is told of the datasets, and where."""
    paths: list[Path] = []
    for place in (workspace.root / folder / name for folder, names in _AROUND.items() for name in names):
        paths += folder_files(place).values() if place.is_dir() else [place]
    for files in hashes.values():
        paths += [cached(workspace, md5) for md5 in (*files.values(), version(files))]
    marks = [file_stamp(path) for path in paths if not path.name.endswith("-shm")]
    return json_digest([head(workspace), Addresses(workspace).base_port(), marks])
