"""MLflow's own checks of Host and Origin let through what ours lets through."""

from mlflow.server import security_utils

from orchestration.serve import mlflow_server


def test_mlflow_knows_a_proxy_by_its_names_and_this_machine_still(monkeypatch):
    for name, value in mlflow_server._known_by(["data.example.org"]).items():
        monkeypatch.setenv(name, value)
    hosts = security_utils.get_allowed_hosts_from_env()
    for host in (
        "data.example.org",
        "data.example.org:8443",
        "127.0.0.1:3002",
        "localhost:3002",
        "[::1]:3002",
    ):
        assert security_utils.is_allowed_host_header(hosts, host), host
    for host in ("evil.example", "data.example.org.evil.example", "xdata.example.org"):
        assert not security_utils.is_allowed_host_header(hosts, host), host
    origins = security_utils.get_allowed_origins_from_env()
    for origin in ("https://data.example.org", "https://data.example.org:8443", "http://127.0.0.1:3002"):
        assert not security_utils.should_block_cors_request(origin, "POST", origins), origin
    for origin in ("http://data.example.org", "https://data.example.org.evil.example"):
        assert security_utils.should_block_cors_request(origin, "POST", origins), origin


def test_without_a_proxy_mlflow_keeps_its_defaults():
    assert mlflow_server._known_by([]) == {}
