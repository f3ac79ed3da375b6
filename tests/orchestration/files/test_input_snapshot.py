"""The snapshot of the code and sources that a process uses, taken when it starts."""

import sys

import pytest

from orchestration.files import identity
from orchestration.workspace.workspace import Workspace


def test_an_unreadable_source_does_not_stop_a_run(tmp_path, monkeypatch):
    def refused(folder):
        raise PermissionError(13, "Permission denied", "closed.txt")

    monkeypatch.setattr(identity, "folder_hashes", refused)
    assert "closed.txt" in identity.version_of(tmp_path)


@pytest.fixture
def marks(tmp_workspace, tmp_path, monkeypatch):
    """The snapshot of a checkout of one module."""
    monkeypatch.setattr(identity, "checkout", lambda: tmp_path)
    (tmp_path / "ops/text").mkdir(parents=True)
    (tmp_path / "ops/text/words.py").write_text("A = 1")
    (tmp_path / "params.yaml").touch()
    return identity.code_marks.__wrapped__(tmp_workspace)


EDITS = {
    "params.yaml": lambda root: (root / "params.yaml").write_text("store: {}"),
    "ops": lambda root: (root / "ops/text/words.py").write_text("A = 23"),
    "ops, added": lambda root: (root / "ops/new.py").touch(),
    "ops, removed": lambda root: (root / "ops/text/words.py").unlink(),
    "models.txt": lambda root: (root / "models.txt").touch(),
}


@pytest.mark.parametrize("edit", EDITS)
def test_modified_code_is_named(tmp_path, marks, edit):
    identity.check_code(Workspace(tmp_path), marks)
    EDITS[edit](tmp_path)
    with pytest.raises(
        identity.MovedError, match=f"^{edit.split(',')[0]} changed while this ran.*: run again$"
    ):
        identity.check_code(Workspace(tmp_path), marks)


def test_an_edit_that_was_undone_is_detected(tmp_path, marks):
    words = tmp_path / "ops/text/words.py"
    words.unlink()
    words.write_text("A = 1")
    with pytest.raises(identity.MovedError, match=r"^ops changed"):
        identity.check_code(Workspace(tmp_path), marks)


def test_files_that_python_and_editors_leave_next_to_code_do_not_count_as_edits(tmp_path, marks):
    (tmp_path / "ops/text/__pycache__").mkdir()
    (tmp_path / "ops/text/__pycache__/words.pyc").touch()
    (tmp_path / "ops/.words.py.swp").touch()
    identity.check_code(Workspace(tmp_path), marks)


def test_code_is_compared_again_once_a_module_was_imported_or_seconds_later(marks, tmp_path, monkeypatch):
    watch = identity.CodeWatch(Workspace(tmp_path), marks)
    watch.check()
    EDITS["ops"](tmp_path)
    watch.check()  # this process still runs the former code
    with monkeypatch.context() as patch, pytest.raises(identity.MovedError, match=r"^ops changed"):
        patch.setitem(sys.modules, "words", None)
        watch.check()
    watch.check()
    monkeypatch.setattr(identity, "PAUSE", 0.0)
    with pytest.raises(identity.MovedError, match=r"^ops changed"):
        watch.check()
