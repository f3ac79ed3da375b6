"""Write runs into MLflow's SQLite store, each whole, in one transaction.

Belongs here: the tables of MLflow's tracking store, created by MLflow itself, and the rows that one run is in
them. Not here: what is tracked of a partition (tracking.py).

MLflow's own client takes 2 s to import, in every process that makes a partition of a quarter of a second,
and several transactions a run, so that a killed process leaves half of one (benchmarks/tracking.py). The rows
are those that it writes, which a test holds; they go into no tables but those of the revision they are for.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import sqlite3
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestration.files.damage import make_folder, remove_file
from orchestration.files.locks import lock_within
from orchestration.files.sqlite import damaged, fault, set_damaged_aside
from orchestration.mlflow.values import folded, number, texts

#: The folder beside the store in which the files of runs lie.
ARTIFACTS = "mlflow"

#: The revision of the tables that MLflow of requirements.lock creates, and that these rows fit.
REVISION = "dc11669786a5"

_TABLE, _THEN = "experiments", "with the runs so far; a new store begins"

#: Seconds that a run waits for another process to write its own.
PATIENCE = 10.0

#: Seconds that it waits for another process to create or upgrade the tables.
MIGRATION = 30.0

#: MLflow's limits (mlflow.utils.validation); a digest, DVC's `<32 hex>.dir`, just fits its 36 characters.
_PARAM, _TAG, _DIGEST, _NAME = 6000, 8000, 36, 250

_SCHEME = "mlflow-artifacts:"


class OtherRevisionError(RuntimeError):
    """The tables are not those that runs are written for."""


@dataclass(frozen=True)
class Table:
    """A version of a dataset that a run read or made."""

    name: str
    digest: str
    context: str
    """`input` or `output`."""
    source: str
    """JSON that says where it lies."""
    profile: str | None = None
    """JSON that says how large it is."""


@dataclass(frozen=True)
class Run:
    """One run as MLflow knows it, with the runs that belong to it."""

    name: str
    status: str
    start: int
    """Milliseconds since 1970, as `end` is."""
    end: int
    params: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    children: Sequence[Run] = ()
    curve: Sequence[tuple[str, int, float]] = ()
    """Metrics over steps: name, step, value."""
    artifacts: Path | None = None
    """A folder that becomes one of the run's artifacts, under its own name; it is moved there."""


@dataclass(frozen=True)
class Experiment:
    """What runs are gathered in."""

    name: str
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Written:
    """Where a run is found again."""

    experiment_id: int
    run_id: str


def prepare(path: Path, thorough: bool = False) -> None:
    """Let MLflow create or upgrade its tables, unless they are of today's revision; one process at a time.

    A new store appears whole: it is made beside its place and renamed. A damaged one is set aside, after a
    `thorough` look at all of it or a quick one. Raises OtherRevisionError where MLflow's own tables are of
    another revision than runs are for, TimeoutError where another process is at it for longer than MIGRATION.
    """
    if not thorough and fault(path, _TABLE) is None and path.exists() and _revision(path) == REVISION:
        return
    make_folder(path.parent)
    with contextlib.closing(lock_within(path.with_name(f"{path.name}.opening"), MIGRATION)):
        set_damaged_aside(path, _TABLE, _THEN, thorough)
        if not path.exists():
            new = path.with_name(f".{path.name}.new")
            remove_file(new)
            _migrate(new)
            new.replace(path)
        elif _revision(path) != REVISION:
            _migrate(path)
    if (found := _revision(path)) != REVISION:
        raise OtherRevisionError(f"{path.name} has tables of revision {found}, runs are for {REVISION}")


def write(path: Path, experiment: Experiment, run: Run) -> Written:
    """Write a run and its children into an experiment, which is created if need be: all of it or nothing.

    Raises sqlite3.Error, OtherRevisionError, and LookupError where the experiment was deleted in MLflow.
    """
    prepare(path)
    try:
        return _write(path, experiment, run)
    except sqlite3.DatabaseError as error:
        if not damaged(error):
            raise
    prepare(path, thorough=True)
    return _write(path, experiment, run)


def _write(path: Path, experiment: Experiment, run: Run) -> Written:
    with _connection(path, "rw") as store, store:
        store.execute("BEGIN IMMEDIATE")
        experiment_id = _experiment(store, experiment, run.end)
        run_id = _insert(store, experiment_id, run)
        _move(path, experiment_id, run_id, run)
        for child in run.children:
            _move(path, experiment_id, _insert(store, experiment_id, child, run_id), child)
    return Written(experiment_id, run_id)


def find(path: Path, experiment: str, tags: Mapping[str, str]) -> Written | None:
    """Return the latest run of an experiment that bears these tags; None where there is none, or no store.

    Raises sqlite3.Error where the store cannot be read.
    """
    if not path.exists():
        return None
    conditions = "".join(
        " AND EXISTS (SELECT 1 FROM tags t WHERE t.run_uuid = r.run_uuid AND t.key = ? AND t.value = ?)"
        for _ in tags
    )
    query = (
        "SELECT r.experiment_id, r.run_uuid FROM runs r JOIN experiments e USING (experiment_id)"  # noqa: S608
        f" WHERE e.name = ? AND r.lifecycle_stage = 'active'{conditions} ORDER BY r.end_time DESC LIMIT 1"
    )
    values = [experiment, *(value for pair in tags.items() for value in pair)]
    with _connection(path, "ro") as store:
        row = store.execute(query, values).fetchone()
    return Written(*row) if row else None


