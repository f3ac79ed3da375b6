"""The training loop of all systems, on Hugging Face Accelerate.

Belongs here: updates, validation, early stopping, resuming from a checkpoint, and preparing a module for
training. Not here: what is trained (a `LoopTask`), where checkpoints are stored (a `Checkpoints`), starting
several processes (launch.py), and where curves are shown.

All randomness is a function of the seed, the epoch, the update and the part of its batch: `batches` decides
the order, and torch's generator is reseeded before every part. So a checkpoint needs no generator state, and
a run that was killed and resumed ends with the same bits as an uninterrupted one.

Processes that were started together share the parts of every batch (processes.py). All of them read the last
checkpoint and validate; only the first one reports and writes. A checkpoint does not depend on their number.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from silverloom.ops.models.precision import autocast, halves_products
from silverloom.ops.models.training.checkpoints import (
    Checkpoint,
    Checkpoints,
    RunState,
    names_of,
    optimiser_tensors,
    with_tensors,
)
from silverloom.ops.models.training.params import TrainingParams
from silverloom.ops.models.training.processes import GradientSum, Processes, batches, parts_of
from silverloom.ops.models.training.task import CurvePoint, LoopTask, Progress, Trained, TrainingError

if TYPE_CHECKING:
    from torch import Tensor, nn

Batches = Sequence[tuple[int, ...]]


class NotFiniteError(TrainingError):
    """The loss or the gradient is NaN or infinite; the message names the update, the epoch and examples."""


def train_here(
    task: LoopTask,
    params: TrainingParams,
    checkpoints: Checkpoints | None = None,
    report: Callable[[Progress], None] | None = None,
    strict: bool = True,
) -> Trained:
    """Train a task's module in place, in this process, which may be one of several; see `train`."""
    if not len(task.costs):
        raise TrainingError("the training set has no examples: there is nothing to train on")
    with numerics(strict):
        return _Run(task, params, checkpoints, report, strict).go()


