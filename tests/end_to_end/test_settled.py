"""A run that makes nothing does nothing else either, unless something is not as the last run left it."""

import pytest

from orchestration.state.dvc_lock import read_stages

LIVE = "data/quality/live/state.js"
METRICS = "metrics/talksumm/pairs.json"


@pytest.fixture
def idle(done):
    """A project whose last run made nothing."""
    done.run()
    return done


def changed(project):
    return (project.root / LIVE).stat().st_mtime_ns


def test_a_second_idle_run_writes_nothing(idle):
    before = changed(idle), (idle.root / "dvc.lock").stat().st_mtime_ns
    idle.run()
    assert (changed(idle), (idle.root / "dvc.lock").stat().st_mtime_ns) == before


@pytest.mark.long
def test_a_page_of_the_present_that_is_gone_is_written_again(idle):
    (idle.root / LIVE).unlink()
    idle.run()
    assert (idle.root / LIVE).exists()


@pytest.mark.long
def test_metrics_that_were_edited_are_put_right(idle):
    right = (idle.root / METRICS).read_bytes()
    (idle.root / METRICS).write_bytes(right + b"\n")
    idle.run()
    assert (idle.root / METRICS).read_bytes() == right


@pytest.mark.long
def test_a_file_that_dvcs_cache_lost_is_brought_back(idle):
    outs = read_stages(idle.lock.encode())["talksumm-pairs"]["outs"]
    md5 = next(out["md5"] for out in outs if out["path"] == "data/talksumm/pairs")
    lost = idle.root / ".dvc/cache/files/md5" / md5[:2] / md5[2:]
    lost.unlink()
    idle.run()
    assert lost.exists()


@pytest.mark.long
def test_a_lock_of_an_older_commit_is_brought_up_to_date(idle):
    now = idle.lock
    first = now.replace("talksumm-pairs:", "talksumm-pairs-gone:")
    (idle.root / "dvc.lock").write_text(first)
    idle.run()
    assert "talksumm-pairs:" in idle.lock


@pytest.mark.long
def test_dagster_is_told_again_where_its_store_is_gone(idle):
    seen = {name: part["version"] for name, part in idle.dagster().items()}
    for path in (idle.root / ".dagster/history").rglob("*.db*"):
        path.unlink()
    idle.run()
    assert {name: part["version"] for name, part in idle.dagster().items()} == seen
