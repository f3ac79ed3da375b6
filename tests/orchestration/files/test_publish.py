"""Publishing is all or nothing, wherever it is interrupted."""

import errno
import os
import signal
from pathlib import Path

import pytest

from silverloom.orchestration.files import publish
from silverloom.orchestration.files.full_disk import DiskFullError
from silverloom.orchestration.files.publish import building, recover, remove, write_file

CALLS = ("fsync", "rename", "replace", "mkdir", "open")


@pytest.fixture
def place(tmp_path):
    target = tmp_path / "data" / "group" / "asset"
    target.mkdir(parents=True)
    (target / "kept").write_text("old")
    return tmp_path / "data" / ".building", target


def content(target: Path) -> str:
    return (target / "kept").read_text()


def republish(workshop: Path, target: Path) -> None:
    with building(workshop, target) as new:
        (new / "kept").write_text("new")


def test_a_finished_block_becomes_the_target(place):
    republish(*place)
    assert content(place[1]) == "new"
    assert [*place[0].iterdir()] == []


def test_a_raising_block_leaves_the_previous_target(place):
    workshop, target = place
    with pytest.raises(KeyError), building(workshop, target) as new:
        (new / "kept").write_text("half")
        raise KeyError
    assert content(target) == "old"
    assert [*workshop.iterdir()] == []


@pytest.mark.parametrize("number", [1, 2])
def test_an_interrupt_between_two_renames_leaves_the_previous_target(place, monkeypatch, number):
    renames = iter(range(1, 10))

    def rename(source, destination, rename=os.rename):
        if next(renames) == number:
            raise KeyboardInterrupt
        rename(source, destination)

    monkeypatch.setattr(publish, "exchange", lambda one, other: False)
    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(KeyboardInterrupt):
        republish(*place)
    assert content(place[1]) == "old"
    assert [*place[0].iterdir()] == []


@pytest.mark.parametrize("exchanges", [True, False], ids=["exchange", "two renames"])
def test_a_process_killed_at_any_call_leaves_the_old_or_the_new(place, exchanges):
    """Kill a forked child at its 1st, 2nd, ... call that changes the disk."""
    workshop, target = place
    for stop in range(1, 100):
        child = os.fork()
        if child == 0:
            if not exchanges:
                publish.exchange = lambda one, other: False
            die_at(stop)
            republish(workshop, target)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        recover(workshop)
        assert content(target) in ("old", "new")
        assert [*workshop.iterdir()] == []
        if os.WIFEXITED(status):
            assert stop > 10, "the calls were not counted"
            assert content(target) == "new"
            return
        (target / "kept").write_text("old")
    pytest.fail("never ended")


def die_at(stop: int) -> None:
    count = 0

    def wrap(function):
        def counted(*arguments, **options):
            nonlocal count
            count += 1
            if count == stop:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return counted

    for name in CALLS:
        setattr(os, name, wrap(getattr(os, name)))


def test_files_that_a_living_process_is_building_are_left_alone(place):
    workshop, target = place
    with building(workshop, target) as new:
        (new / "kept").write_text("new")
        recover(workshop)
    assert content(target) == "new"


def test_simultaneous_publications_leave_each_others_staging_folders_alone(place):
    workshop, target = place
    children = []
    for number in range(3):
        children.append(os.fork())
        if not children[-1]:
            try:
                for _ in range(200):
                    republish(workshop, target.with_name(str(number)))
            except BaseException:
                os._exit(1)
            os._exit(0)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert [*workshop.iterdir()] == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_device_is_a_clear_error_and_the_previous_partition_stays(place, number):
    workshop, target = place
    message = "no space left on the device while writing asset"
    with pytest.raises(DiskFullError, match=message), building(workshop, target):
        raise OSError(number, "full")
    assert content(target) == "old"


def test_a_file_is_written_completely_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "record.json"
    write_file(path, b"old")

    def full(_descriptor):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFullError):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert [dataset.name for dataset in tmp_path.iterdir()] == ["record.json"]


def test_a_removed_folder_is_gone_at_once(place):
    workshop, target = place
    remove(target, workshop)
    assert not target.exists()
