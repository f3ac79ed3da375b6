"""Where trainings leave their checkpoints until what they make is published.

Belongs here: the file of a checkpoint, found again under the same key alone. Not here: what a checkpoint
holds (ops/models/training/checkpoints.py).
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assets.declare.declaration import Declaration
from orchestration.files.bundle import read_bundle, write_bundle
from orchestration.files.identity import json_digest
from orchestration.workspace.workspace import Workspace


@dataclass(frozen=True)
class StoredCheckpoint:
    """The last checkpoint of one training."""

    path: Path

    def write(self, files: Mapping[str, bytes]) -> None:
        """Replace the last checkpoint by these files. Raises DiskFullError; then the former one stays."""
        write_bundle(self.path, files)

    def read(self) -> Mapping[str, bytes] | None:
        """Return the files of the last checkpoint, None if there is none; a damaged one is set aside."""
        return read_bundle(self.path, "the training begins anew")


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
        folder = _folder(self.workspace, self.item, self.month) / json_digest(self.key)
        return StoredCheckpoint(folder / f"{name}.zip")


def discard(workspace: Workspace, item: Declaration, month: str) -> None:
    """Remove the checkpoints of a partition that is made."""
    shutil.rmtree(_folder(workspace, item, month), ignore_errors=True)


def _folder(workspace: Workspace, item: Declaration, month: str) -> Path:
    return workspace.state_file("checkpoints", item, month, "")
