"""Runs go into MLflow's store as MLflow's own client would write them, whole or not at all."""

import math
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from mlflow import MlflowClient
from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param

from orchestration.files.locks import lock_file
from orchestration.mlflow import store as mlflow_store
from orchestration.mlflow.store import Experiment, Run, Table, find, prepare, write

ROOT = Path(__file__).resolve().parents[3]
DIGEST = "d41d8cd98f00b204e9800998ecf8427e.dir"
RUN = Run(
    name="2018-06",
    status="FINISHED",
    start=1_000,
    end=3_000,
    params={"section.lambda": "0.75", "section.names": '["a", "b"]'},
    metrics={"kept": 3.0, "drop share": 0.25, "odd": math.nan, "endless": math.inf},
    tags={"partition": "2018-06", "mlflow.source.type": "LOCAL"},
    tables=[Table("sources/talks 2018-06", DIGEST, "input", '{"uri": "data/x"}', '{"num_rows": 3}')],
)


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("migrated") / "mlflow.db"
    prepare(path)
    return path


@pytest.fixture
def store(migrated, tmp_path) -> Path:
    path = tmp_path / "mlflow.db"
    path.write_bytes(migrated.read_bytes())
    return path


def client(path) -> MlflowClient:
    return MlflowClient(f"sqlite:///{path}")


def rows(path) -> dict[str, list[dict]]:
    """What is in the tables, without ids and times that no two runs share."""
    own = {"run_uuid", "dataset_uuid", "input_uuid", "source_id", "destination_id", "artifact_uri"}
    own |= {"creation_time", "last_update_time", "timestamp", "start_time", "end_time"}
    found = {}
    with sqlite3.connect(path) as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            cursor = connection.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description]
            lines = [{n: v for n, v in zip(names, row, strict=True) if n not in own} for row in cursor]
            found[table] = sorted(lines, key=repr)
    return found


def test_a_run_is_the_rows_that_mlflows_own_client_writes(store, migrated, tmp_path):
    write(store, Experiment("talksumm/pairs", {"mlflow.note.content": "what"}), RUN)

    other = tmp_path / "other.db"
    other.write_bytes(migrated.read_bytes())
    theirs = client(other)
    experiment = theirs.create_experiment(
        "talksumm/pairs", "mlflow-artifacts:/1", {"mlflow.note.content": "what"}
    )
    run = theirs.create_run(experiment, RUN.start, dict(RUN.tags), RUN.name).info.run_id
    theirs.log_batch(
        run,
        [Metric(name, value, RUN.end, 0) for name, value in RUN.metrics.items()],
        [Param(name, value) for name, value in RUN.params.items()],
    )
    (table,) = RUN.tables
    dataset = Dataset(table.name, table.digest, "local", table.source, None, table.profile)
    theirs.log_inputs(run, [DatasetInput(dataset, [InputTag("mlflow.data.context", table.context)])])
    theirs.set_terminated(run, RUN.status, RUN.end)

    mine, real = rows(store), rows(other)
    for line in (*mine["runs"], *real["runs"]):
        line.pop("user_id")  # the client says "unknown"
    assert {name for name in mine if mine[name]} == {name for name in real if real[name]}
    assert mine == real


def test_children_are_nested_and_long_values_are_cut(store):
    child = Run("gamma=1", "FINISHED", 1, 2, {"long": "x" * 9_000}, {"accuracy": 0.5}, {"t": "y" * 9_000})
    written = write(store, Experiment("talksumm/tuning"), Run("all", "FINISHED", 1, 2, children=[child] * 81))
    mlflow = client(store)
    found = mlflow.search_runs(
        [str(written.experiment_id)], f"tags.mlflow.parentRunId = '{written.run_id}'", max_results=200
    )
    assert len(found) == 81
    assert {len(run.data.params["long"]) for run in found} == {6_000}
    assert {len(run.data.tags["t"]) for run in found} == {8_000}


def test_a_run_that_cannot_be_written_whole_leaves_nothing(store):
    broken = Run("broken", "FINISHED", 1, 2, tables=[Table("x", "too long" * 10, "input", "{}")])
    with pytest.raises(ValueError, match="longer than 36"):
        write(store, Experiment("talksumm/tuning"), Run("all", "FINISHED", 1, 2, children=[RUN, broken]))
    assert not rows(store)["runs"] and len(rows(store)["experiments"]) == 1


