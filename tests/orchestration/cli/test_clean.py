"""`silverloom clean` lists what it would remove, and removes it only if asked to."""

import subprocess
from types import SimpleNamespace

import pytest

from silverloom.orchestration.cli import clean


@pytest.fixture
def called(monkeypatch):
    """What was deleted and run, with DVC's answer."""
    called, deleted = [], []

    def run(command, **_):
        called.append([*command])
        return subprocess.CompletedProcess(command, 0, "Removing a\nRemoving b\nRemoved 2 objects\n", "")

    monkeypatch.setattr(clean.subprocess, "run", run)
    monkeypatch.setattr(clean, "old_runs", lambda workspace, days: ["first", "second"])
    monkeypatch.setattr(clean, "instance", lambda: SimpleNamespace(delete_run=deleted.append))
    return called, deleted


@pytest.mark.parametrize("delete", [True, False])
def test_only_if_asked_to_it_removes_what_it_lists(called, tmp_workspace, capsys, delete):
    commands, deleted = called
    tmp_workspace.mlflow_store.parent.mkdir()
    tmp_workspace.mlflow_store.touch()
    assert clean.clean(tmp_workspace, 30, delete) == 0
    said = capsys.readouterr().out
    assert deleted == (["first", "second"] if delete else [])
    assert ("--dry" in commands[0]) != delete and "--all-branches" in commands[0]
    assert [command[2:4] for command in commands[1:]] == ([["mlflow", "gc"]] if delete else [])
    ending = "removed" if delete else "would be removed"
    assert f"Dagster: 2 failed runs {ending}\n" in said and f"DVC's cache: 2 files {ending}\n" in said
