"""A long computation within one part resumes from its finished slices after Ctrl-C, and reports its progress."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.workspace.environment import QUIET, STRICT
from tests.projects import ROOT
from tests.waiting import until

SCRIPT = Path(__file__).with_name("interrupted_slices.py")
SENTENCES, SLICE = 40, 8


def start(folder):
    folder.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), str(folder)],
        cwd=ROOT,
        env={**os.environ, **STRICT, **QUIET, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def embedded(folder):
    log = folder / "embedded.log"
    return [int(line) for line in log.read_text().split()] if log.exists() else []


@pytest.mark.long
def test_ctrl_c_within_a_part_loses_at_most_the_current_slice(tally, tmp_path):
    """Ctrl-C while the one part of a partition is embedded"""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    unbroken, process = start(whole), start(broken)
    tally.attempt()
    until(lambda: len(embedded(broken)) >= 2 or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    output = process.communicate()[0]
    assert process.returncode == 130, output
    assert "toy: embed: 0 of 5 parts" in output and "toy: embed: 1 of 5 parts" in output
    stored = len(list((broken / "parts").rglob("*.zip")))
    before = len(embedded(broken))
    assert 1 <= stored < 5 and before - stored <= 1
    again = start(broken)
    output = again.communicate()[0]
    assert again.returncode == 0, output
    assert f"embed: resuming after {stored} finished parts" in output
    assert embedded(broken)[before:] == [SLICE] * (5 - stored)
    output = unbroken.communicate()[0]
    assert unbroken.returncode == 0, output
    assert sum(embedded(whole)) == SENTENCES
    assert folder_hashes(broken / "made") == folder_hashes(whole / "made")
    tally.survive()
