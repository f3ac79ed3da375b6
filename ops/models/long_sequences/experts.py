"""A mixture of experts in place of a feed-forward layer.

Belongs here: noisy top-2 gating, its load-balancing loss, and the experts. Not here: in which layer they
stand (decoder.py).

Shazeer et al. (2017), which Liu et al. (2018) take the layer from. No expert is ever full, so what a token
becomes depends on that token alone: neither later tokens nor padding change it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

#: Experts that a token goes to.
CHOSEN = 2


class MixtureOfExperts(nn.Module):
    """E feed-forward networks, of which two answer each token."""

    def __init__(self, width: int, filter_size: int, experts: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.noise = nn.Linear(width, experts, bias=False)
        self.inner = nn.Parameter(torch.empty(experts, width, filter_size))
        self.outer = nn.Parameter(torch.empty(experts, filter_size, width))

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the experts make of T tokens (T x width), and how unevenly they are used (a scalar)."""
        clean = self.gate(tokens)
        scale = functional.softplus(self.noise(tokens)) + 1e-2
        noisy = clean + torch.randn_like(clean) * scale if self.training else clean
        best, expert = noisy.topk(min(CHOSEN + 1, noisy.shape[1]), dim=1)
        weights = best[:, :CHOSEN].softmax(dim=1)
        # In bfloat16 autocast computes the softmax alone in float32.
        gates = torch.zeros_like(clean, dtype=weights.dtype).scatter(1, expert[:, :CHOSEN], weights)
        load = _probability_of_choice(clean, noisy, scale, best) if self.training else gates > 0
        uneven = _variation(gates.sum(0)) + _variation(load.float().sum(0))
        return self._answers(tokens, gates), uneven

    def _answers(self, tokens: Tensor, gates: Tensor) -> Tensor:
        found = torch.zeros_like(tokens)
        for expert in range(gates.shape[1]):
            mine = gates[:, expert].nonzero()[:, 0]
            inner = functional.relu(tokens[mine] @ self.inner[expert])
            answers = gates[mine, expert, None] * (inner @ self.outer[expert])
            found = found.index_add(0, mine, answers.to(found.dtype))
        return found


def _probability_of_choice(clean: Tensor, noisy: Tensor, scale: Tensor, best: Tensor) -> Tensor:
    """Return the probability (T x E) that an expert is chosen again if its noise alone is drawn anew.

    Shazeer et al. (2017), appendix A: its score has to be above the second best of the others.
    """
    if best.shape[1] <= CHOSEN:
        return torch.ones_like(clean)
    chosen = noisy > best[:, CHOSEN, None]
    threshold = torch.where(chosen, best[:, CHOSEN, None], best[:, CHOSEN - 1, None])
    probability: Tensor = torch.special.ndtr((clean - threshold) / scale)
    return probability


def _variation(values: Tensor) -> Tensor:
    """Return the squared coefficient of variation of some values (a scalar)."""
    return values.var(unbiased=False) / (values.mean().square() + 1e-10)
