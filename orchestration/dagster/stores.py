"""Dagster's own SQLite stores, each with its connections kept open and all events in one file.

Belongs here: how Dagster connects to runs and events, as dagster.yaml names it. Not here: where the stores
lie, and what happens to damaged ones (instance.py).

Dagster's stores open a connection for every statement, and its default one for events begins a file for every
run: together half of the time that a small partition takes beyond its work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import sqlalchemy
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.sqlite.consolidated_sqlite_event_log import (
    ConsolidatedSqliteEventLogStorage,
)
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS, create_db_conn_string
from dagster._serdes import ConfigurableClassData


class _KeptOpen:
    """A store whose connections are used again."""

    _conn_string: str

    @cached_property
    def _engine(self) -> sqlalchemy.Engine:
        patience = {"timeout": SQLITE_BUSY_TIMEOUT_SECONDS}
        engine = sqlalchemy.create_engine(self._conn_string, connect_args=patience)
        # With a write-ahead log the store stays whole; after a power cut the last events may be missing.
        sqlalchemy.event.listen(engine, "connect", lambda new, _: new.execute("PRAGMA synchronous=NORMAL"))
        return engine

    @contextmanager
    def connect(self) -> Iterator[sqlalchemy.Connection]:
        """Give a connection in a transaction, which is committed at the end."""
        with self._engine.begin() as connection:
            yield connection

    def dispose(self) -> None:
        """Close all connections."""
        self._engine.dispose()


class RunStore(_KeptOpen, SqliteRunStorage):
    """The list of runs, `runs.db`."""

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> RunStore:
        """Open what dagster.yaml names."""
        return cls.from_local(inst_data=inst_data, **config_value)


class EventStore(_KeptOpen, ConsolidatedSqliteEventLogStorage):
    """The events of all runs, `index.db`: the file in which Dagster's default store keeps those of assets."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(base_dir, inst_data)
        self._conn_string = create_db_conn_string(base_dir, "index")

    def get_db_path(self) -> str:
        """Return where the events lie."""
        return f"{self._base_dir}/index.db"

    def _init_db(self) -> None:
        SqliteEventLogStorage(self._base_dir)  # which makes its index, marked as of today's revision

    def _connect(self) -> Any:
        return self.connect()
