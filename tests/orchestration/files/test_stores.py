"""Stores of other tools that cannot be used: the cause is theirs, and the remedy fits it."""

import contextlib
import sqlite3

import pytest

from silverloom.orchestration.files.stores import StoreError, store_errors


@pytest.fixture
def held(tmp_path):
    """A database that another connection holds, and a function that fails at it."""
    path = tmp_path / "store.db"

    def fail():
        with contextlib.closing(sqlite3.connect(path, timeout=0)) as store:
            store.execute("CREATE TABLE t (x)")

    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        yield path, fail


def test_a_store_that_is_held_is_not_to_be_moved_away(held):
    path, fail = held
    with (
        pytest.raises(StoreError, match=r"store\.db: database is locked; another process holds it") as caught,
        store_errors("The store", [path]),
    ):
        fail()
    assert "move it away" not in str(caught.value)


def test_a_store_that_cannot_be_opened_may_be_moved_away(tmp_path):
    path = tmp_path / "store.db"
    path.mkdir()
    with pytest.raises(StoreError) as caught, store_errors("The store", [path]):
        sqlite3.connect(path)
    assert "readable and writable, or move it away to start a new one" in str(caught.value)


def test_an_error_of_the_code_that_handles_one_of_the_store_stays_itself(held):
    path, fail = held
    with pytest.raises(AttributeError), store_errors("The store", [path]):
        try:
            fail()
        except sqlite3.OperationalError:
            path.no_such_attribute  # noqa: B018
