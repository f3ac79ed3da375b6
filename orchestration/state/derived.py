"""Folders derived from inputs or sources, kept from one partition to the next.

Belongs here: the version that identifies such a folder, making one once, and how long it is kept. Not here:
its contents (ops). These folders are in .silverloom because their bytes differ each time, while a dataset's
folder is hashed whole. A new clone makes them again.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from silverloom.assets.declare.declaration import Dataset
from silverloom.ops.core.params import Params
from silverloom.orchestration.files.identity import json_digest
from silverloom.orchestration.files.publish import lock_file
from silverloom.orchestration.workspace.workspace import Workspace

#: Its files' sizes, written last. A folder that lacks this file, or does not match it, is made again.
_SIZES = "sizes.json"
#: How many versions to keep: another process may still read the last but one.
_KEPT = 2


@dataclass(frozen=True)
class StoredDerived:
    """The derived folders of one dataset, for a partition with a given key."""

    workspace: Workspace
    dataset: Dataset
    key: Mapping[str, Any]

    def made(
        self, of: Collection[str], write: Callable[[Path], object], params: Params | None = None
    ) -> Path:
        """Return the folder derived from some inputs and params. Only one process at a time makes it."""
        folder = self.workspace.state_file("derived", self.dataset, "")
        return made_once(folder / self._version(of, params), write)

    def _version(self, of: Collection[str], params: Params | None) -> str:
        datasets = {source.argument: source.key.to_user_string() for source in self.dataset.argument_inputs}
        inputs = {argument: self.key["inputs"][datasets[argument]] for argument in of}
        code = {name: mark for name, mark in self.key["code"].items() if name != "expectations"}
        values = {} if params is None else params.model_dump(mode="json")
        return json_digest({"inputs": inputs, "code": code, "params": values})


def made_once(
    folder: Path, write: Callable[[Path], object], whole: Callable[[Path], bool] = lambda _: True
) -> Path:
    """Return a folder, named after its version, writing it if needed. Old versions next to it are removed.

    It is written again if a file is missing or has another size, or if `whole` returns False.
    """
    with contextlib.closing(lock_file(folder.parent / "derived.lock", wait=True)):
        if _whole(folder) and whole(folder):
            os.utime(folder)
            return folder
        new = folder.with_suffix(".building")
        for stale in (new, folder):
            shutil.rmtree(stale, ignore_errors=True)
        try:
            write(new)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
        (new / _SIZES).write_text(json.dumps(_sizes(new)))
        new.rename(folder)
        _discard_old(folder)
        return folder


def _sizes(folder: Path) -> dict[str, int]:
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != _SIZES
    }


def _whole(folder: Path) -> bool:
    try:
        return bool(json.loads((folder / _SIZES).read_text()) == _sizes(folder))
    except (OSError, ValueError):
        return False


def _discard_old(newest: Path) -> None:
    folders = [path for path in newest.parent.iterdir() if path.is_dir() and path != newest]
    for old in sorted(folders, key=lambda path: path.stat().st_mtime)[: max(0, len(folders) - _KEPT + 1)]:
        shutil.rmtree(old, ignore_errors=True)
