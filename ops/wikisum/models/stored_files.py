"""Files of trained models on disk, until they are written beside the rows.

Belongs here: files by name as `Outcome.files` has them, read as they are asked for. Not here: what they are
(summarizer_training.py).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path


class StoredFiles(Mapping[str, bytes]):
    """Files by their paths; none of them is in memory, and all go with this object."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="models-")
        self._paths: dict[str, Path] = {}

    def add(self, files: Mapping[str, bytes]) -> None:
        """Write files; raises ValueError for one that is there."""
        for name, content in files.items():
            if name in self._paths:
                raise ValueError(f"the file {name} is there twice")
            path = Path(self._folder.name) / str(len(self._paths))
            path.write_bytes(content)
            self._paths[name] = path

    def __getitem__(self, name: str) -> bytes:
        return self._paths[name].read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)
