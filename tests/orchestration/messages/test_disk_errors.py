"""Errors of the disk name the file, although Python and Arrow leave it out once a file is open."""

import errno
import os
import pickle
import shutil
import sqlite3
from pathlib import Path

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy

from silverloom.orchestration.files.publish import sync_to_disk
from silverloom.orchestration.messages import describe, give_up_or_retry

#: Reading its first page fails with EIO; writing this one fails with ENOSPC.
UNREADABLE, FULL = "/proc/self/mem", "/dev/full"


def failed(action, *arguments):
    with pytest.raises(OSError) as caught:
        action(*arguments)
    assert caught.value.filename is None
    return caught.value


def read(path):
    return Path(path).read_bytes()


def read_by_arrow(path):
    return pa.OSFile(path).read(10)


def copy(source, target):
    with Path(source).open("rb") as first, target.open("wb") as second:
        shutil.copyfileobj(first, second)


def sync(path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error")))
        sync_to_disk(path)


def test_the_file_that_cannot_be_read_written_or_synced_is_named(tmp_path):
    assert describe(failed(read, UNREADABLE)) == f"Input/output error ({UNREADABLE})"
    assert UNREADABLE in describe(failed(read_by_arrow, UNREADABLE))
    assert describe(failed(sync, tmp_path)) == f"Input/output error ({tmp_path})"
    both = describe(failed(copy, UNREADABLE, tmp_path / "copy"))
    assert both == f"Input/output error ({UNREADABLE}, {tmp_path / 'copy'})"


def test_both_files_of_an_error_about_two_are_named():
    error = OSError(errno.EXDEV, "Invalid cross-device link", "first", None, "second")
    assert describe(error) == "Invalid cross-device link (first to second)"


def test_the_name_travels_with_an_error_to_another_process():
    with pytest.raises(OSError) as caught:
        give_up_here(UNREADABLE)
    assert describe(pickle.loads(pickle.dumps(caught.value))) == f"Input/output error ({UNREADABLE})"


def give_up_here(path):
    try:
        read(path)
    except OSError as error:
        describe(error)
        raise


def test_an_error_that_is_not_of_a_disk_names_no_file(tmp_path):
    def connect(path):
        raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")

    assert describe(failed(connect, tmp_path)) == "Connection reset by peer"


def test_a_file_that_the_text_names_already_is_not_repeated(tmp_path):
    with pytest.raises(OSError) as caught:
        pq.ParquetFile(tmp_path / "rows.parquet")
    assert describe(caught.value).count(str(tmp_path)) == 1


def test_the_full_disk_is_that_of_the_file(monkeypatch):
    def write(path):
        with Path(path).open("wb", buffering=0) as file:
            file.write(b"x")

    monkeypatch.setattr(
        "silverloom.orchestration.files.full_disk.full_line", lambda path=None, name="": f"full: {path}"
    )
    assert describe(failed(write, FULL)) == f"full: {FULL}"


def test_an_error_of_sqlite_is_told_without_its_statement():
    error = sqlalchemy.exc.OperationalError("SELECT 1", {}, sqlite3.OperationalError("disk I/O error"))
    assert describe(error) == "OperationalError: disk I/O error"


def test_a_failure_in_dagster_names_the_file():
    error = failed(read, UNREADABLE)
    with pytest.raises(dg.Failure) as caught:
        give_up_or_retry(error, 9, "toy/rows 2018-06")
    assert caught.value.description == f"toy/rows 2018-06: Input/output error ({UNREADABLE})"


@pytest.mark.parametrize("text", ["/" + "word " * 1000, "/api/2.0/runs/search", "/search?q=a", "/a\0b"])
def test_a_text_that_begins_with_a_slash_but_is_no_file_is_not_named(text):
    def send(page):
        raise OSError(errno.EIO, "Input/output error")

    assert describe(failed(send, text)) == "Input/output error"
