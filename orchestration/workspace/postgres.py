"""Postgres servers that hold state instead of the checkout's SQLite files.

Belongs here: the address of Dagster's server, whether a server answers, and errors as one line without
passwords. Not here: the stores themselves (dagster/instance.py, mlflow/store.py).
"""

from __future__ import annotations

import os
import time
from typing import Any

from silverloom.ops.core.extras import require

#: The variable that moves Dagster's storage to a server.
DAGSTER = "SILVERLOOM_DAGSTER_POSTGRES"

#: Seconds: how long to retry a server that does not answer, between two tries, and for one connection.
PATIENCE, _PAUSE, _TIMEOUT = 5.0, 0.5, 5

#: Messages of a server that is starting, stopping or busy: the next connection may succeed.
_PASSING = ("starting up", "shutting down", "too many clients", "recovery mode")


def dagster_address() -> str | None:
    """Return the address of Dagster's server, or None if its storage is in SQLite files.

    Raises ValueError for an address that is not of Postgres, RuntimeError if packages are missing.
    """
    address = os.environ.get(DAGSTER, "")
    if not address:
        return None
    _parsed(address, DAGSTER)
    require("postgres", "dagster_postgres", "psycopg2")
    return address


def with_driver(address: str) -> str:
    """Return an address that names the installed driver, since SQLAlchemy 2.1 defaults to another.

    Dagster's storage relies on psycopg2's errors. Other addresses are returned unchanged.
    """
    scheme, sign, rest = address.partition("://")
    return f"postgresql+psycopg2{sign}{rest}" if scheme in ("postgresql", "postgres") else address


def is_postgres(address: str) -> bool:
    """Return whether an address, possibly of another kind of store, is that of a Postgres server."""
    return address.partition("://")[0].partition("+")[0] == "postgresql"


def check_answers(address: str, use: str, patience: float = PATIENCE) -> None:
    """Connect to a server once. `use` says in errors what the server is for.

    Raises RuntimeError with host, port and cause if the server cannot be used.
    """
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import NullPool

    url = _parsed(with_driver(address), use)
    require("postgres", *(("dagster_postgres",) if use == DAGSTER else ()), "psycopg2")
    engine = create_engine(url, connect_args={"connect_timeout": _TIMEOUT}, poolclass=NullPool)
    end = time.monotonic() + patience
    while True:
        try:
            engine.connect().close()
        except DBAPIError as error:
            cause = _cause(error.orig)
            refused = "FATAL:" in cause and not any(words in cause for words in _PASSING)
            if refused or time.monotonic() + _PAUSE > end:
                raise RuntimeError(_line(address, use, cause)) from None
        else:
            return
        time.sleep(_PAUSE)


def unreachable(error: BaseException) -> str | None:
    """Return one line about Dagster's server being gone, if that caused the error, else None."""
    address = os.environ.get(DAGSTER, "")
    cause: BaseException | None = error
    while address and cause is not None:
        original = getattr(cause, "orig", None)
        if type(original).__module__ == "psycopg2" and type(original).__name__ in (
            "OperationalError",
            "InterfaceError",
        ):
            return _line(address, DAGSTER, _cause(original))
        cause = cause.__cause__ or cause.__context__
    return None


def place(address: str) -> str:
    """Return a server's host and port."""
    url = _parsed(address, DAGSTER)
    host = url.host or url.query.get("host") or "localhost"
    return f"{host}:{url.port or url.query.get('port') or 5432}"


def _line(address: str, use: str, cause: str) -> str:
    return f"Postgres at {place(address)} ({use}) cannot be used: {cause}"


def _cause(error: object) -> str:
    """Return the cause from a message that lists every address tried, with hints."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    return first.rpartition(" failed: ")[2]


def _parsed(address: str, use: str) -> Any:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(address)
        if is_postgres(url.drivername) and url.database:
            return url
    except (ArgumentError, ValueError):  # its message may contain a password
        pass
    raise ValueError(f"{use} needs an address like postgresql://user:password@host:5432/database")
