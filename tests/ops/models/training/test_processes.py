"""Processes that were launched together train what one trains."""

import json
import os
import subprocess
import sys

import pytest

from assets.declare.settings import checkout

PROGRAM = "tests.ops.models.training.shared_training"


def launched(*arguments, processes=1):
    together = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    return subprocess.run(
        [sys.executable, *together * (processes > 1), "-m", PROGRAM, *map(str, arguments)],
        cwd=checkout(),
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )


def curve(*arguments, processes=1):
    done = launched(*arguments, processes=processes)
    assert done.returncode == 0, done.stderr[-3000:]
    [line] = [line for line in done.stdout.splitlines() if line.startswith("[")]  # of the first process alone
    return json.loads(line)


def assert_same(first, second):
    assert len(first) == len(second) >= 6
    for one, two in zip(first, second, strict=True):
        assert (one["name"], one["step"]) == (two["name"], two["step"])
        assert two["value"] == pytest.approx(one["value"], rel=1e-4)


@pytest.mark.long
def test_two_processes_have_the_curve_of_one_with_the_same_batches_also_after_a_kill(tmp_path):
    """A batch is shared: each of two processes holds half of what one process holds.

    50 examples in batches of 7: every batch is shared unevenly, and the last one of an epoch has one example.
    """
    alone = curve("toy", tmp_path / "alone", 7)
    assert_same(alone, curve("toy", tmp_path / "together", 7, processes=2))
    assert launched("toy", tmp_path / "broken", 7, 8, processes=2).returncode != 0
    state = json.loads((tmp_path / "broken" / "last" / "state.json").read_text())
    assert state["state"]["step"] == 5
    assert_same(alone, curve("toy", tmp_path / "broken", 7))  # goes on by itself


@pytest.mark.long
def test_two_processes_train_a_t_dmca_as_one_does(tmp_path):
    alone = curve("t_dmca", tmp_path / "alone", 7)
    assert_same(alone, curve("t_dmca", tmp_path / "together", 7, processes=2))
