"""Dagster's SQLite stores, each with connections that stay open, by one engine of SQLAlchemy.

Dagster itself makes a new engine for every event, which compiles its statements anew, waits for the disk
after each, and writes SQLite's log into its store with every connection that it closes. Here SQLite waits for
the disk only where it moves its log into the store: a power failure may cost the last events, of which
sync.py tells Dagster again what is on disk; the store stays whole.

Belongs here: how the stores are connected to; dagster.yaml names these classes. Not here: opening them, and
what becomes of damaged ones (instance.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.storage.event_log import ConsolidatedSqliteEventLogStorage
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DisconnectionError
from watchdog.events import FileSystemEvent, PatternMatchingEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver


class EventLog(ConsolidatedSqliteEventLogStorage):
    """The events of all runs, in one file."""

    _observer: BaseObserver | None = None

    @cached_property
    def _engine(self) -> Engine:
        return _engine(f"sqlite:///{self.get_db_path()}")  # type: ignore[no-untyped-call]

    def watch(
        self, run_id: str, cursor: str | None, callback: Callable[[dg.EventLogEntry, str], None]
    ) -> None:
        """Call back for every event of a run from now on: the log of a run in the browser grows by this.

        SQLite writes events beside its store first, where Dagster does not look.
        """
        if self._observer is None:
            handler = _Modified(self)
            self._observer = Observer()
            self._observer.schedule(handler, str(handler.folder))
            self._observer.start()
        self._watchers[run_id][callback] = cursor

    def dispose(self) -> None:
        """Close the connections."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None
        super().dispose()  # type: ignore[no-untyped-call]
        self._engine.dispose()

    @contextmanager
    def index_connection(self) -> Iterator[Connection]:
        """Begin a transaction on the log."""
        with self._engine.begin() as connection:
            yield connection

    @contextmanager
    def run_connection(self, run_id: str | None) -> Iterator[Connection]:
        """Begin a transaction on the log, which holds the events of this run, too."""
        with self._engine.begin() as connection:
            yield connection


class _Modified(PatternMatchingEventHandler):
    """Looks for new events where the log was written to."""

    def __init__(self, log: EventLog) -> None:
        store = Path(log.get_db_path())  # type: ignore[no-untyped-call]
        super().__init__(patterns=[str(store), f"{store}-wal"])
        self.folder = store.parent
        self._log = log

    def on_modified(self, event: FileSystemEvent) -> None:
        self._log.on_modified()  # type: ignore[no-untyped-call]


class RunList(SqliteRunStorage):
    """The list of runs."""

    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(conn_string, inst_data)
        self._engine = _engine(conn_string)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> RunList:
        """Return the list where Dagster keeps it by default: in `history` below the configured folder."""
        return cls.from_local(str(Path(config_value["base_dir"]) / "history"), inst_data)

    def dispose(self) -> None:
        """Close the connections."""
        super().dispose()
        self._engine.dispose()

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Begin a transaction on the list."""
        with self._engine.begin() as connection:
            yield connection


def _engine(address: str) -> Engine:
    """Return an engine whose connections are closed where the store was replaced, such as a damaged one."""
    engine = create_engine(address, max_overflow=-1, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS})
    store = Path(engine.url.database)

    def connecting(_dialect: Any, record: Any, _arguments: Any, _options: Any) -> None:
        record.info["of"] = _owner(store)  # before SQLite opens it

    def connected(connection: Any, _record: Any) -> None:
        connection.execute("PRAGMA synchronous=NORMAL")

    def used(_connection: Any, record: Any, _pooled: Any) -> None:
        if record.info["of"] != _owner(store):
            raise DisconnectionError(f"{store} was replaced")  # by which SQLAlchemy connects anew

    event.listen(engine, "do_connect", connecting)
    event.listen(engine, "connect", connected)
    event.listen(engine, "checkout", used)
    return engine


def _owner(store: Path) -> tuple[int, int | None]:
    """Return of what a connection is: a process, and the file that lies there now, if any."""
    try:
        return os.getpid(), store.stat().st_ino
    except FileNotFoundError:
        return os.getpid(), None
