"""What counts of a module, and that keeping it changes nothing."""

import json
import sqlite3
import zlib

import diskcache
import pytest

from assets.declare import modules

SOURCE = '''"""Says."""
import os.path
import numpy as np
from . import near
from ..far import one as two

NAMES = ["static/*.js", "words.txt", "not a file"]
'''


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of its own, after set-up."""
    (tmp_path / ".silverloom").mkdir()
    monkeypatch.setattr(modules, "checkout", lambda: tmp_path)
    modules._cache.cache_clear()
    yield tmp_path
    modules._cache.cache_clear()


def module(folder, text=SOURCE):
    path = folder / "module.py"
    path.write_text(text)
    return path


def test_a_summary_has_the_imports_and_the_names_of_files(checkout):
    found = modules.summary(module(checkout))
    assert found.files == ["static/*.js", "words.txt"]
    assert [tuple(names) for names in found.imports] == [
        (0, None, "os.path", "os"),
        (0, None, "numpy", "np"),
        (1, "", "near", "near"),
        (2, "far", "one", "two"),
    ]


def test_what_is_kept_is_what_was_read(checkout):
    read = modules.summary(module(checkout))
    assert len(diskcache.Cache(str(checkout / modules.CACHE), disk=diskcache.JSONDisk)) == 1
    assert modules.summary(module(checkout)) == read


def test_a_changed_module_is_read_again(checkout):
    read = modules.summary(module(checkout))
    assert modules.summary(module(checkout, SOURCE + "MORE = 1\n")).tree != read.tree


def test_without_set_up_nothing_is_kept(checkout):
    (checkout / ".silverloom").rmdir()
    assert modules.summary(module(checkout)) == modules.summary(module(checkout))
    assert not (checkout / ".silverloom").exists()


@pytest.mark.parametrize("value", [b"no zlib", zlib.compress(b"{"), zlib.compress(b"\xff")])
def test_a_damaged_value_is_read_again_and_mended(checkout, value):
    read = modules.summary(module(checkout))
    with sqlite3.connect(checkout / modules.CACHE / "cache.db") as database:
        assert database.execute("UPDATE Cache SET value = ?", (value,)).rowcount == 1
    assert modules.summary(module(checkout)) == read
    with sqlite3.connect(checkout / modules.CACHE / "cache.db") as database:
        [(kept,)] = database.execute("SELECT value FROM Cache")
    assert json.loads(zlib.decompress(kept))["tree"] == read.tree


def test_a_cache_that_another_process_holds_is_no_fault(checkout):
    read = modules.summary(module(checkout))
    with sqlite3.connect(checkout / modules.CACHE / "cache.db", isolation_level=None) as database:
        database.execute("BEGIN EXCLUSIVE")
        assert modules.summary(module(checkout)) == read
        assert modules.summary(module(checkout, SOURCE + "MORE = 1\n")).files == read.files


def test_a_damaged_cache_is_no_fault(checkout):
    folder = checkout / modules.CACHE
    folder.mkdir()
    (folder / "cache.db").write_bytes(b"no database" * 1000)
    assert modules.summary(module(checkout)).files == ["static/*.js", "words.txt"]
