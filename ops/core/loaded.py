"""Models and scorers that tasks share and that each process loads once.

Belongs here: passing a lazily loaded model to an op's tasks, keeping it for later steps and partitions.
Not here: loading (ops/models, the systems), mapping (parts.py).
"""

from __future__ import annotations

import hashlib
import io
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from ops.core.parts import Part, Parts

Model = TypeVar("Model")

#: How many models a process keeps; no op uses more of them at once.
KEPT = 2

#: This process's latest models, newest last, by loader and arguments.
kept_models: OrderedDict[tuple[Callable[..., Any], bytes], Any] = OrderedDict()


@dataclass(frozen=True)
class Loaded(Generic[Model]):
    """A lazily loaded model: the first task of a process that uses it loads it, and later tasks reuse it.

    Later steps and partitions reuse it too, if the loader and its arguments are the same. Arguments must be
    picklable. They are compared by value; artifacts, parts and paths by the contents of their files.
    """

    load: Callable[..., Model]
    arguments: tuple[Any, ...]

    @cached_property
    def model(self) -> Model:
        """The model."""
        key = self._key()
        if key in kept_models:
            kept_models.move_to_end(key)
            return kept_models[key]  # type: ignore[no-any-return]
        while len(kept_models) >= KEPT:
            kept_models.popitem(last=False)
        model = self.load(*self.arguments)
        if self._key() == key:  # otherwise files changed, and the model may have been loaded from either
            kept_models[key] = model
        return model

    def _key(self) -> tuple[Callable[..., Model], bytes]:
        content = io.BytesIO()
        _ContentPickler(content).dump(self.arguments)
        return self.load, content.getvalue()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the loader and its arguments, without the loaded model."""
        return Loaded, (self.load, self.arguments)


class _ContentPickler(pickle.Pickler):
    """Pickles parts and paths as the digests of their files, wherever these are."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Parts):
            return tuple, ((value.schema, value.parts),)
        if isinstance(value, Part | Path):
            return tuple, (_digests(Path(value.path if isinstance(value, Part) else value)),)
        return NotImplemented


def _digests(path: Path) -> tuple[tuple[str, bytes], ...]:
    """Return the digest of a file, or of each file below a folder, by relative path."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return tuple((file.relative_to(path).as_posix(), _digest(file)) for file in files)


def _digest(file: Path) -> bytes:
    """Return the digest of a file. It is only kept if the file has been unchanged for over a second."""
    found = file.stat()
    if time.time_ns() - found.st_ctime_ns < 1_000_000_000:  # another change may leave its times as they are
        return _sha256(file)
    return _sha256_of_stamp(file, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


@lru_cache(maxsize=4096)
def _sha256_of_stamp(file: Path, *stamp: int) -> bytes:
    return _sha256(file)


def _sha256(file: Path) -> bytes:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").digest()
