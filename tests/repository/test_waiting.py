"""Tests wait for programs that live and make progress, and for nothing else."""

import subprocess
import sys

import pytest

from tests import waiting
from tests.waiting import ended, until


@pytest.fixture
def start():
    programs = []

    def start(code: str) -> subprocess.Popen:
        programs.append(subprocess.Popen([sys.executable, "-c", code]))
        return programs[-1]

    yield start
    for program in programs:
        program.kill()
        program.wait()


def test_a_working_program_is_waited_for_longer_than_an_idle_one(start, monkeypatch):
    monkeypatch.setattr(
        waiting, "IDLE", 2.0
    )  # a busy machine may leave a program less than 1 % of half a second
    busy = start("import time\nend = time.process_time() + 3\nwhile time.process_time() < end: pass")
    assert ended(busy) == 0
    with pytest.raises(AssertionError, match="no progress"):
        until(lambda: False, programs=[start("import time; time.sleep(600)")])


def test_a_program_that_ended_is_not_waited_for(start):
    with pytest.raises(AssertionError, match="ended; last seen: False"):
        until(lambda: False, programs=[start("")])


def test_the_last_action_of_a_program_is_seen(start, tmp_path):
    program = start(f"open({str(tmp_path / 'file')!r}, 'w')")
    program.wait()
    assert until((tmp_path / "file").exists, programs=[program])
