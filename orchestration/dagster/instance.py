"""Dagster's instance of this checkout: its storage, and how to read its events.

Belongs here: opening the instance. Not here: its settings (settings.py), runs
(run/dagster_run.py).
"""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

import dagster as dg

from silverloom.orchestration.compat import open_instance
from silverloom.orchestration.dagster.settings import COMMANDS, prepare
from silverloom.orchestration.files.publish import sharing
from silverloom.orchestration.files.stores import check_store, store_errors
from silverloom.orchestration.partition.dagster_events import failed_check
from silverloom.orchestration.workspace import postgres
from silverloom.orchestration.workspace.workspace import Workspace

#: The files of Dagster's storage below its home.
_STORES = ("history/runs.db", "event_log.db", "schedules/schedules.db")
#: Tables of which each has one as soon as it has any, and the one that it gets after all others.
_TABLES, _LAST_TABLE = ("secondary_indexes", "event_logs", "jobs"), "alembic_version"

_WHAT = "Dagster's store"

#: The variable that, set to `json`, lets the daemon and most runs log JSON, a line each.
LOGS = "SILVERLOOM_LOGS"


def as_json() -> bool:
    """Return whether logs are wanted as JSON. Raises ValueError for another value."""
    if (wanted := os.environ.get(LOGS, "")) not in ("", "json"):
        raise ValueError(f"{LOGS}={wanted}: set it to json, or leave it out")
    return wanted == "json"


def quiet() -> dict[str, object]:
    """Return the config of runs in this process: their logs do not mix with its own output, unless wanted."""
    return {"loggers": {"console": {"config": {"log_level": "INFO" if as_json() else "CRITICAL"}}}}


def logged() -> dict[str, object]:
    """Return the config of runs that Dagster's servers begin. Without it, Dagster logs them in colours."""
    return {"loggers": {"console": {}}} if as_json() else {}


@lru_cache(maxsize=1)
def instance() -> dg.DagsterInstance:
    """Return the instance of this checkout, created on first use. Its storage is in .dagster or on a server.

    Raises RuntimeError if the folder, a file of the storage, the server or the settings cannot be used,
    ValueError if the server's address is invalid.
    """
    server = postgres.dagster_address()
    _check_writable()
    with dagster_errors(), contextlib.ExitStack() as held:
        prepare(home(), on_server=server is not None)
        if server is not None:
            postgres.check_answers(server, postgres.DAGSTER)
        else:
            tables = [check_store(_WHAT, home() / name, _TABLES) for name in _STORES]
            if not all(_LAST_TABLE in of_file for of_file in tables):
                held.enter_context(sharing(Workspace(home().parent)))  # two would both create the tables
        return _open.enter_context(open_instance(home(), COMMANDS))


def dagster_errors() -> contextlib.AbstractContextManager[None]:
    """Raise RuntimeError, with what to do, if a file of Dagster's storage cannot be used in the block."""
    return store_errors(_WHAT, [home() / name for name in _STORES])


def close_stores() -> None:
    """Close all connections of this process, so that SQLite merges its logs into the database files.

    The next use of the instance opens it again.
    """
    _open.close()
    instance.cache_clear()


_open = contextlib.ExitStack()
atexit.register(_open.close)


def home() -> Path:
    """Return Dagster's home folder."""
    return Path(os.environ["DAGSTER_HOME"])


def _check_writable() -> None:
    """Raise RuntimeError if the folder is read-only, immutable, or owned by someone else; create it."""
    home().mkdir(parents=True, exist_ok=True)
    if not os.access(home(), os.W_OK | os.X_OK):
        raise RuntimeError(
            f"{home()} is not writable, but Dagster keeps its runs there: make it writable (chmod u+w, "
            "chattr -i, or remount it), or move it away to start a new one"
        )


def latest_by_partition(
    fetch: Callable[..., dg.EventRecordsResult], key: dg.AssetKey, partitions: Iterable[str]
) -> dict[str, dg.EventLogRecord]:
    """Return the latest event of each partition that has one. `fetch` is a method of the instance."""
    latest: dict[str, dg.EventLogRecord] = {}
    more, missing = True, set(partitions)
    while more and missing:  # one page is enough, unless some partitions have several events
        named = sorted(filter(None, missing))  # "" stands for an unpartitioned asset
        page = fetch(dg.AssetRecordsFilter(key, named or None), limit=len(missing))
        for record in page.records:
            event = record.asset_materialization or record.asset_observation
            latest.setdefault((event and event.partition) or "" if named else "", record)
        more, missing = page.has_more, missing - latest.keys()
    return latest


def cause(events: Iterable[dg.DagsterEvent], otherwise: str = "failed before it started") -> str:
    """Return the innermost human-readable message from a failed run's events, if one says why."""
    events = list(events)
    checks = [
        event.asset_check_evaluation_data
        for event in events
        if event.event_type is dg.DagsterEventType.ASSET_CHECK_EVALUATION
    ]
    if failed := [
        check for check in checks if not check.passed and check.severity == dg.AssetCheckSeverity.ERROR
    ]:
        return "; ".join(map(failed_check, failed))
    data = next((event.step_failure_data for event in events if event.is_step_failure), None)
    if data is None:
        return otherwise
    if data.user_failure_data and data.user_failure_data.description:
        return str(data.user_failure_data.description)
    error = data.error
    while error is not None and error.cause is not None:
        error = error.cause
    return error.message.strip() if error else "failed without a message"
