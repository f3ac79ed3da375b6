"""The state of Dagster and MLflow on a real Postgres server instead of SQLite files: the data are the same."""

import json
from pathlib import Path

import pytest
from dotenv import set_key
from mlflow import MlflowClient

from silverloom.orchestration.workspace.postgres import with_driver
from tests.postgres import PASSWORD, QUOTED

RUNS = str(Path(__file__).with_name("runs.py"))


def name_servers(project, **servers):
    """Add servers to the project's .env."""
    for name, address in servers.items():
        set_key(project.root / ".env", name, address)


def passwords(project):
    """The files of a project that contain the password, except .env."""
    told = {text.encode() for text in (PASSWORD, QUOTED)}
    files = [path for path in project.root.rglob("*") if path.is_file() and ".git" not in path.parts]
    return [path for path in files if path.name != ".env" and any(text in path.read_bytes() for text in told)]


@pytest.mark.long
def test_a_run_with_its_state_on_postgres_makes_the_same_as_with_sqlite(done, fresh, postgres):
    runs = postgres.database()
    name_servers(fresh, SILVERLOOM_DAGSTER_POSTGRES=postgres.database(), MLFLOW_TRACKING_URI=runs)
    former = {path: path.stat().st_mtime_ns for path in (fresh.root / ".dagster").rglob("*.db")}
    fresh.silverloom("setup")
    assert "storage:\n  postgres:" in (fresh.root / ".dagster/dagster.yaml").read_text()
    fresh.run()
    assert fresh.lock == done.lock and fresh.data() == done.data()
    assert fresh.silverloom("health").splitlines()[-1] == "1 warning", "a talk is short"
    assert {path: path.stat().st_mtime_ns for path in (fresh.root / ".dagster").rglob("*.db")} == former
    known = json.loads(fresh.zygote.run(fresh.root, [], path=RUNS, env={}).output.splitlines()[-1])
    assert {run["status"] for run in known} == {"SUCCESS"} and len(known) > 10
    client = MlflowClient(with_driver(runs))
    experiment = client.get_experiment_by_name("talksumm")
    found = client.search_runs([experiment.experiment_id], "tags.dataset = 'talksumm/pairs'")
    assert sorted(run.info.run_name for run in found) == ["pairs 2018-06", "pairs 2018-07"]
    assert found[0].info.artifact_uri.startswith("mlflow-artifacts:/"), "no path of this machine"
    assert not passwords(fresh)

    postgres.stop()
    try:
        month = ("--from", "2018-06", "--to", "2018-06", "--force")
        said = fresh.silverloom("backfill", *month, ok=False, env={"SILVERLOOM_JOBS": "1"})
    finally:
        postgres.start()
    (line,) = [line for line in said.splitlines() if line.startswith("error: ")]
    assert f"Postgres at 127.0.0.1:{postgres.port} (SILVERLOOM_DAGSTER_POSTGRES) cannot be used" in line
    assert PASSWORD not in said and QUOTED not in said
    assert fresh.silverloom("plan").strip() == "everything is up to date"
