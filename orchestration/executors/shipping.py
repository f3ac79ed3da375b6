"""Values that name files of this machine, made ready for a machine that does not have them.

Belongs here: pickling a value with the parts and folders that it names, and loading it elsewhere, where these
are files again. Not here: how the bytes get there (ray.py), where the files lie there (node.py).
"""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ops.core.parts import Artifact, Part, Parts

#: A file travels in pieces of so many bytes, so that no machine holds a large one in memory.
CHUNK = 64 << 20


@dataclass(frozen=True)
class Handle:
    """What only the cluster itself can hand over; in a task it becomes `there(inner)`."""

    inner: Any
    there: Callable[[Any], Any]


@dataclass(frozen=True)
class ShippedFile:
    """A file on its way: its path below a folder of the other machine, and what stands for its bytes."""

    name: str
    chunks: Sequence[Any]


@dataclass(frozen=True)
class Shipment:
    """A pickled value, the files that it names, and the handles that are in it."""

    content: bytes
    files: Sequence[ShippedFile]
    handles: Sequence[Any]


def packed(value: object, put: Callable[[bytes], Any]) -> Shipment:
    """Return a value ready to travel; `put` takes some bytes of a file, and returns what stands for them."""
    sink = io.BytesIO()
    pickler = _Pickler(sink, put)
    pickler.dump(value)
    return Shipment(sink.getvalue(), pickler.files, pickler.handles)


class _Pickler(pickle.Pickler):
    """Replaces each part and artifact by its place in a folder that is not known yet."""

    def __init__(self, sink: io.BytesIO, put: Callable[[bytes], Any]) -> None:
        super().__init__(sink, pickle.HIGHEST_PROTOCOL)
        self.files: list[ShippedFile] = []
        self.handles: list[Any] = []
        self._put = put
        self._names: dict[Path, str] = {}

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Part):
            return _part, (self._file(Path(value.path)),)
        if isinstance(value, Artifact):
            return _artifact, (value.rows, self._folder(value.folder))
        if isinstance(value, Handle):
            self.handles.append(value.inner)
            return _handle, (value.there, len(self.handles) - 1)
        return NotImplemented

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


def unpacked(shipment: Shipment, folder: Path, fetch: Callable[[Any], bytes]) -> Any:
    """Return a value that has arrived; its files are written below `folder`, those that are not there yet."""
    for file in shipment.files:
        write_once(folder / file.name, map(fetch, file.chunks))
    with _unpacking(folder, shipment.handles):
        return pickle.loads(shipment.content)  # noqa: S301  of the driver of this task


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
    """Return an error that another process can load: itself, or one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  of this process
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


_folders: list[Path] = []
_handles: list[Sequence[Any]] = []


@contextmanager
def _unpacking(folder: Path, handles: Sequence[Any]) -> Iterator[None]:
    _folders.append(folder)
    _handles.append(handles)
    try:
        yield
    finally:
        _folders.pop()
        _handles.pop()


def _part(name: str) -> Part:
    return Part(str(_folders[-1] / name))


def _artifact(rows: Parts, name: str) -> Artifact:
    return Artifact(rows, _folders[-1] / name)


def _handle(there: Callable[[Any], Any], number: int) -> Any:
    return there(_handles[-1][number])
