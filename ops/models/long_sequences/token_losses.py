"""The cross entropy of a long sequence, without the logits of all of it at once.

Belongs here: losses by token, and means of them. Not here: the network.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

#: The target of a token that nothing is learnt from: the number is Hugging Face's.
IGNORED = -100

#: Tokens whose logits are in memory together. 11,000 tokens have 1.4 GB of them with 32,000 pieces.
_TOKENS = 512


def token_losses(
    hidden: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None = None, smoothing: float = 0.0
) -> Tensor:
    """Return the cross entropy of each target (T) given what predicts it (T x width), 0 where it is ignored.

    `weight` (V x width) and `bias` (V) make the logits: of some tokens at a time, and for the gradient again.
    """
    parts = [
        checkpoint(_losses, *pair, weight, bias, smoothing, use_reentrant=False, preserve_rng_state=False)
        for pair in zip(torch.split(hidden, _TOKENS), torch.split(targets, _TOKENS), strict=True)
    ]
    return torch.cat(parts)


def mean_where(losses: Tensor, chosen: Tensor) -> Tensor:
    """Return the mean of some losses (a scalar); of none it is 0."""
    return (losses * chosen).sum() / chosen.sum().clamp(min=1)


def _losses(hidden: Tensor, targets: Tensor, weight: Tensor, bias: Tensor | None, smoothing: float) -> Tensor:
    logits = functional.linear(hidden, weight, bias).float()
    return functional.cross_entropy(
        logits, targets, reduction="none", ignore_index=IGNORED, label_smoothing=smoothing
    )
