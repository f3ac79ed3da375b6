"""Transient failures are retried a few times; permanent ones never."""

import contextlib
import errno
import http.client
import re
import socket
import sqlite3
import ssl
import urllib.error

import botocore.exceptions
import dagster as dg
import duckdb
import pytest
import requests
import sqlalchemy
import urllib3

from silverloom.assets.declare.settings import EngineParams
from silverloom.ops.crawl.addresses import AddressRefusedError
from silverloom.ops.crawl.client import FetchError, UnavailableError
from silverloom.ops.evaluation.judge.judgements import JudgeError
from silverloom.ops.parse.source import ServiceError
from silverloom.orchestration.cli import command
from silverloom.orchestration.executors import parts
from silverloom.orchestration.executors.base import ClusterLostError, WorkerNotStartedError
from silverloom.orchestration.files.full_disk import DiskFullError, full_disk, full_line
from silverloom.orchestration.messages import describe, give_up_or_retry


def answered(status):
    """The error of requests for an answer with a status."""
    response = requests.Response()
    response.status_code = status
    return requests.HTTPError(f"{status}", response=response)


def caused(error, cause):
    error.__cause__ = cause
    return error


def locked():
    """The error of SQLite about a database that another connection writes to."""
    with (
        contextlib.closing(sqlite3.connect("file:locked?mode=memory&cache=shared", uri=True)) as first,
        contextlib.closing(sqlite3.connect("file:locked?mode=memory&cache=shared", uri=True)) as second,
    ):
        first.execute("CREATE TABLE words (word)")
        first.execute("INSERT INTO words VALUES ('one')")
        try:
            second.execute("SELECT * FROM words")
        except sqlite3.OperationalError as error:
            return error


PASSING = [
    ConnectionError("503 Service Unavailable"),
    ConnectionResetError(),
    TimeoutError("no answer"),
    socket.gaierror(socket.EAI_AGAIN, "try again"),
    OSError(errno.ENETUNREACH, "unreachable"),
    requests.ConnectionError("refused"),
    requests.Timeout("late"),
    http.client.IncompleteRead(b"half"),
    ssl.SSLEOFError(8, "EOF occurred in violation of protocol"),
    answered(429),
    answered(503),
    urllib.error.HTTPError("http://host", 500, "broken", {}, None),
    urllib.error.URLError(ConnectionRefusedError()),
    urllib3.exceptions.ReadTimeoutError(None, "/", "late"),
    urllib3.exceptions.MaxRetryError(None, "/", ConnectionResetError()),
    botocore.exceptions.EndpointConnectionError(endpoint_url="http://host"),
    botocore.exceptions.ClientError({"ResponseMetadata": {"HTTPStatusCode": 503}}, "GetObject"),
    UnavailableError("status 503"),
    caused(JudgeError("no answer to any"), UnavailableError("status 429")),
    caused(ValueError("part 3"), TimeoutError()),
    OSError(errno.EIO, "io"),
    BlockingIOError(errno.EAGAIN, "busy"),
    locked(),
    BlockingIOError("held"),
]
LASTING = [
    ssl.SSLCertVerificationError("certificate has expired"),
    answered(403),
    answered(404),
    urllib.error.HTTPError("http://host", 410, "gone", {}, None),
    botocore.exceptions.ClientError({"ResponseMetadata": {"HTTPStatusCode": 403}}, "GetObject"),
    FetchError("http://host: status 404"),
    AddressRefusedError("robots.txt forbids it"),
    socket.gaierror(socket.EAI_NONAME, "no such name"),
    JudgeError("status 401"),
    ServiceError("recogniser: not installed: run `make setup`"),
    ValueError("bad"),
    OSError(errno.ENOSPC, "full"),
    KeyError("x"),
    sqlite3.OperationalError("no such table"),
    caused(ClusterLostError("no Ray cluster"), TimeoutError()),
    caused(ValueError("part 3"), caused(ClusterLostError("no Ray cluster"), ConnectionRefusedError())),
    caused(WorkerNotStartedError("no machine"), TimeoutError()),
]


@pytest.mark.parametrize("error", PASSING, ids=repr)
def test_a_transient_failure_is_retried_with_growing_pauses(error):
    pauses = []
    for tried in range(3):
        with pytest.raises(dg.RetryRequested) as caught:
            give_up_or_retry(error, tried, "asset")
        pauses.append(caught.value.seconds_to_wait)
    assert pauses == [1, 2, 4]
    with pytest.raises(dg.Failure) as ended:
        give_up_or_retry(error, 3, "asset")
    assert not ended.value.allow_retries


