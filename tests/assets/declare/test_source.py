"""What the summary of a module contains, and that caching it changes nothing."""

import json
import sqlite3
import zlib

import diskcache
import pytest

from assets.declare import source

SOURCE = '''"""Says."""
import os.path
import numpy as np
from . import near
from ..far import one as two

NAMES = ["static/*.js", "words.txt", "not a file"]
print(np.e, two)
'''


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of its own, after set-up."""
    (tmp_path / ".silverloom").mkdir()
    monkeypatch.setattr(source, "checkout", lambda: tmp_path)
    return tmp_path


def module(folder, text=SOURCE):
    path = folder / "module.py"
    path.write_text(text)
    return path


def test_a_summary_has_imports_and_statements_by_the_names_that_they_bind(checkout):
    found = source.summary(module(checkout))
    assert found.names == {"NAMES": [0], source.EFFECTS: [1]}
    assert [statement.files for statement in found.statements] == [["static/*.js", "words.txt"], []]
    assert found.statements[1].mentions == ["np.e", "two"]
    assert found.imports == {
        "os": [(0, None, "os.path", "os")],
        "np": [(0, None, "numpy", "np")],
        "near": [(1, "", "near", "near")],
        "two": [(2, "far", "one", "two")],
    }
    assert [names.bound for names in found.unused] == ["os", "near"]


def test_a_cached_summary_equals_a_fresh_one(checkout):
    read = source.summary(module(checkout))
    assert len(diskcache.Cache(str(checkout / source.CACHE), disk=diskcache.JSONDisk)) == 1
    assert source.summary(module(checkout)) == read


def test_a_changed_module_is_read_again(checkout):
    read = source.summary(module(checkout))
    assert source.summary(module(checkout, SOURCE + "MORE = 1\n")) != read


def test_without_set_up_nothing_is_cached(checkout):
    (checkout / ".silverloom").rmdir()
    assert source.summary(module(checkout)) == source.summary(module(checkout))
    assert not (checkout / ".silverloom").exists()


@pytest.mark.parametrize("value", [b"no zlib", zlib.compress(b"{"), zlib.compress(b"\xff")])
def test_a_corrupt_value_is_read_again_and_repaired(checkout, value):
    read = source.summary(module(checkout))
    with sqlite3.connect(checkout / source.CACHE / "cache.db") as database:
        assert database.execute("UPDATE Cache SET value = ?", (value,)).rowcount == 1
    assert source.summary(module(checkout)) == read
    with sqlite3.connect(checkout / source.CACHE / "cache.db") as database:
        [(kept,)] = database.execute("SELECT value FROM Cache")
    assert json.loads(zlib.decompress(kept))[0][0][0] == read.statements[0].text


def test_a_cache_held_by_another_process_is_not_an_error(checkout):
    read = source.summary(module(checkout))
    with sqlite3.connect(checkout / source.CACHE / "cache.db", isolation_level=None) as database:
        database.execute("BEGIN EXCLUSIVE")
        assert source.summary(module(checkout)) == read
        assert "MORE" in source.summary(module(checkout, SOURCE + "MORE = 1\n")).names


def test_a_corrupt_cache_is_not_an_error(checkout):
    folder = checkout / source.CACHE
    folder.mkdir()
    (folder / "cache.db").write_bytes(b"no database" * 1000)
    assert source.summary(module(checkout)).statements[0].files == ["static/*.js", "words.txt"]
