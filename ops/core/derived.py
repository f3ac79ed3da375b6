"""What a step derives from its inputs for all partitions: an index, say.

Belongs here: how a step asks for such a folder. Not here: where they lie, and how long (orchestration).

Such a folder is no dataset. It is made from its inputs wherever it is missing, its bytes may differ from one
time to the next, and it is neither hashed nor sent anywhere. What is read from it may not differ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class DerivedFolder(Protocol):
    """Where a dataset keeps what it derives from some of its inputs."""

    def made(self, of: Collection[str], write: Callable[[Path], object]) -> Path:
        """Return the folder that `write` makes of the inputs that the arguments `of` name.

        It is made if it is not there, and again when one of these inputs changes, or the dataset's code.
        `write` gets a path that does not exist yet.
        """
        ...


@dataclass(frozen=True)
class NewFolder:
    """One that is made at each call, for who has no store."""

    path: Path

    def made(self, of: Collection[str], write: Callable[[Path], object]) -> Path:
        """Write the folder and return it."""
        write(self.path)
        return self.path
