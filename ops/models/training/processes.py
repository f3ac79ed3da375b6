"""Batches of examples of similar length, and processes that train one model together, on Accelerate.

Belongs here: which examples are in which batch and part, in an order that depends only on seed and epoch;
summing gradients over processes. Not here: padding (the task), updates (loop.py), starting processes
(launch.py).

A batch is split into parts. Each process computes some of them, and gradients are added in the order of the
parts. So if kernels sum in a fixed order, the number of processes does not change any bit of an update.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from silverloom.ops.core.extras import require
from silverloom.ops.core.stored_rows import Made

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn


def on_processor(strict: bool) -> bool:
    """Return whether a model is trained on the CPU, not on an accelerator."""
    import torch

    return strict or not torch.cuda.is_available()


class Processes:
    """This process among `count`; `count` is 1 if it was not launched together with others."""

    def __init__(self, strict: bool) -> None:
        require("train", "accelerate")
        import torch
        from accelerate import PartialState

        state = PartialState(cpu=on_processor(strict))
        self.count: int = state.num_processes
        self.index: int = state.process_index
        # PartialState is shared: an earlier run in this process may have chosen the accelerator.
        self.device: torch.device = torch.device("cpu") if on_processor(strict) else state.device

    @property
    def main(self) -> bool:
        """Whether this process reports and writes."""
        return self.index == 0

    def values(self, value: float) -> list[float]:
        """Return the values of all processes, in order."""
        if self.count == 1:
            return [value]
        import torch
        from accelerate.utils import gather

        gathered: Tensor = gather(torch.tensor([value], dtype=torch.float64, device=self.device))
        return [float(each) for each in gathered]

    def agreed(self, metrics: Mapping[str, float]) -> dict[str, float]:
        """Return the first process's metrics, so that all processes decide the same."""
        if self.count == 1:
            return dict(metrics)
        from accelerate.utils import broadcast_object_list

        [first_metrics] = broadcast_object_list([dict(metrics)])
        return dict(first_metrics)


class GradientSum:
    """The gradients of the parts of a batch, added in the order of the parts.

    If one process computes all parts in turn, torch adds them. Several processes compute one part each per
    round. After each round, every process gets its slice of all their gradients and adds it to its sum; at
    the end, all processes get all slices. This has the traffic of an all-reduce, but a fixed order of sums.
    """

    def __init__(self, processes: Processes, parameters: Iterable[nn.Parameter]) -> None:
        self._count = processes.count
        self._weights = [weights for weights in parameters if weights.requires_grad]
        self._slice: Tensor | None = None

    def add(self) -> None:
        """Add the gradients of a round; works without gradients of this process, too."""
        if self._count == 1:
            return
        import torch
        from torch import distributed

        gradients = [weights.grad for weights in self._weights]
        there = [float(gradient is not None) for gradient in gradients]
        flat = [
            torch.zeros_like(weights).flatten() if gradient is None else gradient.flatten()
            for weights, gradient in zip(self._weights, gradients, strict=True)
        ]
        mine = torch.cat([*flat, flat[0].new_tensor(there)])
        mine = torch.nn.functional.pad(mine, (0, -len(mine) % self._count))
        received = torch.empty_like(mine)
        distributed.all_to_all_single(received, mine)
        for part in received.view(self._count, -1):
            self._slice = part.clone() if self._slice is None else self._slice + part
        for weights in self._weights:
            weights.grad = None

    def spread(self) -> None:
        """Set the sums as the gradients of all weights; None for weights without a gradient in any part."""
        if self._slice is None:
            return
        from torch import distributed

        sums = self._slice.new_empty(self._count * len(self._slice))
        distributed.all_gather_single(sums, self._slice)
        self._slice, first = None, 0
        there = sums[sum(weights.numel() for weights in self._weights) :]
        for weights, parts in zip(self._weights, there.tolist(), strict=False):
            last = first + weights.numel()
            weights.grad = sums[first:last].view_as(weights) if parts else None
            first = last


#: How many batches of shuffled examples are sorted by length together; more means less padding, but less
#: randomness.
_WINDOW = 50


def batches(
    costs: Sequence[int], size: int, limit: int | None, seed: int, epoch: int, parts: int = 1
) -> Sequence[tuple[int, ...]]:
    """Return one epoch's batches of indices of `costs`; every index is in exactly one batch.

    Each part of a batch (`parts_of`) has at most `size` examples, and its greatest cost times their number is
    at most `limit`; an example whose cost exceeds the limit is a part of its own. The function has no state:
    a run that resumes in the middle of an epoch computes the same batches and skips those that are done.
    Holds 8 bytes for each example and 16 for each batch.
    """
    random = np.random.default_rng([seed, epoch])
    lengths = np.asarray(costs, dtype=np.int64)
    order = random.permutation(len(lengths))
    starts = array("q", [0])
    for start in range(0, len(order), _WINDOW * size * parts):
        window = order[start : start + _WINDOW * size * parts]
        window[:] = window[np.argsort(lengths[window], kind="stable")]
        for place, cost in enumerate(lengths[window].tolist(), start=start):
            largest = -(-(place - starts[-1] + 1) // parts)  # examples of its largest part, with this one
            # The window is sorted, so the next example is the longest.
            if largest > size or (limit and largest > 1 and largest * cost > limit):
                starts.append(place)
        starts.append(start + len(window))

    def batch(number: int) -> tuple[int, ...]:
        return tuple(order[starts[number] : starts[number + 1]].tolist())

    return Made(array("q", random.permutation(len(starts) - 1).tolist()), batch)


def parts_of(batch: Sequence[int], parts: int) -> list[Sequence[int]]:
    """Return the parts of a batch, similar in size and lengths; no part is empty."""
    return [batch[first::parts] for first in range(min(parts, len(batch)))]
