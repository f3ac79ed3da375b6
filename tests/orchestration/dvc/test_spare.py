"""What a commit of DVC writes is on disk before the spare copies go, and copies that are left repair what was lost."""

import hashlib
import os
import subprocess

import pytest

from silverloom.orchestration.dvc import spare
from silverloom.orchestration.state.dvc_files import cached

OLD, NEW = b"schema: '2.0'\nstages: {}\n", b"schema: '2.0'\nstages:\n  code:\n    cmd: x\n    outs: []\n"
TRACKED = "outs:\n- md5: {}.dir\n  size: 3\n  nfiles: 1\n  hash: md5\n  path: talks\n"
FORMER, LATER = (TRACKED.format(digit * 32).encode() for digit in "ab")


@pytest.fixture
def project(tmp_workspace):
    """A project with a source that DVC tracks, and an object in DVC's cache."""
    root = tmp_workspace.root
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    (root / "params.yaml").touch()
    (root / "corpus").mkdir()
    (root / "corpus/talks.dvc").write_bytes(FORMER)
    tmp_workspace.lock.write_bytes(OLD)
    stored(tmp_workspace, b"before")
    return tmp_workspace


def stored(workspace, content):
    """Add an object to DVC's cache as DVC does: without a sync, and write-protected."""
    path = cached(workspace, hashlib.md5(content).hexdigest())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o444)
    return path


def killed(project):
    """Leave what a commit leaves that is killed at its end; return the object that it added."""
    with pytest.raises(KeyboardInterrupt), pytest.MonkeyPatch.context() as patch:
        patch.setattr(spare, "put_back", lambda workspace: None)
        with spare.restored_when_killed(project):
            project.lock.write_bytes(NEW)
            (project.root / "corpus/talks.dvc").write_bytes(LATER)
            path = stored(project, b"added")
            raise KeyboardInterrupt
    return path


def test_all_that_a_commit_wrote_is_synced_before_the_spare_copy_goes(project, monkeypatch):
    synced = []
    copy = project.state / "dvc.lock"

    def sync(path):
        assert copy.read_bytes() == OLD
        synced.append(path)

    for name in ("sync_to_disk", "sync_file_system"):
        monkeypatch.setattr(spare, name, sync)
    with spare.restored_when_killed(project):
        synced.clear()
    files = (project.lock, project.root / "corpus/talks.dvc")
    assert {cached(project, ""), *files, *(path.parent for path in files)} <= set(synced)
    assert not copy.exists()


def test_a_file_system_is_synced_by_the_system_call_or_as_a_whole(tmp_path, monkeypatch):
    spare.sync_file_system(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        spare.sync_file_system(tmp_path / "nowhere")
    calls = []
    monkeypatch.setattr(os, "sync", lambda: calls.append("all"))
    monkeypatch.setattr(
        "silverloom.orchestration.files.publish.ctypes.CDLL", lambda *name, **options: object()
    )
    spare.sync_file_system(tmp_path)
    assert calls == ["all"]


def test_after_a_kill_the_former_lock_returns_so_that_everything_is_committed_again(project, capsys):
    added = killed(project)
    spare.restore(project)
    assert project.lock.read_bytes() == OLD and (project.root / "corpus/talks.dvc").read_bytes() == LATER
    assert added.read_bytes() == b"added" and not (project.state / "dvc.lock").exists()
    assert not capsys.readouterr().err


@pytest.mark.parametrize(
    "left",
    [b"", bytes(len(LATER)), LATER[: len(LATER) // 2], LATER[:-1], b"{}\n", None],
    ids=["emptied", "zeros", "half", "without its end", "empty mapping", "gone"],
)
def test_a_damaged_file_of_a_tracked_source_is_put_back(project, left):
    killed(project)
    path = project.root / "corpus/talks.dvc"
    path.unlink() if left is None else path.write_bytes(left)
    spare.restore(project)
    assert path.read_bytes() == FORMER


@pytest.mark.parametrize("left", [b"", bytes(len(NEW)), NEW[: len(NEW) // 2], None])
def test_a_damaged_lock_is_put_back(project, left):
    killed(project)
    project.lock.unlink() if left is None else project.lock.write_bytes(left)
    spare.restore(project)
    assert project.lock.read_bytes() == OLD
