"""The SQLite stores of Dagster and MLflow: one that cannot be used is named, and refilled if it is moved away."""

import contextlib
import os
import shutil
import sqlite3

import dagster as dg
import pytest
import sqlalchemy
from mlflow import MlflowClient

from silverloom.orchestration.cli import command
from silverloom.orchestration.dagster import instance
from silverloom.orchestration.mlflow.send import send
from silverloom.orchestration.mlflow.store import prepare
from silverloom.orchestration.state.freshness import Manifest, write_manifest
from silverloom.orchestration.workspace.workspace import Workspace
from tests.faults.damage import damage

NAME = "talksumm/pairs"
AWAY = "; move it away to start a new one, and restart `make ui` if it is running"


def alien(path):
    """Put another program's database in the place of a store."""
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE notes (text)")


@pytest.fixture(scope="module")
def migrated(tmp_path_factory):
    path = tmp_path_factory.mktemp("migrated") / "mlflow.db"
    prepare(path)
    return path


@pytest.fixture
def store(migrated, tmp_path):
    """A store with a run."""
    path = Workspace(tmp_path).mlflow_store
    path.parent.mkdir()
    path.write_bytes(migrated.read_bytes())
    assert write(path, "2018-06") == ""
    return path


def write(path, month):
    """Make a partition and send its run to a store; return the message about what could not be sent."""
    workspace = Workspace(path.parents[1])
    counts = {"kept": 1, "dropped": 0, "rejected": 0, "reasons": {}}
    manifest = Manifest({"inputs": {}, "params": {}, "code": {}}, {"kept-00000.parquet": "0" * 32}, counts)
    write_manifest(workspace, workspace.datasets[NAME], month, manifest)
    return send(workspace)


def known(path, month):
    client = MlflowClient(f"sqlite:///{path}")
    found = client.get_experiment_by_name(NAME.partition("/")[0])
    return bool(found and client.search_runs([found.experiment_id], f"tags.partition = '{month}'"))


@pytest.mark.parametrize("how", ["truncated", "random bytes", "alien"])
def test_a_damaged_store_of_mlflow_is_named_and_a_new_one_gets_all_runs(store, tally, tmp_path_factory, how):
    """MLflow's store is damaged, or another program's."""
    alien(store) if how == "alien" else damage(store, how)
    content = store.read_bytes()
    tally.attempt()
    line = write(store, "2018-07")
    assert f"MLflow's store cannot be used: {store}: " in line and line.endswith(AWAY)
    assert store.read_bytes() == content
    # A process may still have the former file open, so the project is copied without it.
    project = tmp_path_factory.mktemp("without") / "project"
    shutil.copytree(store.parents[1], project, ignore=shutil.ignore_patterns("mlflow.db*"))
    new = Workspace(project).mlflow_store
    assert write(new, "2018-08") == "" and all(known(new, month) for month in ("2018-06", "2018-07"))
    tally.survive()


def test_a_store_of_mlflow_that_another_process_holds_is_named_with_what_to_do(store, tally):
    """MLflow's store or Dagster's is held by another process, or its disk fails."""
    content = store.read_bytes()
    tally.attempt()
    with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        line = write(store, "2018-07")
    assert f"MLflow's store cannot be used: {store}: database is locked; another process holds it: " in line
    assert store.read_bytes() == content and write(store, "2018-08") == "" and known(store, "2018-07")
    tally.survive()


def test_a_store_of_another_revision_is_left_alone(store):
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'another'")
    content = store.read_bytes()
    assert "another" in write(store, "2018-07")
    assert store.read_bytes() == content


STORES = ("history/runs.db", "event_log.db", "schedules/schedules.db")


@pytest.fixture(scope="module")
def told_once(tmp_path_factory):
    """A store of Dagster's with some events."""
    home = tmp_path_factory.mktemp("told") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(home))
        instance.close_stores()
        tell("first", 60)
        instance.close_stores()
    return home


@pytest.fixture
def home(told_once, tmp_path, monkeypatch):
    home = tmp_path / "home"
    shutil.copytree(told_once, home)
    monkeypatch.setenv("DAGSTER_HOME", str(home))
    instance.close_stores()
    yield home
    instance.close_stores()


