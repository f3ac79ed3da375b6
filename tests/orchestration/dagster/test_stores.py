"""Dagster's SQLite stores: the same as Dagster's own, whole where processes write at once or are killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest
from sqlalchemy import event, text

from orchestration.dagster import stores
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]
OURS = (Path(stores.__file__).parent / "dagster.yaml").read_text()
#: The same, but for the classes that are Dagster's own.
DAGSTERS = """
telemetry: {enabled: false}
event_log_storage:
  module: dagster._core.storage.event_log
  class: ConsolidatedSqliteEventLogStorage
  config: {base_dir: {env: DAGSTER_HOME}}
"""
#: Reports materialisations of one asset, each with a line on standard output once Dagster has it.
REPORT = """
import os, sys, dagster as dg, orchestration  # which has a folder for Dagster of its own
os.environ["DAGSTER_HOME"] = sys.argv[3]
with dg.DagsterInstance.get() as instance:
    for number in range(int(sys.argv[2])):
        written = dg.AssetMaterialization("written", partition=f"{sys.argv[1]}-{number}")
        instance.report_runless_asset_event(written)
        print(number, flush=True)
"""
#: Writes an event of one run for each line on standard input.
SAY = """
import os, sys, dagster as dg, orchestration
os.environ["DAGSTER_HOME"] = sys.argv[1]
with dg.DagsterInstance.get() as instance:
    for line in sys.stdin:
        instance.report_engine_event(line.strip(), run_id="watched", job_name="job")
"""


@dg.asset
def made():
    """Return a number."""
    return dg.MaterializeResult(metadata={"rows": 3})


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Opens Dagster's instance in one folder, with a configuration."""
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))

    def opened_with(configuration):
        (tmp_path / "dagster.yaml").write_text(configuration)
        return dg.DagsterInstance.get()

    return opened_with


def run(instance):
    """Run the asset; the run and the types of its events."""
    ended = dg.materialize([made], instance=instance)
    return ended.run_id, [event.event_type_value for event in ended.all_events]


def seen(instance):
    """Return the runs that Dagster knows, with the types of their events."""
    logs = {run.run_id: instance.all_logs(run.run_id) for run in instance.get_runs()}
    return {run_id: [log.dagster_event.event_type_value for log in found] for run_id, found in logs.items()}


def partitions(instance):
    found = instance.fetch_materializations(dg.AssetKey("written"), limit=1000).records
    return sorted(record.partition_key for record in found)


def report(name, number):
    argv = [sys.executable, "-c", REPORT, name, str(number), os.environ["DAGSTER_HOME"]]
    return subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_what_dagsters_own_classes_wrote_is_read_and_they_read_what_is_written_then(opened):
    with opened(DAGSTERS) as instance:
        first, events = run(instance)
    with opened(OURS) as instance:
        assert isinstance(instance.run_storage, stores.RunList)
        assert isinstance(instance.event_log_storage, stores.EventLog)
        assert set(events) <= set(seen(instance)[first])
        second, _ = run(instance)
        ours = seen(instance)
    with opened(DAGSTERS) as instance:
        assert seen(instance) == ours and list(ours) == [second, first]


def test_the_disk_is_waited_for_only_where_the_log_is_moved_into_the_store(opened):
    with opened(OURS) as instance:
        log, runs = instance.event_log_storage, instance.run_storage
        for connect in (log.index_connection, lambda: log.run_connection("a"), runs.connect):
            with connect() as connection:
                assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
                assert connection.execute(text("PRAGMA synchronous")).scalar() == 1


def test_several_processes_write_at_once(opened):
    with opened(OURS) as instance:
        processes = [report(name, 15) for name in "abc"]
        assert [process.wait() for process in processes] == [0, 0, 0]
        assert partitions(instance) == sorted(f"{name}-{number}" for name in "abc" for number in range(15))


def test_what_a_killed_process_had_written_is_there(opened):
    with opened(OURS):
        pass
    process = report("a", 10_000)
    lines = [process.stdout.readline() for _ in range(7)]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with opened(OURS) as instance:
        assert {f"a-{line.strip()}" for line in lines} <= set(partitions(instance))


def test_a_store_that_another_process_replaced_is_connected_to_anew(opened, tmp_path):
    with opened(OURS) as instance:
        instance.report_runless_asset_event(dg.AssetMaterialization("written", partition="before"))
        for path in tmp_path.glob("event_log.db*"):
            path.rename(tmp_path / f"aside-{path.name}")
        with opened(OURS) as other:
            other.report_runless_asset_event(dg.AssetMaterialization("written", partition="other"))
        instance.report_runless_asset_event(dg.AssetMaterialization("written", partition="after"))
        assert partitions(instance) == ["after", "other"]


def test_connections_stay_open_until_the_instance_is_disposed(opened, tmp_path):
    with opened(OURS) as instance:
        instance.report_runless_asset_event(dg.AssetMaterialization("written", partition="a"))
        assert (tmp_path / "event_log.db-wal").stat().st_size > 0
    assert not list(tmp_path.rglob("*.db-wal")), "SQLite has its log in the stores"


def test_who_watches_a_run_sees_what_another_process_writes(opened, tmp_path):
    messages = []
    with opened(OURS) as instance:
        instance.watch_event_logs("watched", None, lambda entry, cursor: messages.append(entry.message))
        argv = [sys.executable, "-c", SAY, str(tmp_path)]
        with subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, text=True) as process:
            for said in (["one"], ["one", "two"]):
                process.stdin.write(f"{said[-1]}\n")
                process.stdin.flush()
                until(lambda: messages, lambda found, said=said: found == said, [process])


def test_a_store_that_is_replaced_while_it_is_connected_to_is_connected_to_anew(
    opened, tmp_path, monkeypatch
):
    """SQLite holds the former file then, although the new one lies in its place."""
    with opened(OURS) as instance:
        engine = instance.event_log_storage._engine
        engine.dispose()

        def replaced_meanwhile(connection, record):
            if not (tmp_path / "aside.db").exists():
                connection.execute("SELECT count(*) FROM event_logs").fetchall()  # SQLite opens its log, too
                for path in tmp_path.glob("event_log.db*"):
                    path.rename(tmp_path / path.name.replace("event_log", "aside"))
                with opened(OURS):
                    pass

        event.listen(engine, "connect", replaced_meanwhile, insert=True)
        instance.report_runless_asset_event(dg.AssetMaterialization("written", partition="after"))
        assert (tmp_path / "aside.db").exists()
    with opened(OURS) as instance:
        assert partitions(instance) == ["after"]
