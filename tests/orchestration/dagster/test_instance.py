"""Dagster's storage as this project configures it: a watcher of a run sees what another process writes."""

import subprocess
import sys
from pathlib import Path

import dagster as dg

from silverloom.assets.declare.settings import EngineParams
from silverloom.orchestration.dagster import instance, settings
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]
#: Writes an event of one run for each line on standard input.
SAY = """
import os, sys, dagster as dg, silverloom.orchestration  # which has a folder for Dagster of its own
os.environ["DAGSTER_HOME"] = sys.argv[1]
with dg.DagsterInstance.get() as instance:
    for line in sys.stdin:
        instance.report_engine_event(line.strip(), run_id="watched", job_name="job")
"""


def test_backfills_make_as_many_partitions_at_a_time_as_params_say(tmp_path, monkeypatch):
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / ".dagster"))
    monkeypatch.setattr(settings, "engine_params", lambda: EngineParams(partitions=7))
    instance.instance.cache_clear()
    opened = instance.instance()
    instance.instance.cache_clear()
    assert opened.get_concurrency_config().run_queue_config.max_concurrent_runs == 7
    opened.dispose()


def test_code_may_take_long_to_load_on_a_busy_machine(tmp_path):
    (tmp_path / "dagster.yaml").write_bytes(settings.configuration())
    with dg.DagsterInstance.from_config(str(tmp_path)) as opened:
        assert opened.code_server_process_startup_timeout == 900


def test_a_watcher_of_a_run_sees_events_that_another_process_writes(tmp_path, monkeypatch):
    """The log of a run in the browser grows by this."""
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    (tmp_path / "dagster.yaml").write_bytes(settings.configuration())
    messages = []
    with dg.DagsterInstance.get() as opened:
        opened.watch_event_logs("watched", None, lambda entry, cursor: messages.append(entry.message))
        argv = [sys.executable, "-c", SAY, str(tmp_path)]
        with subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, text=True) as process:
            for said in (["one"], ["one", "two"]):
                process.stdin.write(f"{said[-1]}\n")
                process.stdin.flush()
                until(lambda: messages, lambda found, said=said: found == said, [process])


def test_the_latest_event_of_each_partition_is_found_however_often_others_were_made():
    key = dg.AssetKey("rows")
    with dg.instance_for_test() as store:
        for number, partition in enumerate(["c", "a", "b", "a", "a", "a", "a", "a"]):
            store.report_runless_asset_event(
                dg.AssetMaterialization(key, partition=partition, metadata={"number": number})
            )
        found = instance.latest_by_partition(store.fetch_materializations, key, ["a", "b", "c", "never"])
        whole = instance.latest_by_partition(store.fetch_materializations, key, [""])
    numbers = {name: record.asset_materialization.metadata["number"].value for name, record in found.items()}
    assert numbers == {"a": 7, "b": 2, "c": 0} and len(whole) == 1
