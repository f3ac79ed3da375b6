"""Whatever the damage to local state, the next run ends like a clean one, with the same data and dvc.lock."""

import json
import os
import re
import shutil

import pytest

from orchestration.state.dvc_files import read_stages
from tests.faults.damage import damage

#: A file with other bytes, and something that is no file; every damage to one file is in the tests of each.
SHOWN = ("random bytes", "a folder")

#: Files by kind, with the kinds of damage that are reported in a line. Files that are only ever replaced, or
#: derived from other files, are not reported.
FILES = {
    "a manifest": ("manifests/talksumm/alignments/2018-06.json", SHOWN),
    "the manifest of what is made": ("manifests/talksumm/pairs/2018-06.json", SHOWN),
    "the lock of commits": (".silverloom/locks/commit.lock", ("a folder",)),
    "what is measured": (".silverloom/measured/talksumm/alignments/2018-07.json", SHOWN),
    "a history that grows": (".silverloom/history/talksumm/pairs/2018-06.jsonl", SHOWN),
    "a history that is read": (".silverloom/history/talksumm/alignments/2018-06.jsonl", SHOWN),
    "a lock": (".silverloom/locks/talksumm/pairs/2018-06.lock", ("a folder",)),
    "the mutex of the staging folder": ("data/.building/.mutex", ("a folder",)),
    "the port": (".silverloom/port", ()),
    "MLflow's store": (".silverloom/mlflow.db", SHOWN),
    "the lock of sending to MLflow": (".silverloom/locks/mlflow.lock", ("a folder",)),
    "Dagster's settings": (".dagster/dagster.yaml", SHOWN),
    "the lock of Dagster's store": (".dagster/.opening", ("a folder",)),
    "Dagster's runs": (".dagster/history/runs.db", SHOWN),
    "Dagster's events": (".dagster/event_log.db", SHOWN),
    "Dagster's schedules": (".dagster/schedules/schedules.db", SHOWN),
    "failing rows": ("data/quality/failing/talksumm/pairs/2018-06.parquet", ("a folder",)),
    "code.json": ("code.json", ("a folder",)),
    "metrics": ("metrics/talksumm.json", ("a folder",)),
    "a plot": ("metrics/talksumm.funnel.csv", ("a folder",)),
    "a list in DVC's cache": ("the list of talksumm/alignments", SHOWN),
    # comparing all bytes in the cache takes too long: see below for files that are checked out of it
    "a file in DVC's cache": ("the rows of talksumm/alignments", ("a folder",)),
}

#: Folders, which are replaced by files: all that are not in another, and folders in them.
FOLDERS = {
    "outer": (
        "manifests",
        ".silverloom",
        ".dagster",
        "data/.building",
        "metrics",
    ),
    "inner": (".silverloom/history", ".silverloom/locks", ".silverloom/measured", ".dagster/history"),
}

SAID = re.compile(r"^warning: (\S+) is damaged: .*; set aside as (\S+), ", re.MULTILINE)


@pytest.fixture(scope="session")
def begun_project(made_once, done_project):
    """A finished checkout with one partition to be made again, with the same bytes. Copy it."""
    return made_once("begun", lose_a_partition, done_project)


def lose_a_partition(project):
    shutil.rmtree(project.root / "data/talksumm/pairs/2018-06")


def place(project, path):
    """The path of a file below a project's folder; for a file in DVC's cache, its present name."""
    if not path.startswith("the "):
        return project.root / path
    stage = read_stages(project.lock.encode())["talksumm-alignments"]
    md5 = stage["outs"][0]["md5"]
    cache = project.root / ".dvc/cache/files/md5"
    listed = cache / md5[:2] / md5[2:]
    if path.startswith("the rows"):
        md5 = next(one["md5"] for one in json.loads(listed.read_bytes()) if "kept" in one["relpath"])
    return cache / md5[:2] / md5[2:]


def check_run(project, done, said):
    """Run: it must end like a clean run, report each file in `said` in one line, and leave nothing to do."""
    output = project.run()
    lines = SAID.findall(output)
    assert sorted(name for name, _ in lines) == sorted(said), output
    assert "Traceback" not in output and "could not be tracked" not in output
    assert [line for line in lines if not os.path.lexists(project.root / line[1])] == [], output
    assert project.lock == done.lock
    assert project.data() == done.data()
    assert (project.root / "code.json").read_bytes() == (done.root / "code.json").read_bytes()
    again = project.run()
    assert not SAID.findall(again) and not project.made(again), again


@pytest.mark.long
@pytest.mark.parametrize("how", SHOWN)
def test_every_file_of_local_state_is_damaged_at_once(begun_project, done_project, tmp_path, tally, how):
    """Every file of local state is damaged at once: emptied, truncated, overwritten, replaced by a folder or a link."""
    project = begun_project.copy(tmp_path / "begun")
    places = {name: place(project, path) for name, (path, _) in FILES.items()}
    for path in places.values():
        tally.attempt()
        damage(path, how)
    check_run(
        project,
        done_project,
        {
            places[name].relative_to(project.root).as_posix()
            for name, (_, said) in FILES.items()
            if how in said
        },
    )
    for _ in places:
        tally.survive()


@pytest.mark.long
def test_files_of_a_project_with_nothing_to_do_are_damaged(done, done_project, tally):
    """Every file of local state of a project with nothing to do is damaged at once"""
    done.run()
    places = [place(done, path) for path, _ in FILES.values()]
    for path in [*places, *(done.root / ".silverloom").glob("vega-*.js")]:
        tally.attempt()
        damage(path, "random bytes")
    assert "Traceback" not in done.run()
    assert done.lock == done_project.lock and done.data() == done_project.data()
    assert (done.root / "code.json").read_bytes() == (done_project.root / "code.json").read_bytes()
    again = done.run()
    assert not SAID.findall(again) and not done.made(again), again
    for _ in range(tally.attempts):
        tally.survive()


@pytest.mark.long
@pytest.mark.parametrize("names", FOLDERS.values(), ids=FOLDERS)
def test_folders_of_local_state_are_replaced(begun_project, done_project, tmp_path, tally, names):
    """Folders of local state are replaced by files."""
    project = begun_project.copy(tmp_path / "begun")
    for name in names:
        tally.attempt()
        damage(project.root / name, "emptied")
    check_run(project, done_project, names)
    for _ in names:
        tally.survive()


@pytest.mark.long
def test_wrong_bytes_that_dvc_checks_out_are_made_again_and_replaced_in_its_cache(done, done_project, tally):
    """A file in DVC's cache has other bytes of the same size, and is checked out."""
    path = place(done, "the rows of talksumm/alignments")
    right = path.read_bytes()
    tally.attempt()
    damage(path, "random bytes")
    shutil.rmtree(done.root / "data/talksumm/alignments")
    done.dvc("checkout", "-q", "data/talksumm/alignments")
    assert done.data() != done_project.data(), "DVC found the damage"
    check_run(done, done_project, [path.relative_to(done.root).as_posix()])
    assert path.read_bytes() == right
    tally.survive()
