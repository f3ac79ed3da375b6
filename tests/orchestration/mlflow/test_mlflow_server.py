"""`mlflow server` of a checkout: its store, which requests it answers, and what is sent to it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import urllib3
from mlflow.artifacts import download_artifacts
from mlflow.pyfunc import load_model

from silverloom.orchestration.mlflow.send import send
from silverloom.orchestration.mlflow.store import arguments
from silverloom.orchestration.workspace.workspace import Workspace
from tests.browser.servers import end, free_ports, wait
from tests.orchestration.mlflow.made import (
    INPUT,
    MODEL,
    TUNING,
    champion,
    evaluated,
    made,
    names,
    runs,
    trained,
    tuned,
)

SERVE = """
import sys
from pathlib import Path
from silverloom.orchestration.mlflow.store import serve
from silverloom.orchestration.workspace.workspace import Workspace
serve(Workspace(Path(sys.argv[1])), int(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Its address, also behind a proxy with a name of its own."""
    port = free_ports(1)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, tmp_path_factory.mktemp("checkout"), str(port)],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "SILVERLOOM_ALLOWED_HOSTS": "data.example.org"},
        start_new_session=True,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait(f"{address}/health", process)
        yield address
    finally:
        end(process)


def create(address, name, **headers):
    api = f"{address}/ajax-api/2.0/mlflow/experiments/create"
    return urllib3.request("POST", api, json={"name": name}, headers=headers)


def test_its_own_pages_programs_and_a_proxy_are_answered(address):
    proxied = {"host": "data.example.org", "origin": "https://data.example.org"}
    for name, headers in {"a program": {}, "own": {"origin": address}, "proxy": proxied}.items():
        answer = create(address, name, **headers)
        assert answer.status == 200, answer.data
        number = answer.json()["experiment_id"]
        read = urllib3.request("GET", f"{address}/api/2.0/mlflow/experiments/get?experiment_id={number}")
        found = read.json()["experiment"]
        assert found["name"] == name and found["artifact_location"] == f"mlflow-artifacts:/{number}"


def test_other_hosts_and_pages_with_other_names_are_refused(address):
    elsewhere = {"origin": "https://elsewhere.example"}
    assert create(address, "elsewhere", **elsewhere).status == 403
    assert create(address, "rebound", host="elsewhere.example").status == 403
    read = urllib3.request("GET", address, headers=elsewhere)
    assert read.headers["x-frame-options"] == "SAMEORIGIN"
    assert "access-control-allow-origin" not in read.headers


def test_runs_and_models_are_sent_to_it(address, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
    workspace = Workspace(tmp_path)
    tuned(workspace, 3)
    evaluated(workspace, trained(workspace), {"best": 0.3})
    made(workspace, inputs={"x" * 600: {"": INPUT}})
    assert ["name" in send(workspace) for _ in range(2)] == [True, True], "one run is refused"
    assert (names(workspace), len(names(workspace, TUNING)), champion(workspace)) == ([], 4, "best")
    [best] = [run for run in runs(workspace, MODEL) if run.info.run_name == "best"]
    (output,) = best.outputs.model_outputs
    uri = f"models:/{output.model_id}"
    model = load_model(download_artifacts(uri, dst_path=str(tmp_path / "copy"), tracking_uri=address))
    assert len(model.predict(model.input_example)) == 1


def test_a_configured_database_is_served_with_the_models_of_this_checkout(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "postgresql://db.example.org/mlflow")
    words = arguments(Workspace(tmp_path), 3002)
    assert not any("postgresql" in word for word in words), "every user of the machine can see arguments"
    assert words[words.index("--artifacts-destination") + 1] == str(tmp_path / ".silverloom/mlflow")
    assert "--cors-allowed-origins" not in words
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///elsewhere.db")
    assert "--artifacts-destination" not in arguments(Workspace(tmp_path), 3002)
