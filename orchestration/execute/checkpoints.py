"""Where trainings leave their checkpoints until what they make is published.

Belongs here: the folder of a partition's checkpoints, written whole, found again under the same key alone.
Not here: what a checkpoint holds (ops/models/training/checkpoints.py).
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assets.declare.declaration import Declaration
from orchestration.files.checksummed import dump, load
from orchestration.files.damage import DamagedError, read_state, set_aside
from orchestration.files.identity import json_digest
from orchestration.files.publish import building, recover, write_files
from orchestration.workspace.workspace import Workspace

#: The list of a checkpoint's files, with their MD5s.
_LIST = "files.json"


@dataclass(frozen=True)
class StoredCheckpoint:
    """The last checkpoint of one training: a folder that is replaced whole."""

    folder: Path
    staging: Path
    """Where it is written before it takes its place."""

    def write(self, files: Mapping[str, bytes]) -> None:
        """Replace the last checkpoint by these files. Raises DiskFullError; then the former one stays."""
        hashes = {name: _md5(content) for name, content in files.items()}
        listed = dump({"of": self._place, "files": hashes})
        with building(self.staging, self.folder) as new:
            write_files(new, [*files.items(), (_LIST, listed)])

    def read(self) -> Mapping[str, bytes] | None:
        """Return the files of the last checkpoint, None if there is none; a damaged one is set aside."""
        recover(self.staging)
        if not os.path.lexists(self.folder):
            return None
        try:
            return self._files()
        except DamagedError as error:
            set_aside(self.folder, error, "the training begins anew")
            return None

    def _files(self) -> dict[str, bytes]:
        """Return the files that were written, whatever else lies beside them. Raises DamagedError."""
        listed, checked = load(read_state(self.folder / _LIST) or b"")
        if not checked or listed.get("of") != self._place:
            raise DamagedError(f"{_LIST} is of another training")
        files = {name: read_state(self.folder / name) for name in listed["files"]}
        for name, content in files.items():
            if content is None or _md5(content) != listed["files"][name]:
                raise DamagedError(f"{name} is not as it was written")
        return {name: content for name, content in files.items() if content is not None}

    @property
    def _place(self) -> list[str]:
        """The digest of the key, and the name of the training: a copy elsewhere is no checkpoint."""
        return [self.folder.parent.name, self.folder.name]


@dataclass(frozen=True)
class StoredCheckpoints:
    """The checkpoints of all trainings of one partition, made under one key: other params begin anew.

    Those under other keys stay until the partition is made, should its params be set back.
    """

    workspace: Workspace
    item: Declaration
    month: str
    key: Mapping[str, Any]

    def at(self, name: str) -> StoredCheckpoint:
        """Return where one of the trainings leaves its checkpoint."""
        folder = _folder(self.workspace, self.item, self.month) / json_digest(self.key) / name
        return StoredCheckpoint(folder, self.workspace.state / ".building")


def discard(workspace: Workspace, item: Declaration, month: str) -> None:
    """Remove the checkpoints of a partition that is made."""
    shutil.rmtree(_folder(workspace, item, month), ignore_errors=True)


def _folder(workspace: Workspace, item: Declaration, month: str) -> Path:
    return workspace.state_file("checkpoints", item, month, "")


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()
