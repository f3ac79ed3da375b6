"""Worker processes share the GPUs."""

import os

import pyarrow as pa
import pytest

from ops.outcome import Outcome, Shape, columns
from orchestration.engine import processes
from orchestration.engine.local import LocalEngine
from orchestration.engine.processes import visible_gpus

SHAPE = Shape(unit=columns(), kept=columns(("gpu", pa.string())))


def which(piece, folder):
    """A worker that has a piece waits for the other one, so that both have one."""
    (folder / str(os.getpid())).touch()
    while len(list(folder.iterdir())) < 2:
        pass
    row = {"id": f"row-{piece}", "source_ids": ["x"], "licence": "CC0"}
    return Outcome.of(SHAPE, ["x"], [{**row, "gpu": os.environ.get("CUDA_VISIBLE_DEVICES")}])


@pytest.mark.parametrize(("named", "seen"), [("3,5", {"3", "5"}), ("7", {"7"}), ("", {""})])
def test_each_process_sees_one_gpu_of_those_that_may_be_used(tmp_path, monkeypatch, named, seen):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", named)
    outcomes = LocalEngine(2).map(which, range(2), tmp_path)
    assert {outcome.kept["gpu"][0].as_py() for outcome in outcomes} == seen


def test_without_a_variable_they_are_those_that_the_driver_lists(tmp_path, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(processes, "_GPUS", tmp_path)
    assert visible_gpus() == []
    for place in ("0000:1a:00.0", "0000:3b:00.0"):
        (tmp_path / place).mkdir()
    assert visible_gpus() == ["0", "1"]
