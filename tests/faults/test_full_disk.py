"""When a disk fills up, one line names it, existing data stay, and the next run ends like an undisturbed one."""

import os
import re
import shutil
import subprocess

import pytest

from tests.projects import spell_out

ROOM = "200m"
FULL = r"no space left on the device(?: while writing \S+)?: (\d+\.\d) MB are free on (\S+); free some space"


class Disk:
    """A file system in memory that holds a project."""

    def __init__(self, place):
        self.place = place

    def mount(self, *options):
        return subprocess.run(
            ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", self.place],
            capture_output=True,
            check=False,
        )

    def leave(self, kilobytes):
        """Leave this many kilobytes free, or make it large again."""
        system = os.statvfs(self.place)
        used = (system.f_blocks - system.f_bfree) * system.f_frsize // 1024
        size = ROOM if kilobytes is None else f"{used + kilobytes}k"
        assert self.mount("remount", f"size={size}").returncode == 0

    def copy(self, project):
        self.leave(None)
        shutil.rmtree(self.place / "project", ignore_errors=True)
        return project.copy(self.place / "project")


@pytest.fixture
def disk(tmp_path):
    disk = Disk(tmp_path / "disk")
    disk.place.mkdir()
    if disk.mount(f"size={ROOM}").returncode != 0:
        pytest.skip("a file system in memory cannot be mounted here")
    yield disk
    subprocess.run(["umount", "-l", disk.place], check=True)


def fill(disk, tally, begin, sizes, command, check):
    """Run a command with this many kilobytes left, then again with room; return how often it failed."""
    failures = 0
    for size in sizes:
        project = begin()
        disk.leave(size)
        tally.attempt()
        ended = project.zygote.run(project.root, [command], module="silverloom.orchestration.cli", env={})
        assert "Traceback" not in ended.output, (size, ended.output)
        if ended.status:
            failures += 1
            *before, last = ended.output.splitlines()
            assert ended.status == 1 and last.startswith("error: "), (size, ended.output)
            found = re.search(FULL, last)
            assert found and found.group(2) == str(disk.place), (size, ended.output)
            assert not any("No space" in line or "sqlite" in line.lower() for line in before), ended.output
        check(project, bool(ended.status), size)
        tally.survive()
    return failures


@pytest.mark.long
def test_a_disk_that_fills_up_while_the_stores_are_made(fresh_project, disk, tally):
    """A disk is full while the stores of Dagster and MLflow are made"""

    def begin():
        project = disk.copy(fresh_project)
        for name in (".dagster", ".silverloom"):
            shutil.rmtree(project.root / name)
        return project

    def check(project, _failed, _size):
        disk.leave(None)
        project.silverloom("setup")
        assert "sources/papers" in project.silverloom("plan")

    assert fill(disk, tally, begin, (8, 800), "setup", check) == 2


@pytest.mark.long
def test_a_disk_that_fills_up_during_a_run(done, disk, tally):
    """A disk is full during a run"""

    def change(params):
        spell_out(params, "talksumm.summaries")["budgets"]["words_150"].update(words=40)

    old, old_lock = done.data(), done.lock
    begin_with = done.copy(done.root.with_name("changed"))
    begin_with.params(change)
    done.params(change)
    done.run()
    new, new_lock = done.data(), done.lock
    assert new_lock != old_lock

    def check(project, _failed, size):
        assert project.lock in (old_lock, new_lock), size
        for name, content in project.data().items():
            assert content in (old.get(name), new.get(name)), (name, size)
        disk.leave(None)
        project.run()
        assert project.lock == new_lock and project.data() == new, size

    assert fill(disk, tally, lambda: disk.copy(begin_with), (0, 150, 3000), "run", check)


@pytest.mark.long
def test_a_disk_that_fills_up_during_a_commit(done, disk, tally):
    """A disk is full during a commit"""
    whole, data = done.lock, done.data()
    shutil.rmtree(done.root / ".dvc/cache")
    (done.root / "dvc.lock").unlink()

    def check(project, failed, size):
        assert not failed or not (project.root / "dvc.lock").exists() or project.lock == whole, size
        disk.leave(None)
        project.run()
        assert project.lock == whole, size
        shutil.rmtree(project.root / "data/talksumm")
        project.dvc("checkout", "data/talksumm/pairs", "data/talksumm/summaries", "data/talksumm/extractor")
        for name, content in project.data().items():
            assert content == data[name], (name, size)

    assert fill(disk, tally, lambda: disk.copy(done), (0, 8, 1000), "run", check)


@pytest.mark.long
def test_dvcs_list_of_readers_and_writers_left_by_a_full_disk_is_no_obstacle(done, tally):
    """DVC's own list of readers and writers was left empty by a full disk or a kill"""
    whole = done.lock
    (done.root / "dvc.lock").unlink()
    (done.root / ".dvc/tmp/rwlock").write_text("")
    tally.attempt()
    done.run()
    assert done.lock == whole
    tally.survive()