def tell(name, times=1):
    """Report events in a run, as sync does, and read back what each part of the store holds."""

    @dg.op(name="tell")
    def report(context):
        for number in range(times):
            context.log_event(dg.AssetMaterialization([name, str(number)]))

    job = dg.GraphDefinition(name="tell", node_defs=[report]).to_job(executor_def=dg.in_process_executor)

    with instance.dagster_errors():
        found = instance.instance()
        found.all_instigator_state()
        len(found.get_runs()), len(found.all_asset_keys())
        return job.execute_in_process(instance=found, run_config=instance.quiet()).success


def last(name):
    return instance.instance().get_latest_materialization_event(dg.AssetKey([name, "0"]))


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("how", ["truncated", "random bytes", "alien"])
def test_a_damaged_store_of_dagster_is_named_and_left_alone(home, tally, how, store):
    """A file of Dagster's store is damaged, or another program's."""
    path = home / store
    alien(path) if how == "alien" else damage(path, how)
    content = path.read_bytes()
    tally.attempt()
    with pytest.raises(RuntimeError) as caught:
        tell("second")
    line = str(caught.value)
    assert line.startswith(f"Dagster's store cannot be used: {path}: ") and line.endswith(AWAY)
    assert path.read_bytes() == content
    instance.close_stores()
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    assert tell("third") and last("third")
    tally.survive()


def test_an_unwritable_folder_of_dagsters_is_named_with_a_remedy(home, monkeypatch, tally, capsys):
    """Dagster's folder is immutable, read-only or owned by another user."""
    instance.close_stores()
    monkeypatch.setattr(os, "access", lambda path, mode: path != home or not mode & os.W_OK)
    tally.attempt()
    with pytest.raises(RuntimeError, match=r"home is not writable, but .*: make it writable .*, or move"):
        tell("second")
    assert not capsys.readouterr().err
    tally.survive()


#: SQLite's errors, by code, and what to do about them.
TROUBLES = {
    sqlite3.SQLITE_IOERR: ("disk I/O error", "check its disk, or move it away to start a new one"),
    sqlite3.SQLITE_READONLY: ("attempt to write a readonly database", "make it and its folder writable"),
    sqlite3.SQLITE_BUSY: ("database is locked", "another process holds it: end that process, or wait,"),
    sqlite3.SQLITE_CANTOPEN: ("unable to open database file", "make it and its folder readable and writ"),
}


@pytest.mark.parametrize("code", TROUBLES)
@pytest.mark.parametrize("door", ["instance", "block"])
def test_a_store_of_dagster_in_trouble_is_named_in_one_line_with_what_to_do(
    home, monkeypatch, tally, capsys, code, door
):
    """MLflow's store or Dagster's is held by another process, or its disk fails."""
    error = sqlite3.OperationalError(TROUBLES[code][0])
    error.sqlite_errorcode = code

    def fail(*_):
        raise sqlalchemy.exc.OperationalError("INSERT INTO runs", {}, error)

    monkeypatch.setattr(
        "silverloom.orchestration.files.stores.trouble", lambda file: error if "event" in file.name else None
    )
    tally.attempt()
    if door == "instance":
        monkeypatch.setattr(instance, "open_instance", fail)
    with pytest.raises(SystemExit) as ended:
        command.run(instance.instance if door == "instance" else instance.dagster_errors()(fail))
    line = capsys.readouterr().err
    begin = f"error: Dagster's store cannot be used: {home}/event_log.db: {error}; {TROUBLES[code][1]}"
    assert ended.value.code == 1 and line.startswith(begin) and line.count("\n") == 1
    tally.survive()


@pytest.mark.long
def test_a_store_of_dagster_that_another_process_holds_is_named(home, tally):
    """MLflow's store or Dagster's is held by another process, or its disk fails."""
    with contextlib.closing(sqlite3.connect(home / STORES[0], isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        tally.attempt()
        with pytest.raises(RuntimeError, match=r"/history/runs\.db: database is locked; another process"):
            tell("second")
    assert tell("third")
    tally.survive()


def test_a_sound_store_is_left_alone(home, capsys):
    assert tell("second") and last("first") and not capsys.readouterr().err
