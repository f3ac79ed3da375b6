"""One process at a time writes the pages of validations, and obsolete pages are removed."""

from pathlib import Path

import pytest

from orchestration.checks import docs
from orchestration.files.publish import lock_file
from orchestration.workspace.workspace import Workspace


@pytest.fixture
def empty(tmp_path):
    """A workspace without datasets, but with pages of former ones."""
    old = tmp_path / "data/quality/docs/validations/group/old"
    old.mkdir(parents=True)
    (old / "2018-06.html").write_text("old")
    (old / ".2018-07.html").write_text("not yet a page")
    return Workspace(tmp_path, {})


def test_one_process_at_a_time_writes_the_pages_and_old_pages_are_removed(empty, monkeypatch):
    def pages(_):
        with pytest.raises(BlockingIOError):
            lock_file(empty.state / "locks/docs.lock")
        return []

    monkeypatch.setattr(docs, "validated_pages", pages)
    assert "Nothing has been validated" in docs.build(empty).read_text()
    assert [path.name for path in empty.quality.glob("docs/validations/**/*.html")] == [".2018-07.html"]


def test_a_page_may_disappear_before_it_is_removed(empty, monkeypatch):
    unlink = Path.unlink

    def twice(path, missing_ok=False):
        unlink(path, missing_ok=True)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", twice)
    docs.build(empty)
    assert not (empty.quality / "docs/validations/group/old/2018-06.html").exists()
