"""Publish a folder or file whole, one process at a time: readers see either the former or the new version.

Belongs here: building in a temporary folder on the same file system, syncing to disk, swapping by rename,
cleaning up after killed processes; and locks between processes, which end with the process that holds them.
Not here: what is written (parquet.py, partition/resume.py).

Readers hold no lock, however many partitions they read: they compare versions before and after
(partition/inputs.py). A reader only waits for an input that is being published, one at a time. The graph has
no cycles, so there are no deadlocks.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from filelock import FileLock, Timeout

from silverloom.assets.declare.declaration import Dataset
from silverloom.orchestration.files.full_disk import DiskFullError, full_line
from silverloom.orchestration.files.local_state import (
    UnreadableError,
    dump_checked,
    load_checked,
    read_state,
    tell_unreadable,
)
from silverloom.orchestration.workspace.workspace import Workspace

_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
_AT_FDCWD = -100


@contextlib.contextmanager
def building(staging: Path, target: Path) -> Iterator[Path]:
    """Provide an empty folder to fill; if the block succeeds, it becomes `target` in one step.

    If the block raises, `target` remains unchanged and the folder is removed. `staging` must be on the same
    file system as `target`. Raises DiskFullError if the device has no space left.
    """
    with _open_slot(staging) as slot, disk_errors(target):
        new = slot / "new"
        new.mkdir()
        place = target.relative_to(staging.parent).as_posix()
        (slot / "target").write_bytes(dump_checked({"target": place}))
        yield new
        for base, _, names in os.walk(new):
            for name in ("", *sorted(names)):
                sync_to_disk(Path(base, name))
        _swap(new, target, slot)


@contextlib.contextmanager
def _open_slot(staging: Path) -> Iterator[Path]:
    """Provide a new folder, and clear it at the end.

    Its lock is next to it and held before the folder exists. So no other process takes it for a dead one.
    """
    recover(staging)
    slot = staging / uuid.uuid4().hex
    with contextlib.closing(lock_file(_lock_of(slot), wait=True)):
        slot.mkdir()
        try:
            yield slot
        finally:
            _clear(slot)


def recover(staging: Path) -> None:
    """Finish or undo what killed processes left in a staging folder. Slots of live processes stay."""
    staging.mkdir(parents=True, exist_ok=True)
    for slot in sorted({path.with_suffix("") for path in staging.iterdir() if not path.is_symlink()}):
        with contextlib.suppress(BlockingIOError), contextlib.closing(lock_file(_lock_of(slot))):
            _clear(slot)


def _lock_of(slot: Path) -> Path:
    return slot.with_suffix(".lock")


def _clear(slot: Path) -> None:
    """Remove a slot, whose lock is held. First its `old` folder is put back if it was not replaced.

    If the file `target` is unreadable, it is unknown whether `old` is still needed, and the slot stays.
    """
    old = slot / "old"
    if old.exists():
        try:
            target = _target(slot)
        except UnreadableError as error:
            tell_unreadable(slot / "target", str(error), f"{old} stays, and is made again if it is missing")
            return
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            old.rename(target)
    for folder in (old, slot):
        shutil.rmtree(folder, ignore_errors=True)
    _lock_of(slot).unlink(missing_ok=True)  # whoever waits for it opens a new file


def _target(slot: Path) -> Path:
    """Return a slot's target. Raises UnreadableError if it is not a path in the staging folder's parent."""
    content = load_checked(read_state(slot / "target") or b"")
    place = PurePosixPath(str(content.get("target", "")))
    if place.is_absolute() or ".." in place.parts or not place.parts:
        raise UnreadableError("it does not name a target")
    return slot.parent.parent / place


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole: under a temporary name in the same folder, then synced and renamed."""
    with writing(path) as temporary:
        temporary.write_bytes(content)


