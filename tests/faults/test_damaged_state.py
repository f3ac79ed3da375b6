"""Whatever the damage to local state, the next run ends like a clean one, with the same data and dvc.lock."""

import re
import shutil

import pytest

from tests.faults.damage import damage

#: Files by whether a line reports their damage. The others are only ever replaced, or derived from files.
FILES = {
    "manifests/talksumm/alignments/2018-06.json": True,
    "manifests/talksumm/pairs/2018-06.json": True,
    ".silverloom/cache/measured/talksumm/alignments/2018-07.json": False,
    "data/quality/failing/talksumm/pairs/2018-06.parquet": False,
    "code.json": False,
    "metrics/talksumm.json": False,
    "metrics/talksumm.funnel.csv": False,
}

SAID = re.compile(r"^warning: (\S+) cannot be used: ", re.MULTILINE)


@pytest.fixture(scope="session")
def begun_project(made_once, done_project):
    """A finished checkout with one partition to be made again, with the same bytes. Copy it."""
    return made_once("begun", lose_a_partition, done_project)


def lose_a_partition(project):
    shutil.rmtree(project.root / "data/talksumm/pairs/2018-06")


def check_run(project, done, said):
    """Run: it must end like a clean run, report each file in `said` in one line, and leave nothing to do."""
    output = project.run()
    assert sorted(SAID.findall(output)) == sorted(said), output
    assert "Traceback" not in output and "could not be tracked" not in output
    assert project.lock == done.lock
    assert project.data() == done.data()
    assert (project.root / "code.json").read_bytes() == (done.root / "code.json").read_bytes()
    again = project.run()
    assert not SAID.findall(again) and not project.made(again), again


@pytest.mark.long
def test_files_of_local_state_are_damaged_at_once(begun_project, done_project, tmp_path, tally):
    """Every file of local state that is not a database is damaged at once."""
    project = begun_project.copy(tmp_path / "begun")
    places = {name: project.root / name for name in FILES}
    for path in places.values():
        tally.attempt()
        damage(path, "random bytes")
    said = {places[name].relative_to(project.root).as_posix() for name in FILES if FILES[name]}
    check_run(project, done_project, said)
    for _ in places:
        tally.survive()


@pytest.mark.long
def test_files_of_a_project_with_nothing_to_do_are_damaged(done, done_project, tally):
    """Every file of local state of a project with nothing to do is damaged at once"""
    done.run()
    places = [done.root / name for name in FILES]
    for path in [*places, *(done.root / ".silverloom/cache").glob("*.js*")]:
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
def test_without_local_state_a_run_makes_nothing(done, done_project, tally):
    """`.silverloom` and `.dagster` are deleted."""
    tally.attempt()
    for name in (".silverloom", ".dagster"):
        shutil.rmtree(done.root / name)
    assert done.made(done.run()) == []
    assert done.lock == done_project.lock and done.data() == done_project.data()
    tally.survive()
