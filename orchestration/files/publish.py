"""Publish a folder or a file whole, by one process at a time: a reader sees the former one or the new one.

Belongs here: building in a temporary folder on the same file system, syncing to disk, swapping by rename,
cleaning up after a process that was killed; and locks between processes, which end with the process that
holds them. Not here: what is written (parquet.py, partition/resume.py).

Readers hold no lock, however many partitions they read: they compare versions before and after
(partition/inputs.py). A reader waits only for an input that is being published, one at a time: the graph
has no circles, so neither have the waits.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from filelock import FileLock, Timeout

from assets.declare.declaration import Declaration
from orchestration.files.damage import (
    DamagedError,
    dump_checked,
    load_checked,
    make_folder,
    read_state,
    set_aside,
)
from orchestration.files.full_disk import DiskFullError, full_line
from orchestration.workspace.workspace import Workspace

_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
_AT_FDCWD = -100


@contextlib.contextmanager
def building(staging: Path, target: Path) -> Iterator[Path]:
    """Give an empty folder to fill; when the block ends well, it becomes `target` at once.

    When the block raises, `target` is left as it was and the folder is removed. `staging` must lie on
    the file system of `target`. Raises DiskFullError where the device has no space left.
    """
    with _mutex(staging):
        _recover(staging)
        slot = Path(tempfile.mkdtemp(dir=staging))
        lock = lock_file(slot / "lock")
    with contextlib.closing(lock):
        new = slot / "new"
        new.mkdir()
        try:
            with disk_errors(target):
                place = target.relative_to(staging.parent).as_posix()
                (slot / "target").write_bytes(dump_checked({"target": place}))
                yield new
                for base, _, names in os.walk(new):
                    for name in ("", *sorted(names)):
                        sync_to_disk(Path(base, name))
                _swap(new, target, slot)
        finally:
            with _mutex(staging):  # or another process, cleaning up, finds half of a slot
                _clear(slot)


def recover(staging: Path) -> None:
    """Finish or undo what killed processes left in a staging; what a living one holds stays."""
    with _mutex(staging):
        _recover(staging)


def _recover(staging: Path) -> None:
    for slot in sorted(path for path in staging.iterdir() if path.is_dir() and not path.is_symlink()):
        with contextlib.suppress(BlockingIOError), contextlib.closing(lock_file(slot / "lock")):
            _clear(slot)


def _clear(slot: Path) -> None:
    """Remove a slot; its `old` is put back where it was not replaced, else removed first.

    Without `target` nobody could tell whether `old` is still needed.
    """
    old = slot / "old"
    if old.exists():
        try:
            target = _target(slot)
        except DamagedError as error:
            set_aside(slot, f"target: {error}", "what its `old` was is made again where it is missing")
            return
        if not target.exists():
            make_folder(target.parent)
            old.rename(target)
    for folder in (old, slot):
        shutil.rmtree(folder, ignore_errors=True)


def _target(slot: Path) -> Path:
    """Return what a slot was opened for. Raises DamagedError for what is no place beside its staging."""
    content, checked = load_checked(read_state(slot / "target") or b"")
    place = PurePosixPath(str(content.get("target", "")))
    if not checked or place.is_absolute() or ".." in place.parts or not place.parts:
        raise DamagedError("it names no place that a slot is opened for")
    return slot.parent.parent / place


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
def writing(path: Path, sync: bool = True) -> Iterator[Path]:
    """Give a temporary name beside a file; what is written there becomes the file at once, mostly synced.

    When the block raises, the file is left as it was. Raises DiskFullError where there is no space left.
    """
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with disk_errors(path):
            yield temporary
            if sync:
                sync_to_disk(temporary)
        try:
            temporary.replace(path)
        except IsADirectoryError:
            set_aside(path, "it is no file", "it is written anew")
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    if sync:
        sync_to_disk(path.parent)


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


def remove(target: Path, staging: Path) -> None:
    """Remove a folder at once: it is renamed away first, so that no reader sees half of it."""
    with _mutex(staging):
        _recover(staging)
        slot = Path(tempfile.mkdtemp(dir=staging))
        target.rename(slot / "gone")
        shutil.rmtree(slot)


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
def _mutex(staging: Path) -> Iterator[None]:
    """Let one process at a time open a slot or clean up, so that no new slot is taken for a dead one."""
    with contextlib.closing(lock_file(staging / ".mutex", wait=True)):
        yield


def sync_to_disk(path: Path) -> None:
    """Have the content of a file, or the names in a folder, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _swap(new: Path, target: Path, slot: Path) -> None:
    make_folder(target.parent)
    if os.path.lexists(target) and not target.is_dir():
        set_aside(target, "it is no folder", "a new one takes its place")
    if not target.exists():
        new.rename(target)
    elif not exchange(new, target):
        # Between these two renames there is no target: recover() puts the old one back.
        sync_to_disk(slot / "target")
        target.rename(slot / "old")
        new.rename(target)
    sync_to_disk(target.parent)


def exchange(first: Path, second: Path) -> bool:
    """Exchange two folders in one step, where the system and the file system can (Linux)."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    done: int = rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _EXCHANGE)
    if done != 0 and ctypes.get_errno() not in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(second))
    return done == 0


_PAUSE = 0.02


def lock_file(path: Path, wait: bool = False) -> ExitStack:
    """Hold a lock, in a folder that is made, until what is returned is closed or this process ends.

    Raises BlockingIOError where another process holds it, unless it is to `wait`.
    """
    try:
        return _held(path, -1 if wait else 0)
    except Timeout:
        raise BlockingIOError(errno.EAGAIN, "another process holds the lock", str(path)) from None


def lock_within(path: Path, seconds: float) -> ExitStack:
    """Return what `lock_file` does. Raises TimeoutError, which names it, where another process keeps it."""
    try:
        return _held(path, seconds)
    except Timeout:
        message = f"another process has held {path} for {seconds:g} s: run again when it has ended"
        raise TimeoutError(message) from None


def _held(path: Path, timeout: float) -> ExitStack:
    make_folder(path.parent)
    # A soft lock is a file, which stays when its process is killed.
    lock = FileLock(path, timeout, thread_local=False, poll_interval=_PAUSE, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        raise
    except OSError:
        if not path.is_symlink() and (path.is_file() or not os.path.lexists(path)):
            raise
        set_aside(path, "it is no file", "a new lock takes its place")
        lock.acquire()
    held = ExitStack()
    held.callback(lock.release)
    return held


@contextlib.contextmanager
def making(workspace: Workspace, dataset: Declaration, partition: str, wait: bool = True) -> Iterator[bool]:
    """Hold a partition alone; gives whether another process had to be waited for.

    Raises BlockingIOError where another process holds it and it is not to `wait`.
    """
    path = _path(workspace, dataset, partition)
    waited = False
    try:
        held = lock_file(path)
    except BlockingIOError:
        if not wait:
            raise
        waited, held = True, lock_file(path, wait=True)
    with contextlib.closing(held):
        yield waited


@contextlib.contextmanager
def writing_all(workspace: Workspace, name: str) -> Iterator[None]:
    """Hold, alone, what is written of all datasets together (`live`, `docs`): others wait for their turn."""
    with contextlib.closing(lock_file(workspace.state / "locks" / f"{name}.lock", wait=True)):
        yield


def _path(workspace: Workspace, dataset: Declaration, partition: str) -> Path:
    return workspace.state_file("locks", dataset, partition, ".lock")
