"""Sinusoidal positions.

Belongs here: the table, for as many positions as are asked for. Not here: what adds it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
from torch import Tensor


def positions(longest: int, width: int) -> Tensor:
    """Return a row for each of at least `longest` positions (positions x width).

    Vaswani et al. (2017), section 3.5, arranged and scaled as in tensor2tensor: the sines, then the cosines.
    """
    return _table(1 << max(longest - 1, 0).bit_length(), width)


@lru_cache(maxsize=8)
def _table(count: int, width: int) -> Tensor:
    half = width // 2
    # In double precision, so that the rounded table is the same on every processor.
    rates = np.exp(-np.log(10_000.0) * np.arange(half) / max(half - 1, 1))
    angles = np.arange(count)[:, None] * rates
    return torch.from_numpy(np.hstack([np.sin(angles), np.cos(angles)]).astype(np.float32))
