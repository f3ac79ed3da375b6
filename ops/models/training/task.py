"""What is trained, and what training tells on its way.

Belongs here: the protocol of a task, curves, outcomes and errors, progress and the lines of text that show
it. Not here: the loop (loop.py).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TextIO

if TYPE_CHECKING:
    from torch import Tensor, nn


class TrainingError(RuntimeError):
    """Training cannot begin, or cannot go on; the message says where, and what stays."""


@contextmanager
def errors_of(model: str) -> Iterator[None]:
    """Let every TrainingError within begin with the name of the model that is trained."""
    try:
        yield
    except TrainingError as error:
        raise type(error)(f"{model}: {error}") from error


class Task(Protocol):
    """A model with its training and validation sets.

    `names` and `costs` (N): what the training examples are called, and how long they are.
    """

    @property
    def module(self) -> nn.Module:
        """What is trained, in place."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """N names, for messages."""
        ...

    @property
    def costs(self) -> Sequence[int]:
        """N lengths, for batches of like length."""
        ...

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss of some training examples (a scalar): the sum divided by their number."""
        ...

    def validate(self) -> Mapping[str, float]:
        """Return the metrics of the validation set by name; the loop has set the module to evaluate."""
        ...

    def identity(self) -> Mapping[str, Any]:
        """Return what the weights depend on beside the knobs, as JSON has it: sizes, digests of data."""
        ...


@dataclass(frozen=True)
class CurvePoint:
    """A point of a curve: a value by name, at an update (from 1) and an epoch (from 0)."""

    step: int
    epoch: int
    name: str
    value: float


@dataclass(frozen=True)
class Progress:
    """Where training is: updates done of all, the last one's loss, updates a second, seconds that remain."""

    step: int
    steps: int
    epoch: int
    loss: float
    rate: float
    remaining: float
    metrics: Mapping[str, float]
    """Of the validation that followed this update, if one did."""


@dataclass(frozen=True)
class Trained:
    """How training ended; the module has the best weights."""

    steps: int
    reason: str
    """Why it ended: "epochs", "steps" or "patience"."""
    best_step: int
    best: float
    curve: tuple[CurvePoint, ...]


class ProgressLines:
    """Writes a line every some seconds, and one for every validation; `name` is what is trained."""

    def __init__(self, name: str = "", stream: TextIO | None = None, seconds: float = 5.0) -> None:
        self._name = name
        self._stream = stream or sys.stderr
        self._seconds = seconds
        self._last = -seconds

    def __call__(self, progress: Progress) -> None:
        """Write a line, if it is time."""
        now = time.monotonic()
        if not progress.metrics and now - self._last < self._seconds:
            return
        self._last = now
        print(f"{self._name}  {line(progress)}".lstrip(), file=self._stream, flush=True)


def line(progress: Progress) -> str:
    """Return progress as one line: updates, epoch, loss, rate, remaining time, and metrics by name."""
    minutes, seconds = divmod(round(progress.remaining), 60)
    metrics = "".join(f"  {name} {value:.4f}" for name, value in sorted(progress.metrics.items()))
    return (
        f"update {progress.step}/{progress.steps}  epoch {progress.epoch + 1}  loss {progress.loss:.4f}  "
        f"{progress.rate:.2f} updates/s  {minutes}:{seconds:02d} left{metrics}"
    )
