"""Batches of examples of like length, in an order that the seed and the epoch alone decide.

Belongs here: which examples stand in which batch. Not here: padding (the task) and updates (loop.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
