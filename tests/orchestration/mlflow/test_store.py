"""MLflow creates and upgrades the store of a checkout, all or nothing, and the store holds no path of this machine."""

import os
import sqlite3
from importlib.resources import files

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from mlflow import MlflowClient

from silverloom.orchestration.mlflow.store import prepare


def migrations(path) -> Config:
    """MLflow's own migrations of a store."""
    config = Config()
    config.set_main_option("script_location", str(files("mlflow.store") / "db_migrations"))
    config.set_main_option("sqlalchemy.url", f"sqlite:///{path}")
    return config


def latest() -> str:
    return ScriptDirectory.from_config(migrations("none.db")).get_current_head()


def version(path) -> str:
    with sqlite3.connect(path) as connection:
        (found,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return found


def test_a_new_store_has_mlflows_latest_version_and_contains_no_path(tmp_path):
    path = tmp_path / "new" / "mlflow.db"
    prepare(path)
    prepare(path)
    assert version(path) == latest()
    assert [found.name for found in MlflowClient(f"sqlite:///{path}").search_experiments()] == ["Default"]
    assert os.fsencode(tmp_path) not in path.read_bytes()


def test_a_store_of_an_older_mlflow_is_upgraded_and_keeps_its_runs(tmp_path):
    path = tmp_path / "mlflow.db"
    prepare(path)
    client = MlflowClient(f"sqlite:///{path}")
    run = client.create_run(client.create_experiment("talksumm/pairs")).info.run_id
    command.downgrade(migrations(path), "-1")
    assert version(path) != latest()
    prepare(path)
    assert version(path) == latest()
    assert client.get_run(run).info.run_id == run


def test_a_store_of_an_unknown_version_is_refused(tmp_path):
    path = tmp_path / "mlflow.db"
    prepare(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'of another mlflow'")
    content = path.read_bytes()
    with pytest.raises(Exception, match="of another mlflow"):
        prepare(path)
    assert path.read_bytes() == content
