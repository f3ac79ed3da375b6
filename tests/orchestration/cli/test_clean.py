"""`silverloom clean` lists what it would remove, and removes it only if asked to."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
import yaml

from silverloom.orchestration.cli import clean
from silverloom.orchestration.state.dvc_files import cache_folder

NAMED, UNNAMED = b"named by the first commit of git", b"named by no commit"


@pytest.fixture
def project(tmp_workspace, monkeypatch, warm):
    """A project with a file of DVC's that only its first commit names, one that none names, and old runs."""
    root = tmp_workspace.root
    monkeypatch.setenv("DVC_GLOBAL_CONFIG_DIR", str(root / "none"))
    cache_folder.cache_clear()
    for command in (["git", "init", "-q"], [sys.executable, "-m", "dvc", "init", "-q"]):
        subprocess.run(command, cwd=root, check=True)
    user = ("-c", "user.name=me", "-c", "user.email=me@example.org")
    for content in (NAMED, UNNAMED, b"of the workspace"):
        (root / "rows").mkdir(exist_ok=True)
        (root / "rows/part").write_bytes(content)
        subprocess.run([sys.executable, "-m", "dvc", "add", "-q", "rows"], cwd=root, check=True)
        if content == NAMED:
            subprocess.run(["git", "add", "."], cwd=root, check=True)
            subprocess.run(["git", *user, "commit", "-qm", "first"], cwd=root, check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    subprocess.run(["git", *user, "commit", "-qm", "second"], cwd=root, check=True)
    deleted = []
    monkeypatch.setattr(clean, "old_runs", lambda workspace, days: ["old"])
    monkeypatch.setattr(clean, "instance", lambda: SimpleNamespace(delete_run=deleted.append))
    yield SimpleNamespace(workspace=tmp_workspace, deleted=deleted)
    cache_folder.cache_clear()


def stored(folder):
    return {path.read_bytes() for path in folder.glob("files/md5/*/*")}


def test_only_if_asked_to_it_removes_what_it_lists(project, capfd):
    cache = project.workspace.root / ".dvc/cache"
    assert len(stored(cache)) == 6, "each content, and a list of the folder with it"
    for delete, ending in ((False, "would be removed"), (True, "removed")):
        assert clean.clean(project.workspace, 1, delete) == 0
        said = capfd.readouterr().out
        assert f"Dagster: 1 failed run {ending}\n" in said and f"DVC's cache: 2 files {ending}\n" in said
        assert project.deleted == (["old"] if delete else [])
        left = stored(cache)
        assert NAMED in left and (UNNAMED in left) != delete and len(left) == (4 if delete else 6)


def test_hashes_that_yaml_quotes_are_named_and_messages_of_commits_are_not_read(project, capfd):
    root, number = project.workspace.root, "12345678901234567890123456789012"
    place = root / ".dvc/cache/files/md5" / number[:2] / number[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(b"of a hash that looks like a number")
    (root / "dvc.lock").write_text(yaml.safe_dump({"outs": [{"md5": number, "path": "x"}]}))
    assert f"'{number}'" in (root / "dvc.lock").read_text()
    user = ("-c", "user.name=me", "-c", "user.email=me@example.org")
    subprocess.run(["git", "add", "dvc.lock"], cwd=root, check=True)
    subprocess.run(["git", *user, "commit", "-qm", "Say\nwhat is missing\nhere"], cwd=root, check=True)
    (root / "dvc.lock").unlink()
    subprocess.run(["git", *user, "commit", "-qam", "Gone again"], cwd=root, check=True)
    assert clean.clean(project.workspace, 1, delete=True) == 0
    assert place.exists() and "DVC's cache: 2 files removed" in capfd.readouterr().out


def test_a_cache_outside_of_the_project_stays_whole(project, tmp_path_factory, capfd):
    shared = tmp_path_factory.mktemp("shared") / "cache"
    (project.workspace.root / ".dvc/cache").rename(shared)
    subprocess.run(
        [sys.executable, "-m", "dvc", "cache", "dir", shared], cwd=project.workspace.root, check=True
    )
    assert clean.clean(project.workspace, 1, delete=True) == 0
    assert "left as it is, because other projects may share it" in capfd.readouterr().out
    assert UNNAMED in stored(shared) and project.deleted == ["old"]


def test_deleted_runs_of_this_checkouts_mlflow_are_removed_only_if_asked_to(project, monkeypatch, capfd):
    called = []

    def run(command, **_):
        called.append([*command])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(clean.subprocess, "run", run)
    cache_folder.cache_clear()
    monkeypatch.setattr(clean, "cache_folder", lambda root: root.parent)
    project.workspace.mlflow_store.parent.mkdir(exist_ok=True)
    project.workspace.mlflow_store.touch()
    assert clean.clean(project.workspace, 1, delete=False) == 0
    assert "MLflow: runs that were deleted more than 1 day ago would be removed" in capfd.readouterr().out
    assert not any("mlflow" in command for command in called)
    assert clean.clean(project.workspace, 1, delete=True) == 0
    assert called[-1][2:4] == ["mlflow", "gc"]
