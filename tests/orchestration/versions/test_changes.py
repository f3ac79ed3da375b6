"""The pages about the last change: one process at a time writes them, and old pages are removed."""

from pathlib import Path

import pytest

from orchestration import present
from orchestration.files.publish import lock_file
from orchestration.versions import compare
from orchestration.workspace.workspace import Workspace


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "versions").mkdir()
    return tmp_path


def test_old_comparisons_are_removed_and_one_that_another_process_is_writing_stays(folder):
    for name in ("old.html", "old.json", ".new.json.4711"):
        (folder / "versions" / name).write_text("")
    compare.write_versions(Workspace(folder, {}), folder)
    assert [path.name for path in (folder / "versions").iterdir()] == [".new.json.4711"]


def test_a_page_may_disappear_before_it_is_removed(folder, monkeypatch):
    (folder / "versions/old.html").write_text("")
    unlink = Path.unlink

    def twice(path, missing_ok=False):
        unlink(path, missing_ok=True)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", twice)
    compare.write_versions(Workspace(folder, {}), folder)
    assert not list((folder / "versions").iterdir())


def test_one_process_at_a_time_writes_the_status(folder, monkeypatch):
    monkeypatch.setattr(present, "state", lambda _: {})
    held = folder / ".silverloom/locks/live.lock"
    seen = []

    def looked(*_):
        with pytest.raises(BlockingIOError):
            lock_file(held)
        seen.append((folder / "data/quality/live/state.js").exists())

    monkeypatch.setattr(present, "write_versions", looked)
    present.write_live(Workspace(folder, {}))
    assert seen == [True]
    lock_file(held).close()
