"""Packing values that refer to files of this machine for machines that do not have these files.

Belongs here: finding the parts and folders in a value, and replacing them elsewhere, where they are files
again. Not here: how values and bytes travel (ray.py), where files go on a worker's machine (node.py).
"""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from silverloom.ops.core.parts import Artifact, Part, Parts

#: Files travel in chunks of this many bytes, so that no machine holds a large one in memory.
CHUNK = 64 << 20


@dataclass(frozen=True)
class ShippedFolder:
    """A folder that is sent with its content."""

    path: Path


@dataclass(frozen=True)
class Handle:
    """A function that depends on the cluster; in a task it becomes `there(inner)`."""

    inner: Any
    there: Callable[[Any], Callable[..., Any]]

    def __call__(self, *arguments: Any) -> Any:
        """Call the function as a task would."""
        return self.there(self.inner)(*arguments)


@dataclass(frozen=True)
class ShippedFile:
    """A file being sent: its path below a folder of the other machine, and references to its bytes."""

    name: str
    chunks: Sequence[Any]


@dataclass(frozen=True)
class Shipment:
    """A value without its files, and the files."""

    value: Any
    files: Sequence[ShippedFile]
    size: int
    """Total length of the strings and bytes in the value."""


@dataclass(frozen=True)
class _Place:
    """Placeholder for a part, artifact or folder: its path below a folder that is not known yet."""

    kind: type[Part] | type[Artifact] | type[ShippedFolder]
    name: str
    rows: Any = None


def packed(value: object, put: Callable[[bytes], Any]) -> Shipment:
    """Return a value ready to be sent. `put` takes some bytes of a file, and returns a reference to them.

    It finds parts, artifacts, folders and handles in tuples, lists, dicts and dataclasses.
    """
    packer = _Packer(put)
    stripped = _swapped(value, packer.strip)
    return Shipment(stripped, packer.files, packer.size)


def unpacked(shipment: Shipment, folder: Path, fetch: Callable[[Any], bytes]) -> Any:
    """Return a value that has arrived. Its files are written below `folder` unless they already exist."""
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
        path.mkdir(parents=True, exist_ok=True)  # an empty folder has no files to create it
        return (
            ShippedFolder(path)
            if value.kind is ShippedFolder
            else Artifact(_swapped(value.rows, restored), path)
        )

    return _swapped(shipment.value, restored)


class _Packer:
    """Sends each file once, and remembers its path on the other machine."""

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
    """Return a value in which each item for which `swap` returns something is replaced by that.

    If nothing is replaced, this returns the same object. It does not look into engines.
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
        entries = {name: _swapped(item, swap) for name, item in value.items()}
        return value if all(entries[name] is value[name] for name in value) else entries
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        before = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        after = _swapped(before, swap)
        if after is before:
            return value
        clone = copy.copy(value)
        for name, item in after.items():
            object.__setattr__(clone, name, item)  # works for frozen dataclasses too
        return clone
    return value


def write_once(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file whole, unless another process on this machine already has."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("wb") as file:
        file.writelines(chunks)
    temporary.replace(path)


def loadable(error: Exception) -> Exception:
    """Return an error that can be unpickled elsewhere: itself, or a RuntimeError with its text and notes."""
    try:
        copy.deepcopy(error)
    except Exception:
        same = RuntimeError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", []):
            same.add_note(note)
        return same
    return error
