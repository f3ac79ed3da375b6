"""Where trainings leave their checkpoints until what they make is published.

Belongs here: the folder of a partition's checkpoints, written whole, found again under the same key alone.
Not here: what a checkpoint holds (ops/models/training/checkpoints.py).
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assets.declaration import Declaration
from orchestration.graph import STATE
from orchestration.store.identity import folder_files, key_digest
from orchestration.store.publish import building, recover, write_files

_WORKSHOP = STATE / ".building"


@dataclass(frozen=True)
class StoredCheckpoint:
    """The last checkpoint of one training: a folder that is replaced whole."""

    folder: Path

    def write(self, files: Mapping[str, bytes]) -> None:
        """Replace the last checkpoint by these files. Raises DiskFullError; then the former one stays."""
        with building(_WORKSHOP, self.folder) as new:
            write_files(new, files.items())

    def read(self) -> Mapping[str, bytes] | None:
        """Return the files of the last checkpoint, None if there is none."""
        recover(_WORKSHOP)
        return {name: path.read_bytes() for name, path in folder_files(self.folder).items()} or None


@dataclass(frozen=True)
class StoredCheckpoints:
    """The checkpoints of all trainings of one partition, made under one key: other params begin anew.

    Those under other keys stay until the partition is made, should its params be set back.
    """

    item: Declaration
    month: str
    key: Mapping[str, Any]

    def at(self, name: str) -> StoredCheckpoint:
        """Return where one of the trainings leaves its checkpoint."""
        return StoredCheckpoint(_folder(self.item, self.month) / key_digest(self.key) / name)


def discard(item: Declaration, month: str) -> None:
    """Remove the checkpoints of a partition that is made."""
    shutil.rmtree(_folder(item, month), ignore_errors=True)


def _folder(item: Declaration, month: str) -> Path:
    return STATE.joinpath("checkpoints", *item.key.path, month or "all")
