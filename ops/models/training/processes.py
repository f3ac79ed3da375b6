"""Batches of examples of like length, and the processes that train one model together, on Hugging Face
Accelerate.

Belongs here: which examples are in which batch, in an order that the seed and the epoch alone decide; each
process's share of a batch, and what they add up. Not here: padding (the task), updates (loop.py), and
starting processes: `accelerate launch` or `torchrun` does.

The examples of a batch are shared among the processes, so that an update does not depend on how many these
are, but for the order of its sums and for dropout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch
    from torch import nn


class Processes:
    """This process among `count`; alone where none were launched together."""

    def __init__(self, on_processor: bool) -> None:
        import torch
        from accelerate import PartialState

        state = PartialState(cpu=on_processor)
        self.count: int = state.num_processes
        self.index: int = state.process_index
        # A former run of this process may have had the accelerator.
        self.device: torch.device = torch.device("cpu") if on_processor else state.device

    @property
    def main(self) -> bool:
        """Whether this is the one that reports and writes."""
        return self.index == 0

    def share(self, batch: Sequence[int]) -> Sequence[int]:
        """Return the examples of a batch that are this process's."""
        return batch[self.index :: self.count]

    def total(self, value: float) -> float:
        """Return the sum of all processes' values."""
        if self.count == 1:
            return value
        import torch
        from accelerate.utils import reduce

        found = reduce(torch.tensor(value, dtype=torch.float64, device=self.device), "sum")
        return float(found)

    def add_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Replace the gradients by their sums over all processes; a missing one counts as 0."""
        if self.count == 1:
            return
        import torch
        from accelerate.utils import reduce

        learnt = [weights for weights in parameters if weights.requires_grad]
        for weights in learnt:
            weights.grad = torch.zeros_like(weights) if weights.grad is None else weights.grad
        gradients = [weights.grad for weights in learnt if weights.grad is not None]
        together = reduce(torch.nn.utils.parameters_to_vector(gradients), "sum")
        torch.nn.utils.vector_to_parameters(together, gradients)

    def agreed(self, metrics: Mapping[str, float]) -> dict[str, float]:
        """Return the first process's metrics, so that all decide alike."""
        if self.count == 1:
            return dict(metrics)
        from accelerate.utils import broadcast_object_list

        [found] = broadcast_object_list([dict(metrics)])
        return dict(found)


#: Batches' worth of shuffled examples that are sorted by length together: more is less padding, less chance.
_WINDOW = 50


def batches(
    costs: Sequence[int], size: int, limit: int | None, seed: int, epoch: int
) -> list[tuple[int, ...]]:
    """Return one epoch's batches of the indices of `costs`; every index stands in exactly one.

    A batch has at most `size` examples, and its longest cost times their number is at most `limit`; an
    example that is longer than that is a batch of its own. No state: a run that goes on in the middle of an
    epoch asks for the same batches and passes over those that are done.
    """
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(len(costs)).tolist()
    found: list[tuple[int, ...]] = []
    for start in range(0, len(order), _WINDOW * size):
        window = sorted(order[start : start + _WINDOW * size], key=lambda index: costs[index])
        batch: list[int] = []
        for index in window:
            # Sorted, so that the one that comes is the longest.
            if batch and (len(batch) == size or (limit and (len(batch) + 1) * costs[index] > limit)):
                found.append(tuple(batch))
                batch = []
            batch.append(index)
        found.append(tuple(batch))
    return [found[place] for place in random.permutation(len(found))]
