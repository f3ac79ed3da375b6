"""Parts of networks for long sequences.

Belongs here: converting the tokens of a batch between padded, packed and block layouts; the cross entropy of
a long sequence without all of its logits at once; a mixture of experts in place of a feed-forward layer;
sinusoidal positions. Not here: attention (attention.py), the networks (decoder.py, recurrent.py).

A batch is N rows of L tokens. Its mask is 0 where there is no token, and a different number for each of the
sequences that are packed into a row. A model works on the T existing tokens in one line. So padding costs
nothing, and sequences in the same row do not affect each other.

The mixture is that of Shazeer et al. (2017), from which Liu et al. (2018) take the layer: noisy top-2 gating
with a load-balancing loss. Experts have no capacity limit, so the output of a token depends on that token
only: neither later tokens nor padding change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint


@dataclass(frozen=True)
class Layout:
    """T tokens of S sequences, in one line.

    `sequence` (T) is the sequence of each token, `position` (T) its position there; `length` (S).
    """

    there: Tensor
    """N x L: whether there is a token."""
    sequence: Tensor
    position: Tensor
    length: Tensor

    @classmethod
    def of(cls, mask: Tensor) -> Layout:
        """Return the layout of a mask (N x L)."""
        there = mask != 0
        before = functional.pad(mask[:, :-1], (1, 0))
        begins = (there & (mask != before))[there]
        sequence = begins.cumsum(0) - 1
        starts = begins.nonzero()[:, 0]
        length = torch.diff(starts, append=starts.new_tensor([len(sequence)]))
        position = torch.arange(len(sequence), device=mask.device) - starts[sequence]
        return cls(there, sequence, position, length)

    @cached_property
    def longest(self) -> int:
        """The length of the longest sequence."""
        return int(self.length.max())

    @cached_property
    def even(self) -> bool:
        """Whether all sequences have the same length."""
        return len(self.sequence) == len(self.length) * self.longest

    def line(self, tokens: Tensor) -> Tensor:
        """Return the values of all tokens (N x L x ...) in one line (T x ...)."""
        return tokens[self.there]

    def rows(self, tokens: Tensor) -> Tensor:
        """Return the values of all tokens (T x ...) in their rows (N x L x ...), 0 elsewhere."""
        rows = tokens.new_zeros(*self.there.shape, *tokens.shape[1:])
        rows[self.there] = tokens
        return rows

    def padded(self, tokens: Tensor, multiple: int = 1) -> Tensor:
        """Return T x ... as S x M x ..., padded with 0; M is the longest length, rounded up to a multiple."""
        longest = -(-self.longest // multiple) * multiple
        if self.even:
            padded = torch.unflatten(tokens, 0, (len(self.length), self.longest))
            more = (0, 0) * (tokens.dim() - 1) + (0, longest - self.longest)
            return functional.pad(padded, more) if longest > self.longest else padded
        return _scattered(tokens, self._slots(longest), len(self.length), longest)

    def from_padded(self, padded: Tensor) -> Tensor:
        """Return S x M x ... as T x ..."""
        if self.even:
            return padded[:, : self.longest].flatten(0, 1)
        return padded.flatten(0, 1)[self._slots(padded.shape[1])]

    def blocks(self, tokens: Tensor, size: int) -> Tensor:
        """Return T x ... as B x size x ..., each sequence in its own blocks, padded with 0."""
        if self.even and self.longest % size == 0:
            return torch.unflatten(tokens, 0, (-1, size))
        return _scattered(tokens, self._block_slots(size), self._block_count(size), size)

    def from_blocks(self, blocks: Tensor, size: int) -> Tensor:
        """Return B x size x ... as T x ..."""
        tokens = blocks.flatten(0, 1)
        return tokens if self.even and self.longest % size == 0 else tokens[self._block_slots(size)]

    def first_blocks(self, size: int) -> Tensor:
        """Return, for each block, whether a sequence begins with it (B)."""
        begins = torch.zeros(self._block_count(size), dtype=torch.bool, device=self.length.device)
        begins[self._block_offsets(size)] = True
        return begins

    def _slots(self, longest: int) -> Tensor:
        return self.sequence * longest + self.position

    def _block_slots(self, size: int) -> Tensor:
        return self._block_offsets(size)[self.sequence] * size + self.position

    def _block_offsets(self, size: int) -> Tensor:
        counts = -(-self.length // size)
        return counts.cumsum(0) - counts

    def _block_count(self, size: int) -> int:
        return int((-(-self.length // size)).sum())


def _scattered(tokens: Tensor, slots: Tensor, rows: int, columns: int) -> Tensor:
    cells = tokens.new_zeros(rows * columns, *tokens.shape[1:])
    return torch.unflatten(cells.index_copy(0, slots, tokens), 0, (rows, columns))


#: The target of a token from which nothing is learnt; Hugging Face defines the number.
IGNORED = -100

#: Tokens whose logits are in memory at once. With 32,000 sub-words, the logits of 11,000 tokens take 1.4 GB.
_TOKENS = 512


def token_losses(
    hidden: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None = None, smoothing: float = 0.0
) -> Tensor:
    """Return the cross entropy of each target (T), predicted from `hidden` (T x width); 0 if ignored.

    `weight` (V x width) and `bias` (V) give the logits. They are computed for a few tokens at a time, and
    again for the gradient.
    """
    parts = [
        checkpoint(_losses, *pair, weight, bias, smoothing, use_reentrant=False, preserve_rng_state=False)
        for pair in zip(torch.split(hidden, _TOKENS), torch.split(targets, _TOKENS), strict=True)
    ]
    return torch.cat(parts)


def mean_where(losses: Tensor, chosen: Tensor) -> Tensor:
    """Return the mean of the chosen losses (a scalar); 0 if none is chosen."""
    return (losses * chosen).sum() / chosen.sum().clamp(min=1)


def _losses(hidden: Tensor, targets: Tensor, weight: Tensor, bias: Tensor | None, smoothing: float) -> Tensor:
    logits = functional.linear(hidden, weight, bias).float()
    return functional.cross_entropy(
        logits, targets, reduction="none", ignore_index=IGNORED, label_smoothing=smoothing
    )


#: The number of experts that process each token.
CHOSEN = 2


class MixtureOfExperts(nn.Module):
    """E feed-forward networks; two of them process each token."""

    def __init__(self, width: int, filter_size: int, experts: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.noise = nn.Linear(width, experts, bias=False)
        self.inner = nn.Parameter(torch.empty(experts, width, filter_size))
        self.outer = nn.Parameter(torch.empty(experts, filter_size, width))

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Return the experts' output for T tokens (T x width), and how unevenly they are used (a scalar)."""
        clean = self.gate(tokens)
        scale = functional.softplus(self.noise(tokens)) + 1e-2
        noisy = clean + torch.randn_like(clean) * scale if self.training else clean
        best, expert = noisy.topk(min(CHOSEN + 1, noisy.shape[1]), dim=1)
        weights = best[:, :CHOSEN].softmax(dim=1)
        # Under autocast to bfloat16, only the softmax is computed in float32.
        gates = torch.zeros_like(clean, dtype=weights.dtype).scatter(1, expert[:, :CHOSEN], weights)
        load = _probability_of_choice(clean, noisy, scale, best) if self.training else gates > 0
        uneven = _variation(gates.sum(0)) + _variation(load.float().sum(0))
        return self._answers(tokens, gates), uneven

    def _answers(self, tokens: Tensor, gates: Tensor) -> Tensor:
        mixed = torch.zeros_like(tokens)
        for expert in range(gates.shape[1]):
            mine = gates[:, expert].nonzero()[:, 0]
            inner = functional.relu(tokens[mine] @ self.inner[expert])
            answers = gates[mine, expert, None] * (inner @ self.outer[expert])
            mixed = mixed.index_add(0, mine, answers.to(mixed.dtype))
        return mixed


def _probability_of_choice(clean: Tensor, noisy: Tensor, scale: Tensor, best: Tensor) -> Tensor:
    """Return the probability (T x E) that an expert is chosen again if only its own noise is redrawn.

    Shazeer et al. (2017), appendix A: its score must exceed the second best of the other experts.
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


def positions(longest: int, width: int) -> Tensor:
    """Return the encodings of at least `longest` positions (positions x width).

    Vaswani et al. (2017), section 3.5, arranged and scaled as in tensor2tensor: first the sines, then the
    cosines.
    """
    return _table(1 << max(longest - 1, 0).bit_length(), width)


@lru_cache(maxsize=8)
def _table(count: int, width: int) -> Tensor:
    half = width // 2
    # In double precision, so the rounded table is the same on every processor.
    rates = np.exp(-np.log(10_000.0) * np.arange(half) / max(half - 1, 1))
    angles = np.arange(count)[:, None] * rates
    return torch.from_numpy(np.hstack([np.sin(angles), np.cos(angles)]).astype(np.float32))
