"""Transient failures are retried, a few times; permanent ones never."""

import errno
import sqlite3

import dagster as dg
import pytest
from dvc.lock import LockError

from orchestration.failures import TRIES, give_up_or_retry

PASSING = [
    OSError(errno.EIO, "io"),
    BlockingIOError(errno.EAGAIN, "busy"),
    sqlite3.OperationalError("database is locked"),
    LockError("held"),
]
LASTING = [
    ValueError("bad"),
    OSError(errno.ENOSPC, "full"),
    KeyError("x"),
    sqlite3.OperationalError("no such table"),
]


@pytest.mark.parametrize("error", PASSING, ids=repr)
def test_a_transient_failure_is_tried_again_with_a_growing_pause(error):
    pauses = []
    for tried in range(TRIES):
        with pytest.raises(dg.RetryRequested) as caught:
            give_up_or_retry(error, tried, "asset")
        pauses.append(caught.value.seconds_to_wait)
    assert pauses == [1, 2, 4]
    with pytest.raises(dg.Failure) as ended:
        give_up_or_retry(error, TRIES, "asset")
    assert not ended.value.allow_retries


@pytest.mark.parametrize("error", LASTING, ids=repr)
def test_a_permanent_failure_is_not_tried_again(error):
    with pytest.raises(dg.Failure, match="asset 2018-06") as caught:
        give_up_or_retry(error, 0, "asset 2018-06")
    assert not caught.value.allow_retries
