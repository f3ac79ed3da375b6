"""The SQLite stores of Dagster and MLflow: a damaged one is set aside, and a new one is created."""

import contextlib
import os
import random
import shutil
import sqlite3
from pathlib import Path

import dagster as dg
import pytest
import sqlalchemy
from mlflow import MlflowClient

from orchestration.cli import command
from orchestration.dagster import instance
from orchestration.files.damage import damaged, fault
from orchestration.mlflow.send import send
from orchestration.mlflow.store import prepare
from orchestration.state.freshness import Manifest, write_manifest
from orchestration.workspace.workspace import Workspace
from tests.faults.damage import DAMAGES, damage

NAME = "talksumm/pairs"
PAGE = 4096


def scramble(path, every=1):
    """Overwrite pages of a store with random bytes, except the first, which is read when the store is opened."""
    with contextlib.closing(sqlite3.connect(path)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content, noise = bytearray(path.read_bytes()), random.Random(7)
    for start in range(PAGE * every, len(content), PAGE * every):
        content[start : start + PAGE] = noise.randbytes(PAGE)
    path.write_bytes(content)


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
    found = client.get_experiment_by_name(NAME)
    return bool(found and client.search_runs([found.experiment_id], f"tags.partition = '{month}'"))


def begun_anew(path, capsys):
    """Say whether a new store was created, reported in one line, and holds the runs of all manifests."""
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and ".silverloom/mlflow.db is damaged" in lines[0]
    assert lines[0].endswith("a new store is created; restart `make ui` if it is running")
    assert os.path.lexists(path.parent / "damaged/.silverloom/mlflow.db")
    return known(path, "2018-07") and known(path, "2018-06")


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_store_of_mlflow_is_set_aside_and_the_runs_are_in_a_new_one(store, tally, capsys, how):
    """MLflow's store is damaged."""
    damage(store, how)
    tally.attempt()
    assert write(store, "2018-07") == "" and begun_anew(store, capsys)
    tally.survive()


@pytest.mark.parametrize("end", ["-wal", "-journal"])
def test_a_non_file_next_to_a_store_is_set_aside_with_it(store, tally, capsys, end):
    """A folder is in the place of the log of MLflow's store."""
    beside = store.with_name(store.name + end)
    beside.mkdir()
    tally.attempt()
    assert write(store, "2018-07") == "" and begun_anew(store, capsys)
    assert (store.parent / f"damaged/.silverloom/mlflow.db{end}").is_dir()
    tally.survive()


def test_a_store_of_another_program_is_set_aside(store, tally, capsys):
    """Another program's SQLite file is in the place of MLflow's store."""
    store.unlink()
    with contextlib.closing(sqlite3.connect(store)) as other:
        other.execute("CREATE TABLE notes (text)")
    tally.attempt()
    assert write(store, "2018-07") == "" and begun_anew(store, capsys)
    tally.survive()


def test_a_store_that_another_process_writes_to_is_not_damaged(store, tally, capsys):
    """Another process holds MLflow's store."""
    with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        tally.attempt()
        assert fault(store, "experiments") is None and fault(store, "experiments", thorough=True) is None
        other.execute("ROLLBACK")
    assert known(store, "2018-06") and not capsys.readouterr().err
    assert not damaged(sqlite3.OperationalError("database is locked"))
    tally.survive()


def test_a_store_of_mlflow_that_another_process_holds_is_named_with_what_to_do(store, monkeypatch, tally):
    """MLflow's store or Dagster's is held by another process, or its disk fails."""
    monkeypatch.setattr("orchestration.files.damage.PATIENCE", 0)
    content = store.read_bytes()
    tally.attempt()
    with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        line = write(store, "2018-07")
    assert f"MLflow's store cannot be used: {store}: database is locked; another process holds it: " in line
    assert store.read_bytes() == content and write(store, "2018-08") == "" and known(store, "2018-07")
    tally.survive()


@pytest.fixture
def protected(monkeypatch):
    """Report files as write-protected: a mode does not stop root."""
    access = os.access
    monkeypatch.setattr(
        os,
        "access",
        lambda path, mode, **how: (not mode & os.W_OK or Path(path).is_dir()) and access(path, mode, **how),
    )


def test_a_store_of_mlflow_that_is_write_protected_is_left_alone(store, protected, tally, capsys):
    """MLflow's store or Dagster's is write-protected."""
    content = store.read_bytes()
    tally.attempt()
    assert "write-protected: `chmod u+w` it" in write(store, "2018-07")
    assert store.read_bytes() == content and not capsys.readouterr().err
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

    def action():
        found = instance.instance()
        found.all_instigator_state()
        len(found.get_runs()), len(found.all_asset_keys())
        return job.execute_in_process(instance=found, run_config=instance.QUIET).success

    return instance.with_store(action)


def last(name):
    return instance.instance().get_latest_materialization_event(dg.AssetKey([name, "0"]))


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("how", ["truncated", "pages"])
def test_a_damaged_store_of_dagster_is_set_aside_and_a_new_one_begins(home, tally, capsys, how, store):
    """A file of Dagster's store is damaged, as a whole or in the middle."""
    path = home / store
    if how == "pages":
        scramble(path)
    else:
        damage(path, how)
    tally.attempt()
    assert tell("second") and last("second")
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning")]
    assert len(lines) == 1 and f"{path} is damaged" in lines[0] and "Dagster starts a new one" in lines[0]
    assert (last("first") is None) == (store == STORES[1]), "only the damaged part is recreated"
    instance.close_stores()
    assert tell("third") and not capsys.readouterr().err
    tally.survive()


@pytest.mark.parametrize("place", ["", "history", "schedules"])
def test_a_file_in_place_of_a_folder_of_dagsters_is_set_aside(home, tally, capsys, place):
    """A file is in the place of a folder of Dagster's store."""
    damage(home / place, "emptied")
    tally.attempt()
    assert tell("second") and last("second")
    assert "it is not a folder" in capsys.readouterr().err
    tally.survive()


@pytest.mark.parametrize("how", ["random bytes", "a folder"])
def test_damaged_settings_of_dagster_are_rewritten(home, tally, how):
    """Dagster's settings are damaged."""
    instance.instance()
    right = (home / "dagster.yaml").read_bytes()
    instance.close_stores()
    damage(home / "dagster.yaml", how)
    tally.attempt()
    assert tell("second") and (home / "dagster.yaml").read_bytes() == right
    tally.survive()


def test_a_store_of_dagster_that_is_write_protected_is_left_alone(home, protected, tally, capsys):
    """MLflow's store or Dagster's is write-protected."""
    tally.attempt()
    with pytest.raises(PermissionError, match="write-protected: `chmod u\\+w` it"):
        tell("second")
    assert not capsys.readouterr().err and not list(home.rglob("*.damaged*"))
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
@pytest.mark.parametrize("door", ["instance", "with_store"])
def test_a_store_of_dagster_in_trouble_is_named_in_one_line_with_what_to_do(
    home, monkeypatch, tally, capsys, code, door
):
    """MLflow's store or Dagster's is held by another process, or its disk fails."""
    error = sqlite3.OperationalError(TROUBLES[code][0])
    error.sqlite_errorcode = code

    def fail(*_):
        raise sqlalchemy.exc.OperationalError("INSERT INTO runs", {}, error)

    monkeypatch.setattr(
        "orchestration.files.stores.trouble", lambda file: error if "event" in file.name else None
    )
    tally.attempt()
    if door == "instance":
        monkeypatch.setattr(instance, "open_instance", fail)
    with pytest.raises(SystemExit) as ended:
        command.run(instance.instance if door == "instance" else lambda: instance.with_store(fail))
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
    assert not list(home.rglob("*.damaged*"))


def test_damage_that_cannot_be_located_is_named_and_not_retried_for_ever(home):
    calls = []

    def action():
        calls.append(1)
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error

    with pytest.raises(
        RuntimeError, match=r"Dagster's store cannot be used: .* malformed; move \.dagster away"
    ):
        instance.with_store(action)
    assert len(calls) == 2