class _Run:
    def __init__(
        self,
        task: LoopTask,
        params: TrainingParams,
        checkpoints: Checkpoints | None,
        report: Callable[[Progress], None] | None,
        strict: bool,
    ) -> None:
        import torch

        self.task, self.params, self.checkpoints, self.report = task, params, checkpoints, report
        self.processes = Processes(strict)
        self.halved = halves_products(params.precision, self.processes.device, strict)
        task.module.to(self.processes.device)
        prepare_module(task.module, params)
        self.optimiser = torch.optim.AdamW(
            [weights for weights in task.module.parameters() if weights.requires_grad],
            lr=params.learning_rate,
            betas=(params.beta_1, params.beta_2),
            eps=params.epsilon,
            weight_decay=params.weight_decay,
            fused=True,  # other kernels call MKL's square root, whose bits differ between processors
        )
        self.steps = self._count()
        self.identity = {
            "training": params.model_dump(mode="json", exclude={"checkpoint_every"}),
            "task": dict(task.identity()),
        }
        self.state = RunState()
        self.saved: int | None = None
        self.best: Mapping[str, Tensor] = self._weights()
        self._go_on()

    def go(self) -> Trained:
        state, began, first = self.state, time.monotonic(), self.state.step
        updates: Batches = []
        while not state.reason:
            if state.batch == 0 or not updates:
                updates = self._updates(state.epoch)
            epoch, loss = state.epoch, self._update(updates[state.batch])
            metrics = self._advance(len(updates))
            done = state.step - first
            if self.report is not None and self.processes.main:
                rate = done / max(time.monotonic() - began, 1e-9)
                remaining = (self.steps - state.step) / rate
                self.report(Progress(state.step, self.steps, epoch, loss, rate, remaining, metrics or {}))
            if state.reason or state.step % self.params.checkpoint_every == 0:
                self._checkpoint()
        if state.best is None:
            raise TrainingError(
                f"{self.params.metric!r} was NaN in every validation: there are no best weights"
            )
        self.task.module.load_state_dict(dict(self.best))
        self.task.module.eval()
        return Trained(state.step, state.reason, state.best_step, state.best, tuple(state.curve))

    def _count(self) -> int:
        """Return the number of updates of all epochs, at most `params.steps`; holds one epoch in memory."""
        most = math.inf if self.params.steps is None else self.params.steps
        count = 0
        for epoch in range(self.params.epochs):
            count += len(self._updates(epoch))
            if count >= most:
                return int(most)
        return count

    def _updates(self, epoch: int) -> Batches:
        params = self.params
        costs, parts = self.task.costs, params.accumulation
        return batches(costs, params.batch_size, params.batch_cost, params.seed, epoch, parts)

    def _update(self, batch: Sequence[int]) -> float:
        """Update the weights by a batch; return the mean loss of its examples."""
        import torch

        state, params = self.state, self.params
        self.task.module.train()
        for parameters in self.optimiser.param_groups:
            parameters["lr"] = params.rate(state.step, self.steps)
        whole = self._gradients(batch)
        # Checked even without clipping: a gradient that is not finite would spoil weights and checkpoint.
        most = math.inf if params.clip is None else params.clip
        norm = float(torch.nn.utils.clip_grad_norm_(self.task.module.parameters(), most))
        if not math.isfinite(norm):
            raise self._not_finite(f"the gradient's norm is {norm}", batch)
        self.optimiser.step()
        self.optimiser.zero_grad()
        state.loss += whole * len(batch)
        state.examples += len(batch)
        return whole

    def _gradients(self, batch: Sequence[int]) -> float:
        """Set the gradients of a batch's mean loss on all weights; return that loss."""
        import torch

        processes, whole = self.processes, 0.0
        gradients = GradientSum(processes, self.task.module.parameters())
        parts = parts_of(batch, self.params.accumulation)
        for first in range(0, len(parts), processes.count):
            place, loss = first + processes.index, None
            if place < len(parts):
                torch.manual_seed(_seed(self.params.seed, self.state.step, place))
                loss = self._loss(parts[place]) * (len(parts[place]) / len(batch))
            values = processes.values(0.0 if loss is None else float(loss.detach()))
            for part, value in zip(parts[first:], values, strict=False):
                if not math.isfinite(value):
                    raise self._not_finite(f"the loss is {value}", part)
                whole += value
            if loss is not None:
                loss.backward()  # type: ignore[no-untyped-call]
            gradients.add()
        gradients.spread()
        return whole

    def _loss(self, examples: Sequence[int]) -> Tensor:
        with autocast(self.processes.device, self.halved):
            return self.task.loss(examples)

    def _advance(self, updates: int) -> Mapping[str, float] | None:
        """Count an update; validate if it is due, and check whether the run ends."""
        state, params = self.state, self.params
        state.step += 1
        state.batch += 1
        ended = state.batch == updates
        last = state.step == self.steps
        metrics = None
        if last or (ended if params.validate_every is None else state.step % params.validate_every == 0):
            metrics = self._validate()
        if ended:
            state.epoch, state.batch = state.epoch + 1, 0
        if not state.reason and last:
            state.reason = "epochs" if state.epoch == params.epochs else "steps"
        return metrics

    def _validate(self) -> Mapping[str, float]:
        import torch

        state, params = self.state, self.params
        self.task.module.eval()
        with torch.no_grad():
            metrics = self.processes.agreed(self.task.validate())
        for name in filter(None, (params.metric, params.tie)):
            if name not in metrics:
                raise TrainingError(
                    f"validation gives no metric {name!r}; it gives {', '.join(sorted(metrics)) or 'none'}"
                )
        points = {"train/loss": state.loss / state.examples, **metrics}
        state.curve += [
            CurvePoint(state.step, state.epoch, name, float(value)) for name, value in points.items()
        ]
        state.loss, state.examples = 0.0, 0
        value = float(metrics[params.metric])
        tie = float(metrics[params.tie]) if params.tie else None
        if params.better(value, state.best, tie, state.best_tie):
            state.best, state.best_step, state.best_tie, state.waited = value, state.step, tie, 0
            self.best = self._weights()
        else:
            state.waited += 1
            if state.waited == params.patience:
                state.reason = "patience"
        return metrics

    def _weights(self) -> dict[str, Tensor]:
        """Return a copy of the weights on the CPU."""
        return {
            name: value.detach().to("cpu", copy=True).contiguous()
            for name, value in self.task.module.state_dict().items()
        }

    def _checkpoint(self) -> None:
        if self.checkpoints is None or not self.processes.main:
            return
        tensors = {
            name: value.detach().cpu().contiguous()
            for name, value in optimiser_tensors(self.optimiser.state_dict()).items()
        }
        checkpoint = Checkpoint(self.state, self._weights(), self.best, tensors)
        self.checkpoints.write(checkpoint.files(self.identity))
        self.saved = self.state.step

    def _go_on(self) -> None:
        files = self.checkpoints.read() if self.checkpoints is not None else None
        if files is None:
            return
        checkpoint = Checkpoint.of(files, self.identity)
        self.state, self.best, self.saved = checkpoint.state, checkpoint.best, checkpoint.state.step
        self.task.module.load_state_dict(dict(checkpoint.weights))
        self.optimiser.load_state_dict(with_tensors(self.optimiser.state_dict(), checkpoint.optimiser))

    def _not_finite(self, what: str, indices: Any) -> NotFiniteError:
        state = self.state
        stays = "" if self.saved is None else f"; the checkpoint of update {self.saved} stays"
        return NotFiniteError(
            f"update {state.step + 1}, epoch {state.epoch + 1}: {what}; examples: "
            f"{names_of(self.task.names, indices)}{stays}. Lower the learning rate, or look at these examples"
        )


def _seed(*parts: int) -> int:
    import numpy as np

    return int(np.random.SeedSequence(parts).generate_state(1, np.uint64)[0] >> np.uint64(1))


@contextmanager
def numerics(strict: bool) -> Iterator[None]:
    """Fix torch's order of sums if `strict`; restore its generator and settings at the end."""
    import torch

    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng())
        stack.callback(torch.use_deterministic_algorithms, torch.are_deterministic_algorithms_enabled())
        if strict:
            torch.set_num_threads(1)
            torch.use_deterministic_algorithms(True)
            # In these two libraries, wide convolutions sum in an order that depends on the processor.
            for library in (torch.backends.mkldnn, torch.backends.nnpack):
                enabled, *_ = library.set_flags(False)
                stack.callback(library.set_flags, enabled)
        yield


def prepare_module(module: nn.Module, params: TrainingParams) -> None:
    """Turn on gradient checkpointing if the params say so.

    Raises TrainingError for a module that does not support it.
    """
    if params.gradient_checkpointing:
        enable: Any = getattr(module, "activation_checkpointing_enable", None)
        if not getattr(module, "supports_gradient_checkpointing", False) or enable is None:
            raise TrainingError(
                f"{type(module).__name__} cannot checkpoint gradients: set gradient_checkpointing to false"
            )
        enable({"use_reentrant": False})
