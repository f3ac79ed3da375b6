"""Batches of examples of like length, and the processes that train one model together, on Hugging Face
Accelerate.

Belongs here: which examples are in which batch and in which part of it, in an order that the seed and the
epoch alone decide; what processes add up. Not here: padding (the task), updates (loop.py), starting processes
(launch.py).

A batch is cut into parts. Each process computes some of them, and gradients are added in the order of the
parts. So the number of processes changes no bit of an update where kernels have one order of sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn


def on_processor(strict: bool) -> bool:
    """Return whether a model is trained on the processor, not on an accelerator."""
    import torch

    return strict or not torch.cuda.is_available()


class Processes:
    """This process among `count`; alone where none were launched together."""

    def __init__(self, strict: bool) -> None:
        import torch
        from accelerate import PartialState

        state = PartialState(cpu=on_processor(strict))
        self.count: int = state.num_processes
        self.index: int = state.process_index
        # A former run of this process may have had the accelerator.
        self.device: torch.device = torch.device("cpu") if on_processor(strict) else state.device

    @property
    def main(self) -> bool:
        """Whether this is the one that reports and writes."""
        return self.index == 0

    def values(self, value: float) -> list[float]:
        """Return the value of every process, in their order."""
        if self.count == 1:
            return [value]
        import torch
        from accelerate.utils import gather

        found: Tensor = gather(torch.tensor([value], dtype=torch.float64, device=self.device))
        return [float(each) for each in found]

    def agreed(self, metrics: Mapping[str, float]) -> dict[str, float]:
        """Return the first process's metrics, so that all decide alike."""
        if self.count == 1:
            return dict(metrics)
        from accelerate.utils import broadcast_object_list

        [found] = broadcast_object_list([dict(metrics)])
        return dict(found)


class GradientSum:
    """The gradients of the parts of a batch, added in the order of the parts.

    Where one process computes one part after the other, torch adds them. Several processes compute as many
    parts at a time, a round. Behind each round, every process gets an equal slice of all their gradients, and
    adds it to its sum; in the end all get all slices. That is the traffic of an all-reduce, whose order of
    sums would be its own.
    """

    def __init__(self, processes: Processes, parameters: Iterable[nn.Parameter]) -> None:
        self._count = processes.count
        self._weights = [weights for weights in parameters if weights.requires_grad]
        self._slice: Tensor | None = None

    def add(self) -> None:
        """Take the gradients of a round; this process may have none."""
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
        found = torch.empty_like(mine)
        distributed.all_to_all_single(found, mine)
        for part in found.view(self._count, -1):
            self._slice = part.clone() if self._slice is None else self._slice + part
        for weights in self._weights:
            weights.grad = None

    def spread(self) -> None:
        """Give all weights the sums; those that no part has a gradient of get none."""
        if self._slice is None:
            return
        from torch import distributed

        found = self._slice.new_empty(self._count * len(self._slice))
        distributed.all_gather_single(found, self._slice)
        self._slice, first = None, 0
        there = found[sum(weights.numel() for weights in self._weights) :]
        for weights, parts in zip(self._weights, there.tolist(), strict=False):
            last = first + weights.numel()
            weights.grad = found[first:last].view_as(weights) if parts else None
            first = last


#: Batches' worth of shuffled examples that are sorted by length together: more is less padding, less chance.
_WINDOW = 50


def batches(
    costs: Sequence[int], size: int, limit: int | None, seed: int, epoch: int, parts: int = 1
) -> list[tuple[int, ...]]:
    """Return one epoch's batches of the indices of `costs`; every index stands in exactly one.

    Each part of a batch (`parts_of`) has at most `size` examples, and its longest cost times their number is
    at most `limit`; an example that is longer than that is a part of its own. No state: a run that goes on in
    the middle of an epoch asks for the same batches and passes over those that are done.
    """
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(len(costs)).tolist()
    found: list[tuple[int, ...]] = []
    for start in range(0, len(order), _WINDOW * size * parts):
        window = sorted(order[start : start + _WINDOW * size * parts], key=lambda index: costs[index])
        batch: list[int] = []
        for index in window:
            largest = -(-(len(batch) + 1) // parts)  # examples of its largest part, with this one
            # Sorted, so that the one that comes is the longest.
            if largest > size or (limit and largest > 1 and largest * costs[index] > limit):
                found.append(tuple(batch))
                batch = []
            batch.append(index)
        found.append(tuple(batch))
    return [found[place] for place in random.permutation(len(found))]


def parts_of(batch: Sequence[int], parts: int) -> list[Sequence[int]]:
    """Return the parts of a batch, of like number and lengths; none is empty."""
    return [batch[first::parts] for first in range(min(parts, len(batch)))]
