"""MLflow's own application answers the same requests as our other servers, and no others."""

import os

import pytest
from starlette.testclient import TestClient

from orchestration.serve import mlflow_server, request_guard

OWN, PROXY = "http://127.0.0.1:3002", "https://data.example.org"


@pytest.fixture
def client(tmp_workspace, monkeypatch):
    """Whoever asks MLflow, as it would be served."""
    monkeypatch.setenv("SILVERLOOM_ALLOWED_HOSTS", "data.example.org")
    monkeypatch.setattr(os, "environ", os.environ.copy())
    served = []
    monkeypatch.setattr(
        request_guard, "serve", lambda *what, linked: served.append(request_guard.config(*what, linked))
    )
    mlflow_server.serve(tmp_workspace, 0)
    return TestClient(served[0].app, base_url=OWN)


def test_own_pages_programs_and_a_proxy_are_answered_and_nobody_else(client):
    search = "/ajax-api/2.0/mlflow/experiments/search"
    for headers in ({}, {"origin": OWN}, {"host": "data.example.org", "origin": PROXY}):
        answer = client.post(search, json={"max_results": 5}, headers=headers)
        assert [found["name"] for found in answer.json()["experiments"]] == ["Default"], headers
    for headers in ({"origin": "http://127.0.0.1:3001"}, {"host": "data.example.org", "origin": OWN}):
        assert client.post(search, json={"max_results": 5}, headers=headers).status_code == 403
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/health").headers["x-frame-options"] == "SAMEORIGIN"
