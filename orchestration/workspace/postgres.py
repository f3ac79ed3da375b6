"""Postgres servers that keep state in place of the SQLite files of a checkout.

Belongs here: which address names Dagster's, whether a server answers, and its errors as a line without
passwords. Not here: the stores themselves (dagster/instance.py, mlflow/store.py).
"""

from __future__ import annotations

import importlib.util
import os
import time
from typing import Any

#: The variable that puts Dagster's storage on a server.
DAGSTER = "SILVERLOOM_DAGSTER_POSTGRES"

#: What has the drivers: modules and their packages, of requirements-cluster.lock.
_PACKAGES = {"dagster_postgres": "dagster-postgres", "psycopg2": "psycopg2-binary"}

#: Seconds for which a server that does not answer is asked again, between two tries, and for one connection.
PATIENCE, _PAUSE, _TIMEOUT = 5.0, 0.5, 5

#: What a server says that starts, stops or is busy: it may take the next connection.
_PASSING = ("starting up", "shutting down", "too many clients", "recovery mode")


def dagster_address() -> str | None:
    """Return the address of Dagster's server; None where its storage is in SQLite files.

    Raises ValueError for an address that is none of Postgres, RuntimeError where packages are missing.
    """
    address = os.environ.get(DAGSTER, "")
    if not address:
        return None
    _parsed(address, DAGSTER)
    _check_installed(DAGSTER)
    return address


def with_driver(address: str) -> str:
    """Return an address that names the driver which is installed: SQLAlchemy 2.1 would take another.

    Dagster's storage goes by psycopg2's errors. Other addresses stay as they are.
    """
    scheme, sign, rest = address.partition("://")
    return f"postgresql+psycopg2{sign}{rest}" if scheme in ("postgresql", "postgres") else address


def is_postgres(address: str) -> bool:
    """Say whether an address, perhaps of another kind of store, is of a Postgres server."""
    return address.partition("://")[0].partition("+")[0] == "postgresql"


def check_answers(address: str, use: str, patience: float = PATIENCE) -> None:
    """Connect to a server once. `use` tells what it is for, in an error.

    Raises RuntimeError, which names host, port and cause, where the server cannot be used.
    """
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import NullPool

    url = _parsed(with_driver(address), use)
    _check_installed(use)
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
    """Return in a line that Dagster's server went away, if that is what an error comes from."""
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
    """Return host and port of a server."""
    url = _parsed(address, DAGSTER)
    host = url.host or url.query.get("host") or "localhost"
    return f"{host}:{url.port or url.query.get('port') or 5432}"


def _line(address: str, use: str, cause: str) -> str:
    return f"Postgres at {place(address)} ({use}) cannot be used: {cause}"


def _cause(error: object) -> str:
    """Return what is wrong, of a message that names each way to a host, with hints."""
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
    except (ArgumentError, ValueError):  # whose message may show a password
        pass
    raise ValueError(f"{use}: an address like postgresql://user:password@host:5432/database is needed")


def _check_installed(use: str) -> None:
    wanted = _PACKAGES if use == DAGSTER else {"psycopg2": _PACKAGES["psycopg2"]}
    missing = [package for module, package in wanted.items() if importlib.util.find_spec(module) is None]
    if missing:
        raise RuntimeError(
            f"{use} names a Postgres server, for which this is not installed: {', '.join(missing)}; "
            "run `make cluster`"
        )
