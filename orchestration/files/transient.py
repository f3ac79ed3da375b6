"""Which failures may be gone on the next try: decided here, by type, for every driver.

Belongs here: the types of errors of the network, of servers, of locks and of the system. Not here: how often
and when a partition is tried again (messages.py), the retries of one request (ops/crawl).
"""

from __future__ import annotations

import errno
import socket
import sqlite3
import sys
from collections.abc import Iterator

from silverloom.orchestration.files.full_disk import causes


class InputReplacedError(RuntimeError):
    """An input changed after it was opened; the text names it. The next try may succeed."""


_TYPES = (BlockingIOError, ConnectionError, TimeoutError, InputReplacedError)

_NUMBERS = frozenset(
    {errno.EAGAIN, errno.EBUSY, errno.EIO, errno.EINTR, errno.ESTALE, errno.ENOLCK}
    | {errno.ENETDOWN, errno.ENETUNREACH, errno.EHOSTUNREACH}
)

#: Errors of the network and time-outs of modules that most commands do not load. One that is not loaded has
#: raised nothing.
_OF_MODULES = {
    "aiohttp": ("ClientConnectionError", "ClientPayloadError"),
    "botocore.exceptions": ("ConnectionError", "HTTPClientError", "IncompleteReadError"),
    "http.client": ("IncompleteRead",),
    "httpx": ("TransportError",),
    "silverloom.ops.crawl.client": ("UnavailableError",),
    "requests.exceptions": ("ConnectionError", "Timeout", "ChunkedEncodingError"),
    "ssl": ("SSLEOFError",),
    "urllib3.exceptions": ("TimeoutError", "ProtocolError"),
}

#: Too many requests. Errors of servers are 500 and more; every other status from 400 on is a refusal.
_TOO_MANY = 429


def transient(error: BaseException) -> bool:
    """Return whether an error, or its cause, may be gone on the next try.

    An error with an attribute `lasting` never is, whatever its cause.
    """
    chain = list(_all_causes(error))
    return not any(getattr(cause, "lasting", False) for cause in chain) and any(map(_transient, chain))


def _transient(error: BaseException) -> bool:
    if (status := _status(error)) is not None:
        return status == _TOO_MANY or 500 <= status < 600
    if isinstance(error, socket.gaierror):
        return error.errno == socket.EAI_AGAIN
    if isinstance(error, sqlite3.OperationalError):
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    if isinstance(error, (*_TYPES, *_loaded_types())):
        return True
    return isinstance(error, OSError) and error.errno in _NUMBERS


def _all_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, including the reasons that urllib and urllib3 keep."""
    for cause in causes(error):
        yield cause
        if isinstance(reason := getattr(cause, "reason", None), BaseException):
            yield from _all_causes(reason)


def _loaded_types() -> Iterator[type[BaseException]]:
    for name, types in _OF_MODULES.items():
        if (module := sys.modules.get(name)) is not None:
            yield from (getattr(module, kind) for kind in types)


def _status(error: BaseException) -> int | None:
    """Return the HTTP status of the answer that an error of a library is about, or None."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):  # of botocore
        status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    else:
        holders = ((response, "status_code"), (error, "status_code"), (error, "status"), (error, "code"))
        status = next((value for holder, name in holders if (value := getattr(holder, name, None))), None)
    return status if isinstance(status, int) and 400 <= status < 600 else None
