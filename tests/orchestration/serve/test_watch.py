"""The watcher sees every input of the status pages, and survives files that come and go."""

import subprocess
from pathlib import Path

import pytest

from ops.parse.source import DatasetSource, Source
from orchestration.serve import watch
from orchestration.workspace.workspace import Workspace


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "checkout", lambda: tmp_path)
    monkeypatch.setattr(watch, "watched_sources", lambda *_: (tmp_path / "raw", tmp_path / "one.jsonl"))
    for path in (
        "manifests/group/asset/2018-06.json",
        "data/group/asset/2018-06/kept-0.parquet",
        "raw/archive/2018.txt",
        "one.jsonl",
        "params.yaml",
        "ops/parse/scan.py",
        ".dagster/event_log.db",
        ".git/refs/heads/main",
    ):
        put(tmp_path / path)
    put(tmp_path / ".git/HEAD", "ref: refs/heads/main\n")
    return tmp_path


def put(path, text="text"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    "path",
    [
        "manifests/group/asset/2018-07.json",
        "data/group/asset/2018-06/kept-0.parquet",
        "raw/archive/2019.txt",
        "one.jsonl",
        "params.yaml",
        "ops/parse/new.py",
        ".dagster/event_log.db",
        ".git/refs/heads/main",
        ".git/HEAD",
        "data/quality/docs/index.html",
    ],
)
def test_a_change_of_any_input_of_the_status_is_seen(root, path):
    before = set(watch.marks(Workspace(root)))
    put(root / path, "something else")
    assert set(watch.marks(Workspace(root))) != before


@pytest.mark.parametrize(
    "path",
    [
        "manifests/group/asset/.2018-07.json.4711",
        ".silverloom/history/group/asset.lock",
        "data/.building/room/lock",
        "data/quality/live/state.js",
        "data/quality/docs/validations/group/asset/2018-06.html",
        "ops/parse/__pycache__/scan.pyc",
    ],
)
def test_half_written_files_and_the_status_pages_themselves_are_ignored(root, path):
    before = set(watch.marks(Workspace(root)))
    put(root / path)
    assert set(watch.marks(Workspace(root))) == before


def test_a_run_is_seen_and_a_process_that_only_reads_runs_is_not(root):
    before = set(watch.marks(Workspace(root)))
    put(root / ".dagster/event_log.db-wal", "")
    assert set(watch.marks(Workspace(root))) == before
    put(root / ".dagster/event_log.db-wal", "an event")
    assert set(watch.marks(Workspace(root))) != before


def test_a_file_that_vanishes_during_the_scan_counts_as_absent(root, monkeypatch):
    stat = Path.stat

    def vanishing(path, **options):
        if path.name == "kept-0.parquet":
            path.unlink(missing_ok=True)
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", vanishing)
    names = {Path(name).name for name, *_ in watch.marks(Workspace(root))}
    assert "2018-06.json" in names and "kept-0.parquet" not in names


def test_sources_are_those_of_params():
    here = Workspace.here()
    sources = [source for group in here.settings.sources.values() for source in group.values()]
    wanted = {source.path for source in sources if isinstance(source, Source)}
    assert any(isinstance(source, DatasetSource) for source in sources), "it has no folder of its own"
    assert {here.shown(path) for path in watch.watched_sources(here, -1)} == wanted


def test_the_status_is_written_at_the_start_after_a_change_and_periodically_while_changes_go_on():
    pace = watch.Pace()
    assert pace.due(1, 0)
    assert not pace.due(1, 100)
    assert [pace.due(2, time) for time in (102, 104, 106)] == [False, True, False]
    assert [time for time in range(108, 240, 2) if pace.due(time, time)] == [168, 230]


def test_a_writer_that_cannot_be_started_is_reported_and_the_watcher_goes_on(
    monkeypatch, capsys, tmp_workspace
):
    def fails(*_, **__):
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "run", fails)
    watch.run_command(tmp_workspace, "live")
    assert "no more processes" in capsys.readouterr().err
