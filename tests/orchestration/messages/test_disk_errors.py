"""Errors of the disk name the file that Python names, and say which disk is full."""

import errno
import sqlite3
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import sqlalchemy

from silverloom.orchestration.messages import describe


def test_the_file_that_an_error_names_is_named(tmp_path):
    with pytest.raises(OSError) as caught:
        (tmp_path / "none").read_bytes()
    assert describe(caught.value) == f"No such file or directory ({tmp_path / 'none'})"
    assert describe(ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")) == (
        "Connection reset by peer"
    )


def test_a_file_that_the_text_names_already_is_not_repeated(tmp_path):
    with pytest.raises(OSError) as caught:
        pq.ParquetFile(tmp_path / "rows.parquet")
    assert describe(caught.value).count(str(tmp_path)) == 1


def test_the_full_disk_is_that_of_the_file(monkeypatch):
    monkeypatch.setattr(
        "silverloom.orchestration.files.full_disk.full_line", lambda path=None, name="": f"full: {path}"
    )
    for name, path in (("/dev/full", Path("/dev/full")), (None, None)):
        assert describe(OSError(errno.ENOSPC, "No space left on device", name)) == f"full: {path}"


def test_an_error_of_sqlite_is_told_without_its_statement():
    error = sqlalchemy.exc.OperationalError("SELECT 1", {}, sqlite3.OperationalError("disk I/O error"))
    assert describe(error) == "OperationalError: disk I/O error"
