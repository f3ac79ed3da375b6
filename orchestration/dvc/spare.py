"""Spare copies of the files that DVC's commit writes in place: dvc.lock and the .dvc files of sources.

Belongs here: protecting them against a kill, and syncing what DVC wrote, as DVC syncs nothing itself. The
copies are on disk before a commit and are removed after what it wrote is on disk. So a copy that is left
means that a commit was killed. Not here: committing (stages.py), what a damaged dvc.lock is
(state/dvc_files.py), DVC's cache: it may be deleted at any time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from silverloom.orchestration.files.local_state import dump_checked, read_checked
from silverloom.orchestration.files.publish import lock_file, sync_file_system, sync_to_disk, write_file
from silverloom.orchestration.state.dvc_files import (
    cached,
    is_from_git,
    is_tracking_file,
    tracking_files,
)
from silverloom.orchestration.workspace.workspace import Workspace


def restore(workspace: Workspace) -> None:
    """Undo what a killed commit wrote to dvc.lock, and restore .dvc files that it left cut off."""
    with _commit_lock(workspace):
        _restore(workspace)


@contextlib.contextmanager
def restored_when_killed(workspace: Workspace) -> Iterator[None]:
    """Keep copies of what DVC writes in place until the block succeeds and what it wrote is on disk.

    If the block fails, dvc.lock is put back.
    """
    with _commit_lock(workspace):
        _restore(workspace)
        _keep(workspace)
        try:
            yield
        except BaseException:
            with contextlib.suppress(OSError):  # the block's own error is the one to report
                _sync(workspace)
            put_back(workspace)
            raise
        _sync(workspace)
        _lock_copy(workspace).unlink()


def _commit_lock(workspace: Workspace) -> contextlib.AbstractContextManager[object]:
    return contextlib.closing(lock_file(workspace.state / "locks" / "commit.lock", wait=True))


def _lock_copy(workspace: Workspace) -> Path:
    return workspace.state / "dvc.lock"


def _tracking_copies(workspace: Workspace) -> Path:
    return workspace.state / "tracking.json"


def _keep(workspace: Workspace) -> None:
    """Write the copies; that of dvc.lock is the last, because it says that they are complete."""
    texts = {workspace.shown(path): path.read_text("utf-8") for path in tracking_files(workspace)}
    write_file(_tracking_copies(workspace), dump_checked(texts))
    lock = workspace.lock
    write_file(_lock_copy(workspace), lock.read_bytes() if lock.exists() else b"")


def _restore(workspace: Workspace) -> None:
    """Put back what a killed commit may have left half done; it is committed again. No-op without copies.

    A dvc.lock that git has put there since, or that a merge left, stays.
    """
    copy = _lock_copy(workspace)
    if not copy.is_file():
        return
    texts = read_checked(_tracking_copies(workspace), ".dvc files stay as they are", dict[str, str])
    for name, text in (texts or {}).items():
        path = workspace.root / name
        if not is_tracking_file(path.read_bytes() if path.is_file() else b""):
            write_file(path, text.encode())
    _sync(workspace)
    if not is_from_git(workspace):
        put_back(workspace)
    copy.unlink(missing_ok=True)


def put_back(workspace: Workspace) -> None:
    """Replace dvc.lock with its copy. An empty copy means that there was no file."""
    lock, copy = workspace.lock, _lock_copy(workspace)
    if copy.stat().st_size:
        copy.replace(lock)
    else:
        lock.unlink(missing_ok=True)
        sync_to_disk(lock.parent)
        copy.unlink()


def _sync(workspace: Workspace) -> None:
    """Write to disk what DVC wrote: its cache, in one go, and the files in the project."""
    objects = cached(workspace, "")
    if objects.is_dir():
        sync_file_system(objects)
    for path in (workspace.lock, *tracking_files(workspace)):
        if path.is_file():
            sync_to_disk(path)
            sync_to_disk(path.parent)
