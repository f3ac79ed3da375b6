"""Processes that were launched together train what one trains."""

import json
import os
import subprocess
import sys

import pytest

from assets.declare.settings import checkout

PROGRAM = "tests.ops.models.training.shared_training"


def curve(*arguments, processes=1):
    launched = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"] * (
        processes > 1
    )
    done = subprocess.run(
        [sys.executable, *launched, "-m", PROGRAM, *map(str, arguments)],
        cwd=checkout(),
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith("[")]
    assert len(lines) == 1  # the first process alone reports
    return json.loads(lines[0])


@pytest.mark.slow
def test_two_processes_have_the_curve_of_one_with_the_same_batches(tmp_path):
    """A batch is shared: each of two processes holds half of what one process holds.

    50 examples in batches of 7: every batch is shared unevenly, and the last ones are smaller than others.
    """
    alone = curve(tmp_path / "alone", 7)
    together = curve(tmp_path / "together", 7, processes=2)
    assert len(alone) == len(together) == 6
    for one, two in zip(alone, together, strict=True):
        assert (one["name"], one["step"]) == (two["name"], two["step"])
        assert two["value"] == pytest.approx(one["value"], rel=1e-4)