def test_keys_that_mlflow_refuses_are_spelt_otherwise(store):
    written = write(store, Experiment("x"), Run("y", "FINISHED", 1, 2, {'a"b;c': "1"}))
    assert client(store).get_run(written.run_id).data.params == {"a_b_c": "1"}


def test_names_that_mlflow_cannot_tell_apart_are_told_apart(store):
    metrics = {"drop: no 'x'": 1.0, 'drop: no "x"': 2.0, "drop: no _x_": 3.0, "y" * 300: 4.0, "y" * 301: 5.0}
    texts = {name: str(value) for name, value in metrics.items()}
    written = write(store, Experiment("x"), Run("y", "FINISHED", 1, 2, texts, metrics, texts))
    data = client(store).get_run(written.run_id).data
    assert data.metrics == {
        "drop: no _x_": 1.0,
        "drop: no _x_ 2": 2.0,
        "drop: no _x_ 3": 3.0,
        "y" * 250: 4.0,
        "y" * 248 + " 2": 5.0,
    }
    assert data.params == {name: str(value) for name, value in data.metrics.items()}
    assert data.params.items() <= data.tags.items()


def test_the_latest_run_with_given_tags_is_found(store):
    assert find(store, "talksumm/pairs", {}) is None
    older = write(store, Experiment("talksumm/pairs"), RUN)
    newer = write(store, Experiment("talksumm/pairs"), Run(**{**vars(RUN), "end": 4_000}))
    assert newer != older and find(store, "talksumm/pairs", {"partition": "2018-06"}) == newer
    assert find(store, "talksumm/pairs", {"partition": "2018-07"}) is None
    client(store).delete_run(newer.run_id)
    assert find(store, "talksumm/pairs", {"partition": "2018-06"}) == older


def test_an_experiment_that_was_deleted_says_how_to_bring_it_back(store):
    written = write(store, Experiment("talksumm/pairs"), RUN)
    client(store).delete_experiment(str(written.experiment_id))
    with pytest.raises(LookupError, match="mlflow experiments restore"):
        write(store, Experiment("talksumm/pairs"), RUN)


OPEN = """
import os
import sys
from pathlib import Path
import orchestration
import mlflow.store.tracking.sqlalchemy_store
from orchestration.mlflow.store import Experiment, Run, write
children = []
for name in sys.argv[2]:
    children.append(os.fork())
    if not children[-1]:
        write(Path(sys.argv[1]), Experiment("talksumm/pairs"), Run(name, "FINISHED", 1, 2))
        sys.exit()
sys.exit(any([os.waitpid(child, 0)[1] for child in children]))
"""


def test_processes_that_open_a_fresh_store_at_once_all_write_their_runs(tmp_path):
    path = tmp_path / "new" / "mlflow.db"
    assert subprocess.run([sys.executable, "-c", OPEN, path, "012"], cwd=ROOT).returncode == 0
    (experiment,) = [one for one in client(path).search_experiments() if one.name == "talksumm/pairs"]
    runs = client(path).search_runs([experiment.experiment_id])
    assert sorted(run.info.run_name for run in runs) == ["0", "1", "2"]


def test_an_older_store_is_upgraded_and_an_unknown_one_refused(store):
    from mlflow.store.db import utils

    with sqlite3.connect(store) as connection:
        (head,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        connection.execute("UPDATE alembic_version SET version_num = 'of another mlflow'")
    assert head == mlflow_store.REVISION == utils._get_latest_schema_revision()
    with pytest.raises(Exception, match="of another mlflow"):
        write(store, Experiment("x"), RUN)


def test_nothing_is_waited_for_longer_than_patience(store, monkeypatch):
    monkeypatch.setattr(mlflow_store, "PATIENCE", 0.05)
    monkeypatch.setattr("orchestration.files.sqlite._PATIENCE", 0.05)
    with sqlite3.connect(store) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            write(store, Experiment("x"), RUN)


def test_a_migration_that_hangs_is_not_waited_for_longer_than_allowed(tmp_path, monkeypatch):
    monkeypatch.setattr(mlflow_store, "MIGRATION", 0.05)
    with lock_file(tmp_path / "mlflow.db.opening"), pytest.raises(TimeoutError, match="another process"):
        write(tmp_path / "mlflow.db", Experiment("x"), RUN)


def test_no_path_of_this_machine_is_in_a_store(store):
    write(store, Experiment("x"), RUN)
    content = store.read_bytes()
    assert os.fsencode(store.parent) not in content and os.fsencode(ROOT) not in content