@contextlib.contextmanager
def _connection(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    with contextlib.closing(
        sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
    ) as connection:
        yield connection


def _revision(path: Path) -> str | None:
    with _connection(path, "ro") as store:
        try:
            row = store.execute("SELECT version_num FROM alembic_version").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return None
            raise
    return str(row[0]) if row else None


def _migrate(path: Path) -> None:
    from mlflow.store.db import utils
    from mlflow.store.tracking import sqlalchemy_store

    tables: Any = utils
    store: Any = sqlalchemy_store.SqlAlchemyStore
    logging.getLogger("mlflow").setLevel(logging.WARNING)
    url = f"sqlite:///{path.absolute()}"
    if path.exists():
        engine = tables.create_sqlalchemy_engine(url)
        tables._upgrade_db(engine)
    else:
        engine = store(url, f"{_SCHEME}/").engine
    engine.dispose()


def _experiment(store: sqlite3.Connection, experiment: Experiment, now: int) -> int:
    name = experiment.name
    found = store.execute("SELECT experiment_id, lifecycle_stage FROM experiments WHERE name = ?", (name,))
    if (row := found.fetchone()) is not None:
        if row[1] != "active":
            raise LookupError(f"the experiment {name} was deleted in MLflow: `mlflow experiments restore` it")
        return int(row[0])
    created = store.execute(
        "INSERT INTO experiments (name, lifecycle_stage, creation_time, last_update_time)"
        " VALUES (?, ?, ?, ?)",
        (name, "active", now, now),
    )
    number = int(created.lastrowid or 0)
    location = (f"{_SCHEME}/{number}", number)
    store.execute("UPDATE experiments SET artifact_location = ? WHERE experiment_id = ?", location)
    store.executemany(
        "INSERT INTO experiment_tags (key, value, experiment_id) VALUES (?, ?, ?)",
        [(key, text, number) for key, text in experiment.tags.items()],
    )
    return number


def _insert(store: sqlite3.Connection, experiment_id: int, run: Run, parent: str | None = None) -> str:
    run_id = uuid.uuid4().hex
    name = run.name[:_NAME]
    tags = {**run.tags, "mlflow.runName": name, **({"mlflow.parentRunId": parent} if parent else {})}
    store.execute(
        "INSERT INTO runs (run_uuid, name, source_type, source_name, entry_point_name, user_id, status,"
        " start_time, end_time, source_version, lifecycle_stage, artifact_uri, experiment_id)"
        " VALUES (?, ?, 'UNKNOWN', '', '', '', ?, ?, ?, '', 'active', ?, ?)",
        (
            run_id,
            name,
            run.status,
            run.start,
            run.end,
            f"{_SCHEME}/{experiment_id}/{run_id}/artifacts",
            experiment_id,
        ),
    )
    for table, values, limit in (("params", run.params, _PARAM), ("tags", tags, _TAG)):
        store.executemany(
            f"INSERT INTO {table} (key, value, run_uuid) VALUES (?, ?, ?)",  # noqa: S608
            [(key, text, run_id) for key, text in texts(values, limit).items()],
        )
    _insert_metrics(store, run_id, run)
    for item in run.tables:
        _insert_table(store, experiment_id, run_id, item)
    return run_id


def _move(path: Path, experiment_id: int, run_id: str, run: Run) -> None:
    """Bring a run's artifacts to where MLflow's server looks for them."""
    if run.artifacts is not None:
        place = path.with_name(ARTIFACTS) / str(experiment_id) / run_id / "artifacts"
        make_folder(place)
        shutil.move(run.artifacts, place / run.artifacts.name)


def _insert_metrics(store: sqlite3.Connection, run_id: str, run: Run) -> None:
    points = [*((name, 0, value) for name, value in run.metrics.items()), *run.curve]
    keys = {name: key for key, name in folded({name: name for name, _, _ in points}).items()}
    latest = {point[0]: point for point in points}
    for table, rows in (("metrics", points), ("latest_metrics", latest.values())):
        store.executemany(
            f"INSERT INTO {table} (key, value, is_nan, timestamp, step, run_uuid)"  # noqa: S608
            " VALUES (?, ?, ?, ?, ?, ?)",
            [(keys[name], *number(value), run.end, step, run_id) for name, step, value in rows],
        )


def _insert_table(store: sqlite3.Connection, experiment_id: int, run_id: str, item: Table) -> None:
    if len(item.digest) > _DIGEST:
        raise ValueError(f"the digest of {item.name} is longer than {_DIGEST} characters: {item.digest}")
    place = (experiment_id, item.name, item.digest)
    store.execute(
        "INSERT OR IGNORE INTO datasets (experiment_id, name, digest, dataset_uuid, dataset_source_type,"
        " dataset_source, dataset_profile) VALUES (?, ?, ?, ?, 'local', ?, ?)",
        (*place, uuid.uuid4().hex, item.source, item.profile),
    )
    (dataset,) = store.execute(
        "SELECT dataset_uuid FROM datasets WHERE experiment_id = ? AND name = ? AND digest = ?", place
    ).fetchone()
    edge = uuid.uuid4().hex
    store.execute(
        "INSERT INTO inputs (input_uuid, source_type, source_id, destination_type, destination_id)"
        " VALUES (?, 'DATASET', ?, 'RUN', ?)",
        (edge, dataset, run_id),
    )
    context = (edge, "mlflow.data.context", item.context)
    store.execute("INSERT INTO input_tags (input_uuid, name, value) VALUES (?, ?, ?)", context)