def test_params_bound_the_retries_and_their_pauses(monkeypatch):
    bounds = EngineParams(partition_retries=5, retry_wait=10, longest_retry_wait=25)
    monkeypatch.setattr(parts, "engine_params", lambda: bounds)
    pauses = []
    for tried in range(5):
        with pytest.raises(dg.RetryRequested) as caught:
            give_up_or_retry(ConnectionError("503"), tried, "asset")
        pauses.append((caught.value.max_retries, caught.value.seconds_to_wait))
    assert pauses == [(5, 10), (5, 20), (5, 25), (5, 25), (5, 25)]
    with pytest.raises(dg.Failure):
        give_up_or_retry(ConnectionError("503"), 5, "asset")


@pytest.mark.parametrize("error", LASTING, ids=repr)
def test_a_permanent_failure_is_not_retried(error):
    with pytest.raises(dg.Failure, match="asset 2018-06") as caught:
        give_up_or_retry(error, 0, "asset 2018-06")
    assert not caught.value.allow_retries


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("API request to https://me:s3cret@host:80/api failed", "API request to https://host:80/api failed"),
        ("(postgresql://me:s3%40cret@db/mlflow)", "(postgresql://db/mlflow)"),
        ("s3://key:s3@cret@bucket/papers/a@b.txt", "s3://bucket/papers/a@b.txt"),
        ("postgresql://h/db?user=me&password=s3 failed", "postgresql://h/db?user=***&password=*** failed"),
        ("see https://example.org/?q=me@example.org, or me@example.org", None),
        ("https://example.org, mail to me@example.org", None),
    ],
)
def test_addresses_in_errors_are_shown_without_logins(said, shown):
    assert describe(ValueError(said)) == (shown or said)
    with pytest.raises(dg.Failure) as caught:
        give_up_or_retry(OSError(errno.ENOENT, "No such file", said), 0, "asset")
    assert caught.value.description == f"asset: No such file ({shown or said})"


def sqlite_full(tmp_path):
    """The error of a real database that may not grow, as SQLAlchemy raises it."""
    engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path}/store.db")
    with pytest.raises(sqlalchemy.exc.OperationalError) as caught, engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x)")
        connection.exec_driver_sql("PRAGMA max_page_count = 3")
        for _ in range(9):
            connection.exec_driver_sql("INSERT INTO t VALUES (zeroblob(4000))")
    engine.dispose()
    return caught.value


def test_a_full_disk_is_reported_in_one_line_whatever_error_a_library_makes_of_it(tmp_path, capsys):
    def caused(error, cause):
        error.__cause__ = cause
        return error

    path = str(tmp_path / "kept.parquet")
    for error in (
        sqlite_full(tmp_path),
        OSError(errno.ENOSPC, "No space left on device", path),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        caused(
            RuntimeError("dvc.lock was not written"), OSError(errno.ENOSPC, "No space left on device", path)
        ),
        DiskFullError(errno.ENOSPC, full_line(tmp_path, "kept.parquet"), path),
    ):

        def main(error=error):
            raise error

        with pytest.raises(SystemExit) as ended:
            command.run(main)
        said = capsys.readouterr().err
        assert ended.value.code == 1
        assert re.fullmatch(
            r"error: no space left on the device(?: while writing kept\.parquet)?: "
            r"\d+\.\d MB are free on /\S*; free some space and run again\n",
            said,
        ), said


def test_an_ambiguous_sqlite_error_counts_as_a_full_disk_only_if_a_disk_is_full(tmp_path, monkeypatch):
    try:
        sqlite3.connect(f"file:{tmp_path}/none/store.db?mode=rw", uri=True)
    except sqlite3.OperationalError as error:
        assert full_disk(error) is None and describe(error).startswith("OperationalError: unable to open")
        monkeypatch.setattr("silverloom.orchestration.files.full_disk.free_bytes", lambda place: 4096)
        assert full_disk(error).startswith("no space left on the device: 0.0 MB are free on /")


def test_an_error_of_duckdb_is_known_by_its_type_and_the_words_of_the_system():
    words = 'Could not write file "spilled/0.tmp": No space left on device'
    assert full_disk(duckdb.IOException(words)).startswith("no space left on the device: ")
    for error in (duckdb.IOException("No such file"), duckdb.ConversionException(words), ValueError(words)):
        assert full_disk(error) is None and describe(error).endswith(str(error))
