"""Values that name files of this machine, made ready for a machine that does not have them.

Belongs here: finding the parts and folders that a value names, and giving it others elsewhere, where they are
files again. Not here: how values and bytes get there (ray.py), where the files lie there (node.py).
"""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ops.core.parts import Artifact, Part, Parts

#: A file travels in pieces of so many bytes, so that no machine holds a large one in memory.
CHUNK = 64 << 20


@dataclass(frozen=True)
class ShippedFolder:
    """A folder that travels with all that is in it."""

    path: Path


@dataclass(frozen=True)
class Handle:
    """A function of the cluster itself; in a task it becomes `there(inner)`."""

    inner: Any
    there: Callable[[Any], Callable[..., Any]]

    def __call__(self, *arguments: Any) -> Any:
        """Call what it becomes in a task."""
        return self.there(self.inner)(*arguments)


@dataclass(frozen=True)
class ShippedFile:
    """A file on its way: its path below a folder of the other machine, and what stands for its bytes."""

    name: str
    chunks: Sequence[Any]


@dataclass(frozen=True)
class Shipment:
    """A value without its files, and these."""

    value: Any
    files: Sequence[ShippedFile]
    size: int
    """Bytes of the texts and byte strings of the value."""


@dataclass(frozen=True)
class _Place:
    """Stands for a part, an artifact or a folder: its path below a folder that is not known yet."""

    kind: type[Part] | type[Artifact] | type[ShippedFolder]
    name: str
    rows: Any = None


def packed(value: object, put: Callable[[bytes], Any]) -> Shipment:
    """Return a value ready to travel; `put` takes some bytes of a file, and returns what stands for them.

    Parts, artifacts, folders and handles are found in tuples, lists, dictionaries and dataclasses.
    """
    packer = _Packer(put)
    stripped = _swapped(value, packer.strip)
    return Shipment(stripped, packer.files, packer.size)


def unpacked(shipment: Shipment, folder: Path, fetch: Callable[[Any], bytes]) -> Any:
    """Return a value that has arrived; its files are written below `folder`, those that are not there yet."""
    for file in shipment.files:
        write_once(folder / file.name, map(fetch, file.chunks))

    def restored(value: Any) -> Any:
        if isinstance(value, Handle):
            return value.there(value.inner)
        if not isinstance(value, _Place):
            return None
        path = folder / value.name
        if value.kind is Part:
            return Part(str(path))
        path.mkdir(parents=True, exist_ok=True)  # it may be empty
        return (
            ShippedFolder(path)
            if value.kind is ShippedFolder
            else Artifact(_swapped(value.rows, restored), path)
        )

    return _swapped(shipment.value, restored)


class _Packer:
    """Ships each file once, and knows where it will lie."""

    def __init__(self, put: Callable[[bytes], Any]) -> None:
        self.files: list[ShippedFile] = []
        self.size = 0
        self._put = put
        self._names: dict[Path, str] = {}

    def strip(self, value: Any) -> Any:
        if isinstance(value, str | bytes):
            self.size += len(value)
        if isinstance(value, Part):
            return _Place(Part, self._file(Path(value.path)))
        if isinstance(value, Artifact):
            return _Place(Artifact, self._folder(value.folder), _swapped(value.rows, self.strip))
        if isinstance(value, ShippedFolder):
            return _Place(ShippedFolder, self._folder(value.path))
        return value if isinstance(value, Handle) else None

    def _file(self, path: Path) -> str:
        if path not in self._names:
            self._names[path] = f"{len(self._names)}/{path.name}"
            self._ship(path, self._names[path])
        return self._names[path]

    def _folder(self, folder: Path) -> str:
        if folder not in self._names:
            self._names[folder] = base = str(len(self._names))
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                self._ship(path, f"{base}/{path.relative_to(folder).as_posix()}")
        return self._names[folder]

    def _ship(self, path: Path, name: str) -> None:
        with path.open("rb") as file:
            chunks = [self._put(chunk) for chunk in iter(lambda: file.read(CHUNK), b"")]
        self.files.append(ShippedFile(name, chunks))


def _swapped(value: Any, swap: Callable[[Any], Any]) -> Any:
    """Return a value with what `swap` returns, unless that is None, for it or for what is in it.

    What has nothing to swap stays the same object. An engine of parts is left alone.
    """
    if (other := swap(value)) is not None:
        return other
    if isinstance(value, Parts):
        return replace(value, parts=_swapped(value.parts, swap))
    if isinstance(value, list | tuple):
        items = [_swapped(item, swap) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        found = {name: _swapped(item, swap) for name, item in value.items()}
        return value if all(found[name] is value[name] for name in value) else found
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        before = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        after = _swapped(before, swap)
        if after is before:
            return value
        clone = copy.copy(value)
        for name, item in after.items():
            object.__setattr__(clone, name, item)  # it may be frozen
        return clone
    return value


def write_once(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file whole, unless another process of this machine did."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("wb") as file:
        file.writelines(chunks)
    temporary.replace(path)


def loadable(error: Exception) -> Exception:
    """Return an error that another process can make anew: itself, or one that says the same."""
    try:
        copy.deepcopy(error)
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
