"""The interface of a training task, and the progress and results of training.

Belongs here: the protocol of a task, what another process makes its loss from, curves, results and errors,
progress and the lines of text that show it. Not here: the loop (loop.py), other processes (launch.py).
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from pydantic import JsonValue

from silverloom.ops.core.params import Params
from silverloom.ops.core.stored_rows import StoredRows

if TYPE_CHECKING:
    from torch import Tensor, nn


class TrainingError(RuntimeError):
    """Training cannot start or continue; the message says where, and what is kept."""


@contextmanager
def errors_of(model: str) -> Iterator[None]:
    """Prefix every TrainingError inside with the name of the model."""
    try:
        yield
    except TrainingError as error:
        raise type(error)(f"{model}: {error}") from error


class Loss(Protocol):
    """A module, and its loss on training examples."""

    @property
    def module(self) -> nn.Module:
        """The module, which is trained in place."""
        ...

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss (a scalar) of the training examples at these indices."""
        ...


@dataclass(frozen=True)
class LossParts:
    """What another process makes the loss of a task from: `make(files, path of rows, **values)`."""

    make: Callable[..., Loss]
    """A function of a module, which the other process imports by its name."""
    files: Mapping[str, bytes]
    """The module: configs as JSON, weights as safetensors."""
    rows: StoredRows
    """The training examples, with a column `name`; they stay on disk as long as this object."""
    values: Mapping[str, JsonValue] = field(default_factory=dict)


class LoopTask(Loss, Protocol):
    """A model with its training and validation sets, as the loop needs them.

    `names` and `costs` (N): the names and lengths of the training examples.
    """

    @property
    def names(self) -> Sequence[str]:
        """N names, for messages."""
        ...

    @property
    def costs(self) -> Sequence[int]:
        """N lengths, for batches of similar length."""
        ...

    def validate(self) -> Mapping[str, float]:
        """Return the metrics of the validation set by name; the loop has put the module in eval mode."""
        ...

    def identity(self) -> Mapping[str, Any]:
        """Return, as JSON values, what the weights depend on apart from the params: sizes, data digests."""
        ...


class Task(LoopTask, Protocol):
    """A model with its training and validation sets, which several processes may train."""

    def parts(self) -> LossParts:
        """Return what other processes of the same training make the loss from."""
        ...


def task_identity(
    module: nn.Module, config: Params, training: str, validation: str, **more: Any
) -> dict[str, Any]:
    """Return the identity of a task: its config, initial weights, the digests of its two sets, and `more`."""
    from safetensors.torch import save

    weights = save({name: value.contiguous() for name, value in module.state_dict().items()})
    return {
        "model": config.model_dump(mode="json"),
        "initial weights": hashlib.sha256(weights).hexdigest(),
        "training set": training,
        "validation set": validation,
        **more,
    }


@dataclass(frozen=True)
class CurvePoint:
    """A point of a curve: a named value at an update (from 1) and an epoch (from 0)."""

    step: int
    epoch: int
    name: str
    value: float


@dataclass(frozen=True)
class Progress:
    """The progress of training: updates done and in all, the last loss, updates a second, seconds left."""

    step: int
    steps: int
    epoch: int
    loss: float
    rate: float
    remaining: float
    metrics: Mapping[str, float]
    """The metrics of the validation after this update; empty without one."""


@dataclass(frozen=True)
class Trained:
    """How training ended; the module then has the best weights."""

    steps: int
    reason: str
    """Why training ended: "epochs", "steps" or "patience"."""
    best_step: int
    best: float
    curve: tuple[CurvePoint, ...]


class ProgressLines:
    """Writes a line every few seconds, and one for every validation; `name` is the model's name."""

    def __init__(self, name: str = "", stream: TextIO | None = None, seconds: float = 5.0) -> None:
        self._name = name
        self._stream = stream or sys.stderr
        self._seconds = seconds
        self._last = -seconds

    def __call__(self, progress: Progress) -> None:
        """Write a line if it is due."""
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
