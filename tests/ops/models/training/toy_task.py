"""A task small enough to be trained in a blink: a line with dropout through noisy points.

As a program, it trains into a folder, and kills itself with SIGKILL at an update.
Usage: python toy_task.py FOLDER KILL_AT (0: never)
"""

import os
import signal
import sys
from pathlib import Path

import pyarrow as pa
import torch
from safetensors.torch import load, save
from torch import nn

from silverloom.ops.core.stored_rows import StoredRows
from silverloom.ops.models.training import TrainingParams, train
from silverloom.ops.models.training.task import LossParts
from silverloom.orchestration.files.publish import building, write_files

PARAMS = TrainingParams(
    epochs=3,
    batch_size=4,
    accumulation=2,
    learning_rate=0.05,
    checkpoint_every=4,
    metric="error",
    precision="bfloat16",
    seed=3,
)


class Toy:
    def __init__(self, examples=50, poisoned=None, metrics=None):
        generator = torch.Generator().manual_seed(1)
        self.inputs = torch.randn(examples, 5, generator=generator)
        self.targets = self.inputs @ torch.arange(5.0) + torch.randn(examples, generator=generator) / 10
        if poisoned is not None:
            self.targets[poisoned] = torch.nan
        self.names = [f"point-{index}" for index in range(examples)]
        self.costs = [1 + index % 7 for index in range(examples)]
        self.metrics = metrics
        self.validations = 0
        with torch.random.fork_rng():
            torch.manual_seed(0)
            self.module = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 1))

    def loss(self, indices):
        chosen = list(indices)
        return ((self.module(self.inputs[chosen])[:, 0] - self.targets[chosen]) ** 2).mean()

    def validate(self):
        self.validations += 1
        if self.metrics is not None:
            return {"error": self.metrics[self.validations - 1]}
        return {"error": float(((self.module(self.inputs)[:, 0] - self.targets) ** 2).mean())}

    def identity(self):
        return {"model": {"width": 8}, "data": "toy"}

    def parts(self):
        rows = StoredRows(pa.schema([("name", pa.string())]), ({"name": name} for name in self.names))
        return LossParts(
            toy_loss,
            {"weights": save(self.module.state_dict())},
            rows,
            {"examples": len(rows), "a_flag": True},
        )


def toy_loss(files, rows, examples, a_flag):
    assert a_flag is True and type(examples) is int, "values arrive as they were given"
    toy = Toy(examples)
    toy.module.load_state_dict(load(files["weights"]))
    return toy


class Folder:
    """Checkpoints in a folder, written by the project's writer."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def write(self, files):
        with building(self.folder / ".workshop", self.folder / "last") as new:
            write_files(new, sorted(files.items()))

    def read(self):
        last = self.folder / "last"
        return {one.name: one.read_bytes() for one in sorted(last.iterdir())} if last.exists() else None


class Memory:
    """Checkpoints that last as long as the test."""

    def __init__(self):
        self.files = None

    def write(self, files):
        self.files = dict(files)

    def read(self):
        return self.files


def main(folder, kill_at):
    def report(progress):
        if progress.step == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    train(Toy(), PARAMS, Folder(folder), report)


if __name__ == "__main__":  # each folder and update runs in a fork of this process, which has loaded torch
    for folder, kill_at in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
        child = os.fork()
        if not child:
            main(folder, int(kill_at))
            sys.exit()
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