def write_changed(path: Path, content: bytes) -> bool:
    """Write a file whole, unless it already has this content. Returns whether it was written."""
    try:
        present = read_state(path)
    except UnreadableError:
        present = None
    if present == content:
        return False
    write_file(path, content)
    return True


@contextlib.contextmanager
def writing(path: Path, sync: bool = True) -> Iterator[Path]:
    """Provide a temporary path in the folder of a file; what is written there replaces the file in one step.

    If the block raises, the file remains unchanged. Raises DiskFullError if there is no space left. Without
    `sync`, a power cut may lose the content.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with disk_errors(path):
            yield temporary
            if sync:
                sync_to_disk(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    if sync:
        sync_to_disk(path.parent)


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files into a new folder by their relative paths.

    Raises ValueError for a path that leaves the folder or already exists.
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
    """Remove a folder in one step: it is renamed away first, so that no reader sees half of it."""
    with _open_slot(staging) as slot:
        target.rename(slot / "gone")


@contextlib.contextmanager
def disk_errors(target: Path) -> Iterator[None]:
    """Turn "no space left" into a DiskFullError that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DiskFullError(error.errno, full_line(target, target.name), str(target)) from error


def sync_to_disk(path: Path) -> None:
    """Make a file's content, or a folder's entries, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file_system(path: Path) -> None:
    """Make everything on a path's file system survive a power cut: quicker than file by file."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if call is None:  # not on Linux
        os.sync()
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if call(descriptor) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(path))
    finally:
        os.close(descriptor)


def _swap(new: Path, target: Path, slot: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        new.rename(target)
    elif not exchange(new, target):
        # Between these two renames there is no target; recover() would put the old one back.
        sync_to_disk(slot / "target")
        target.rename(slot / "old")
        new.rename(target)
    sync_to_disk(target.parent)


def exchange(first: Path, second: Path) -> bool:
    """Exchange two folders in one step, if the system and file system support it (Linux)."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    done: int = rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _EXCHANGE)
    if done != 0 and ctypes.get_errno() not in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(second))
    return done == 0


_PAUSE = 0.02
#: Seconds to wait for another process that writes what they share.
PATIENCE = 600.0


def lock_file(path: Path, wait: bool = False) -> ExitStack:
    """Hold a lock until the returned stack is closed or this process ends; creates the folder if needed.

    Raises BlockingIOError if another process holds it, unless `wait` is set.
    """
    try:
        return _held(path, -1 if wait else 0)
    except Timeout:
        raise BlockingIOError(errno.EAGAIN, "another process holds the lock", str(path)) from None


@contextlib.contextmanager
def sharing(workspace: Workspace, name: str = "shared") -> Iterator[None]:
    """Hold the lock of the stores that all processes of a project write to with other tools, or another.

    A thread that holds it may take it again. Raises TimeoutError, which names the lock, after PATIENCE.
    """
    path = workspace.enclosing.state / "locks" / f"{name}.lock"
    try:
        held = _held(path, PATIENCE, again=True)
    except Timeout:
        message = f"another process has held {path} for {PATIENCE:g} s: run again when that process has ended"
        raise TimeoutError(message) from None
    with contextlib.closing(held):
        yield


def _held(path: Path, timeout: float, again: bool = False) -> ExitStack:
    path.parent.mkdir(parents=True, exist_ok=True)
    # A soft lock is a plain file, which remains after its process is killed.
    lock = FileLock(
        path, thread_local=again, poll_interval=_PAUSE, fallback_to_soft=False, is_singleton=again
    )
    lock.acquire(timeout)
    held = ExitStack()
    held.callback(lock.release)
    return held


@contextlib.contextmanager
def making(workspace: Workspace, dataset: Dataset, partition: str, wait: bool = True) -> Iterator[None]:
    """Hold a partition's lock. Raises BlockingIOError if another process holds it and `wait` is not set."""
    path = workspace.state_file("locks", dataset, partition, ".lock")
    with contextlib.closing(lock_file(path, wait)):
        yield
