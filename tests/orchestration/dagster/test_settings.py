"""Dagster's settings: `.dagster/dagster.yaml` is written once, and what a user writes there stays."""

import dagster as dg
import pytest
from ruamel.yaml import YAML

from silverloom.assets.declare.settings import EngineParams
from silverloom.orchestration.dagster import settings
from silverloom.orchestration.dagster.settings import COMMANDS, SERVERS, configuration, write_settings

THEIRS = """\
# our cluster
run_retries:
  enabled: true      # since the power failed
  max_retries: 5
run_monitoring:
  enabled: true
run_queue:
  max_concurrent_runs: 9
compute_logs:
  module: dagster._core.storage.local_compute_log_manager
  class: LocalComputeLogManager
  config: {base_dir: elsewhere}
"""


def loaded(path):
    return YAML(typ="safe").load(path)


def test_settings_of_a_user_outlive_every_command(tmp_path):
    path = tmp_path / SERVERS
    path.write_text(THEIRS)
    write_settings(tmp_path, on_server=False)
    merged = path.read_text()
    assert "# our cluster" in merged and "enabled: true      # since the power failed" in merged
    theirs = YAML(typ="safe").load(THEIRS)
    assert {key: value for key, value in loaded(path).items() if key in theirs} == theirs
    assert loaded(path)["telemetry"] == {"enabled": False} and "event_log_storage" in loaded(path)
    write_settings(tmp_path, on_server=False)
    assert path.read_text() == merged
    with dg.DagsterInstance.from_config(str(tmp_path)) as opened:
        assert opened.run_retries_enabled and opened.run_monitoring_enabled
        assert opened.get_concurrency_config().run_queue_config.max_concurrent_runs == 9


def test_commands_have_the_settings_of_the_user_but_capture_no_output(tmp_path):
    (tmp_path / SERVERS).write_text(THEIRS)
    write_settings(tmp_path, on_server=False)
    commands = loaded(tmp_path / COMMANDS)
    assert commands["run_retries"] == {"enabled": True, "max_retries": 5}
    assert commands["compute_logs"]["class"] == "NoOpComputeLogManager"


def test_settings_are_written_whole_where_there_are_none_and_then_left_alone(tmp_path):
    path = tmp_path / SERVERS
    write_settings(tmp_path, on_server=False)
    assert loaded(path) == YAML(typ="safe").load(configuration())
    path.write_text(path.read_text() + "\n\n# kept to the byte:   spaces too\n")
    text = path.read_text()
    write_settings(tmp_path, on_server=False)
    assert path.read_text() == text


def test_the_storage_follows_the_environment_and_the_rest_stays(tmp_path):
    path = tmp_path / SERVERS
    path.write_text(THEIRS)
    write_settings(tmp_path, on_server=True)
    assert "event_log_storage" not in loaded(path)
    assert loaded(path)["storage"] == {"postgres": {"postgres_url": {"env": "SILVERLOOM_DAGSTER_POSTGRES"}}}
    write_settings(tmp_path, on_server=False)
    assert "storage" not in loaded(path) and "event_log_storage" in loaded(path)
    assert loaded(path)["run_retries"] == {"enabled": True, "max_retries": 5}


@pytest.mark.parametrize("key", ["storage", "run_storage", "event_log_storage", "schedule_storage"])
def test_a_storage_of_the_users_own_is_asked_for_by_name(tmp_path, key):
    (tmp_path / SERVERS).write_text(f"{key}: {{sqlite: {{base_dir: /elsewhere}}}}\n")
    with pytest.raises(
        RuntimeError, match=f"dagster.yaml: remove the key `{key}`; .*SILVERLOOM_DAGSTER_POSTGRES"
    ):
        write_settings(tmp_path, on_server=False)
    assert "/elsewhere" in (tmp_path / SERVERS).read_text()


@pytest.mark.parametrize("partitions", [None, 7])
def test_a_run_coordinator_of_the_users_own_stands_instead_of_the_queue(tmp_path, monkeypatch, partitions):
    theirs = "run_coordinator: {module: dagster._core.run_coordinator, class: DefaultRunCoordinator}\n"
    (tmp_path / SERVERS).write_text(theirs)
    monkeypatch.setattr(settings, "engine_params", lambda: EngineParams(partitions=partitions))
    write_settings(tmp_path, on_server=False)
    with dg.DagsterInstance.from_config(str(tmp_path)) as opened:
        assert opened.get_concurrency_config().run_queue_config is None


@pytest.mark.parametrize(
    "place",
    [
        "run_queue: {{{}}}\n",
        "run_queue: # {}\n",
        "concurrency: {{runs: {{{}}}}}\n",
        "concurrency: {{pools: {{default_limit: 2}}}} # {}\n",
    ],
)
def test_params_say_how_many_runs_are_in_progress_if_they_say_so(tmp_path, monkeypatch, place):
    path = tmp_path / SERVERS
    path.write_text(place.format("max_concurrent_runs: 3"))
    monkeypatch.setattr(settings, "engine_params", lambda: EngineParams(partitions=7))
    write_settings(tmp_path, on_server=False)
    with dg.DagsterInstance.from_config(str(tmp_path)) as opened:
        assert opened.get_concurrency_config().run_queue_config.max_concurrent_runs == 7


@pytest.mark.parametrize("text", ["run_retries: [", "run_retries", "\x00\xff"])
def test_settings_that_cannot_be_read_are_named_and_left_alone(tmp_path, text):
    path = tmp_path / SERVERS
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(RuntimeError, match=r"dagster\.yaml: .*; correct it, or remove it to get the default"):
        write_settings(tmp_path, on_server=False)
    assert path.read_bytes() == text.encode("latin-1")


def test_a_queue_of_the_users_own_stands_instead_of_our_limits(tmp_path):
    (tmp_path / SERVERS).write_text("run_queue: {max_concurrent_runs: 9}\n")
    write_settings(tmp_path, on_server=False)
    assert "concurrency" not in loaded(tmp_path / SERVERS)
    with dg.DagsterInstance.from_config(str(tmp_path)) as opened:
        assert opened.get_concurrency_config().run_queue_config.max_concurrent_runs == 9


def test_dagster_takes_our_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    write_settings(tmp_path, on_server=False)
    with dg.DagsterInstance.from_config(str(tmp_path)) as opened:
        limits = opened.get_concurrency_config()
        assert limits.pool_config.default_pool_limit == 1 and opened.run_monitoring_enabled
        assert limits.run_queue_config.max_concurrent_runs == 2
