"""Addresses of Postgres servers, and errors about servers that do not answer, which never contain a password."""

import socket

import pytest

from silverloom.orchestration.workspace import postgres
from silverloom.orchestration.workspace.environment import set_environment
from silverloom.orchestration.workspace.workspace import Workspace
from tests.postgres import absent, serving

needs_server = pytest.mark.skipif(bool(absent()), reason=absent())


@pytest.fixture
def environment(monkeypatch):
    for name in (postgres.DAGSTER, "MLFLOW_TRACKING_URI", "DAGSTER_HOME"):
        monkeypatch.setenv(name, "")
    return monkeypatch


def test_an_address_gets_the_installed_driver():
    wanted = "postgresql+psycopg2://me:pw@host/db"
    for given in ("postgresql://me:pw@host/db", "postgres://me:pw@host/db", wanted):
        assert postgres.with_driver(given) == wanted
    for other in ("sqlite:///a.db", "https://mlflow.example.org", "postgresql+psycopg://host/db"):
        assert postgres.with_driver(other) == other


@pytest.mark.parametrize("address", ["me:s3cret", "mysql://me:s3cret@host/db", "postgresql://me:s3cret@host"])
def test_an_invalid_postgres_address_is_refused_without_its_password(environment, address):
    environment.setenv(postgres.DAGSTER, address)
    with pytest.raises(ValueError, match="SILVERLOOM_DAGSTER_POSTGRES needs an address like") as refused:
        postgres.dagster_address()
    assert "s3cret" not in str(refused.value)


def test_a_missing_package_is_named(environment):
    environment.setenv(postgres.DAGSTER, "postgresql://host/db")
    environment.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        RuntimeError,
        match=r"not installed: dagster_postgres, psycopg2; run `pip install 'silverloom\[postgres\]'`",
    ):
        postgres.dagster_address()


def test_servers_are_set_in_the_environment_or_else_in_env(environment, tmp_path):
    environment.setenv(postgres.DAGSTER, "postgresql://host/one")
    set_environment(Workspace(tmp_path))
    assert postgres.os.environ[postgres.DAGSTER] == "postgresql+psycopg2://host/one"
    (tmp_path / ".env").write_text(
        f"{postgres.DAGSTER}='postgres://host/two'\nMLFLOW_TRACKING_URI=http://host\n"
    )
    set_environment(Workspace(tmp_path))
    assert postgres.os.environ[postgres.DAGSTER] == "postgresql+psycopg2://host/two"
    assert Workspace(tmp_path).tracking_uri == "http://host"


def test_an_experiment_in_a_temporary_folder_has_its_own_store(environment, tmp_path):
    environment.setenv(postgres.DAGSTER, "postgresql://host/one")
    set_environment(Workspace(tmp_path / ".dvc/tmp/exps/tmp1"))
    assert postgres.DAGSTER not in postgres.os.environ


@needs_server
@pytest.mark.long
def test_a_server_that_does_not_answer_is_named_with_its_cause():
    with serving() as server:
        address = server.database()
        postgres.check_answers(address, "state")
        for wrong, cause in (
            (address.replace("s3cret", "other"), "password"),
            (f"{address}x", "does not exist"),
        ):
            with pytest.raises(RuntimeError, match=cause) as refused:
                postgres.check_answers(wrong, "state")
            assert f"Postgres at 127.0.0.1:{server.port} (state)" in str(refused.value)
            assert "s3cret" not in str(refused.value) and "\n" not in str(refused.value)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    if not absent():
        with pytest.raises(
            RuntimeError, match=rf"127\.0\.0\.1:{port} \(state\) cannot be used: Connection refused"
        ):
            postgres.check_answers(f"postgresql://me:s3cret@127.0.0.1:{port}/x", "state", patience=0)
