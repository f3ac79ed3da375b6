"""Folders that a step derives from its inputs for all partitions, such as an index.

Belongs here: how a step asks for such a folder. Not here: where folders are stored, and for how long
(orchestration).

A derived folder is not a dataset. It is built from its inputs whenever it is missing, and it is neither
hashed nor published. Its bytes may differ between builds, but what is read from it may not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from silverloom.ops.core.params import Params


class DerivedFolder(Protocol):
    """Stores what a dataset derives from some of its inputs."""

    def made(
        self, of: Collection[str], write: Callable[[Path], object], params: Params | None = None
    ) -> Path:
        """Return the folder that `write` builds from the inputs with the argument names `of`, and `params`.

        It is built if it does not exist, and rebuilt when one of these inputs, the params or the dataset's
        code changes. `write` gets a path that does not exist yet.
        """
        ...


@dataclass(frozen=True)
class NewFolder:
    """Builds the folder on every call, for callers without a store."""

    path: Path

    def made(
        self, of: Collection[str], write: Callable[[Path], object], params: Params | None = None
    ) -> Path:
        """Write the folder and return it."""
        write(self.path)
        return self.path
