"""Publish a folder or a file whole: a reader sees the former one or the new one, never a mixture.

Belongs here: building in a temporary folder on the same file system, syncing to disk, swapping by rename,
and cleaning up after a process that was killed. Not here: what is written (parquet.py, records.py).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from orchestration.files.checksummed import dump, load
from orchestration.files.damage import DamagedError, make_folder, read_state, set_aside
from orchestration.files.full_disk import DiskFullError, full_line
from orchestration.files.locks import lock_file

_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
_AT_FDCWD = -100


@contextlib.contextmanager
def building(workshop: Path, target: Path) -> Iterator[Path]:
    """Give an empty folder to fill; when the block ends well, it becomes `target` at once.

    When the block raises, `target` is left as it was and the folder is removed. `workshop` must lie on
    the file system of `target`. Raises DiskFullError where the device has no space left.
    """
    with _gate(workshop):
        _recover(workshop)
        room = Path(tempfile.mkdtemp(dir=workshop))
        lock = lock_file(room / "lock")
    with contextlib.closing(lock):
        new = room / "new"
        new.mkdir()
        try:
            with disk_errors(target):
                place = target.relative_to(workshop.parent).as_posix()
                (room / "target").write_bytes(dump({"target": place}))
                yield new
                sync_folder(new)
                _swap(new, target, room)
        finally:
            with _gate(workshop):  # or another process, cleaning up, finds half of a room
                _clear(room)


def recover(workshop: Path) -> None:
    """Finish or undo what killed processes left in a workshop; what a living one holds is left alone."""
    with _gate(workshop):
        _recover(workshop)


def _recover(workshop: Path) -> None:
    for room in sorted(path for path in workshop.iterdir() if path.is_dir() and not path.is_symlink()):
        with contextlib.suppress(BlockingIOError), contextlib.closing(lock_file(room / "lock")):
            _clear(room)


def _clear(room: Path) -> None:
    """Remove a room, after its `old` was put back where that was not replaced."""
    old = room / "old"
    if old.exists():
        try:
            target = _target(room)
        except DamagedError as error:
            set_aside(room, f"target: {error}", "what its `old` was is made again where it is missing")
            return
        if not target.exists():
            make_folder(target.parent)
            old.rename(target)
    _empty(room)


def _empty(room: Path) -> None:
    """Remove a room, `old` first: without `target` nobody could tell whether that is still needed."""
    shutil.rmtree(room / "old", ignore_errors=True)
    shutil.rmtree(room, ignore_errors=True)


def _target(room: Path) -> Path:
    """Return what a room was opened for. Raises DamagedError for what is no place beside its workshop."""
    content, checked = load(read_state(room / "target") or b"")
    place = PurePosixPath(str(content.get("target", "")))
    if not checked or place.is_absolute() or ".." in place.parts or not place.parts:
        raise DamagedError("it names no place that a room is opened for")
    return room.parent.parent / place


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole: to a temporary name beside it, synced, then renamed."""
    with writing(path) as temporary:
        temporary.write_bytes(content)


def write_changed(path: Path, content: bytes) -> None:
    """Write a file whole where it is not what it should be, whatever else it is."""
    try:
        found = read_state(path)
    except DamagedError:
        found = None
    if found != content:
        write_file(path, content)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give a temporary name beside a file; what is written there becomes the file at once, synced.

    When the block raises, the file is left as it was. Raises DiskFullError where there is no space left.
    """
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with disk_errors(path):
            yield temporary
            _sync(temporary)
        try:
            temporary.replace(path)
        except IsADirectoryError:
            set_aside(path, "it is no file", "it is written anew")
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync(path.parent)


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files into a new folder by their relative paths.

    Raises ValueError for a path that leaves it, or that is there already.
    """
    for name, content in files:
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"{name!r} leaves its folder")
        if path.exists():
            raise ValueError(f"{name!r} is written twice")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def remove(target: Path, workshop: Path) -> None:
    """Remove a folder at once: it is renamed away first, so that no reader sees half of it."""
    with _gate(workshop):
        _recover(workshop)
        room = Path(tempfile.mkdtemp(dir=workshop))
        target.rename(room / "gone")
        shutil.rmtree(room)


@contextlib.contextmanager
def disk_errors(target: Path) -> Iterator[None]:
    """Turn "no space left" into a DiskFullError that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DiskFullError(error.errno, full_line(target, target.name), str(target)) from error


@contextlib.contextmanager
def _gate(workshop: Path) -> Iterator[None]:
    """Let one process at a time open a room or clean up, so that no young room is taken for a dead one."""
    make_folder(workshop)
    with contextlib.closing(lock_file(workshop / ".gate", wait=True)):
        yield


def sync_folder(folder: Path) -> None:
    """Bring every file below a folder, and the folders themselves, to the disk."""
    for base, _, names in os.walk(folder):
        for name in sorted(names):
            _sync(Path(base) / name)
        _sync(Path(base))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _swap(new: Path, target: Path, room: Path) -> None:
    make_folder(target.parent)
    if os.path.lexists(target) and not target.is_dir():
        set_aside(target, "it is no folder", "a new one takes its place")
    if not target.exists():
        new.rename(target)
    elif not _exchange(new, target):
        # Between these two renames there is no target: recover() puts the old one back.
        _sync(room / "target")
        target.rename(room / "old")
        new.rename(target)
    _sync(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, where the system and the file system can (Linux)."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    done: int = rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE)
    if done != 0 and ctypes.get_errno() not in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(other))
    return done == 0
