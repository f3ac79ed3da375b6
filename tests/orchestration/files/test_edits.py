"""Edits of the code and sources that a process uses."""

import sys
from functools import cache

import pytest

from silverloom.assets.declare import code, expectations
from silverloom.assets.declare.project import CODE
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files import edits
from silverloom.orchestration.workspace.workspace import Workspace


def test_an_unreadable_source_does_not_stop_a_run(tmp_path, monkeypatch):
    def refused(folder):
        raise PermissionError(13, "Permission denied", "closed.txt")

    monkeypatch.setattr(edits, "folder_hashes", refused)
    assert "closed.txt" in edits.version_of(tmp_path)


@pytest.fixture
def stamp(tmp_workspace, tmp_path, monkeypatch):
    """The stamp of a checkout of one module."""
    monkeypatch.setattr(edits, "checkout", lambda: tmp_path)
    (tmp_path / "ops/text").mkdir(parents=True)
    (tmp_path / "ops/text/words.py").write_text("A = 1")
    (tmp_path / "params.yaml").touch()
    return edits.code_stamp.__wrapped__(tmp_workspace)


def _add(path):
    path.parent.mkdir(parents=True)
    path.touch()


EDITS = {
    "params.yaml": lambda root: (root / "params.yaml").write_text("store: {}"),
    "ops": lambda root: (root / "ops/text/words.py").write_text("A = 23"),
    "ops, added": lambda root: (root / "ops/new.py").touch(),
    "ops, removed": lambda root: (root / "ops/text/words.py").unlink(),
    "orchestration": lambda root: _add(root / "orchestration/files/parquet.py"),
    "models.txt": lambda root: (root / "models.txt").touch(),
}


@pytest.mark.parametrize("edit", EDITS)
def test_modified_code_is_named(tmp_path, stamp, edit):
    edits.check_code(Workspace(tmp_path), former=stamp)
    EDITS[edit](tmp_path)
    with pytest.raises(edits.MovedError, match=f"^{edit.split(',')[0]} changed while this ran.*: run again$"):
        edits.check_code(Workspace(tmp_path), former=stamp)


def test_modified_pages_concern_reports_only(tmp_path, stamp):
    _add(tmp_path / "pages/static/page.js")
    edits.check_code(Workspace(tmp_path), former=stamp)
    with pytest.raises(edits.MovedError, match=r"^pages changed while this ran"):
        edits.check_code(Workspace(tmp_path), report=True, former=stamp)


def test_a_stamp_covers_every_file_whose_code_is_in_the_hashes_of_a_dataset_or_a_report():
    for dataset in workspace().datasets.values():
        is_report = dataset.shape is None
        roots = [(code.symbol_of(dataset.function), code.REPORT if is_report else code.DATASET)]
        roots += [(code.WRITER, code.DATASET)]
        roots += [
            (rule, expectations.WITHIN) for rule in (*expectations.RULES, expectations.RULES_OF_SOURCES)
        ]
        files = {path for root, within in roots for path in files_of(root, within)}
        assert len(files) > 20
        assert not {path for path in files if not path.startswith(CODE)}, dataset.name


@cache
def files_of(root, within):
    """The files of all symbols that a symbol reaches."""
    return {
        symbol.module.removeprefix("silverloom.").replace(".", "/") + ".py"
        for symbol in code.symbols(within).reached(root)
    }


def test_an_edit_that_was_undone_is_detected(tmp_path, stamp):
    words = tmp_path / "ops/text/words.py"
    words.unlink()
    words.write_text("A = 1")
    with pytest.raises(edits.MovedError, match=r"^ops changed"):
        edits.check_code(Workspace(tmp_path), former=stamp)


def test_files_that_python_and_editors_leave_next_to_code_do_not_count_as_edits(tmp_path, stamp):
    (tmp_path / "ops/text/__pycache__").mkdir()
    (tmp_path / "ops/text/__pycache__/words.pyc").touch()
    (tmp_path / "ops/.words.py.swp").touch()
    edits.check_code(Workspace(tmp_path), former=stamp)


def test_code_is_compared_again_once_a_module_was_imported(stamp, tmp_path, monkeypatch):
    edits.check_imported(Workspace(tmp_path), stamp)
    EDITS["ops"](tmp_path)
    edits.check_imported(Workspace(tmp_path), stamp)  # this process still runs the former code
    monkeypatch.setitem(sys.modules, "words", None)
    for _ in range(2):
        with pytest.raises(edits.MovedError, match=r"^ops changed"):
            edits.check_imported(Workspace(tmp_path), stamp)
