"""Which failures pass by themselves, and which do not.

Belongs here: telling transient errors (locks, replaced inputs, input and output) from permanent ones, and
turning both into what Dagster understands. Only the first kind is retried.
"""

from __future__ import annotations

import errno
import sqlite3
from typing import NoReturn

from assets.declare.logins import without_logins
from orchestration.files.full_disk import causes, full_disk
from orchestration.files.identity import InputReplacedError
from orchestration.workspace.postgres import unreachable

TRIES = 3


_PASSING = {errno.EAGAIN, errno.EBUSY, errno.EIO, errno.EINTR, errno.ETIMEDOUT, errno.ESTALE, errno.ENOLCK}


def transient(error: BaseException) -> bool:
    """Say whether an error, or what caused it, may be gone at the next try."""
    return any(_transient(cause) for cause in causes(error))


def _transient(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _PASSING
    if isinstance(error, sqlite3.OperationalError):
        return "locked" in str(error)
    return (
        isinstance(error, InputReplacedError) or type(error).__name__ == "LockError"
    )  # DVC's, without importing DVC


def give_up_or_retry(error: Exception, tried: int, label: str) -> NoReturn:
    """Raise what Dagster needs: a retry after 1, 2, 4 seconds, or a failure that is not retried."""
    import dagster as dg  # which takes a second: most commands end without it

    if transient(error) and tried < TRIES:
        raise dg.RetryRequested(max_retries=TRIES, seconds_to_wait=2**tried) from error
    raise dg.Failure(description=f"{label}: {describe(error)}", allow_retries=False) from error


def describe(error: BaseException) -> str:
    """Return an error as people should read it; addresses in it are without logins."""
    return without_logins(_described(error))


def _described(error: BaseException) -> str:
    if (line := full_disk(error)) is not None:
        return line
    if (line := unreachable(error)) is not None:
        return line
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror} ({error.filename})" if error.filename else error.strerror
    worded = isinstance(error, (ValueError, RuntimeError, LookupError)) and not isinstance(error, KeyError)
    return str(error) if worded else f"{type(error).__name__}: {error}"
