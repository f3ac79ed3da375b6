"""Where the tokens of a batch stand: padded, packed, in blocks.

Belongs here: moving the tokens of several sequences between these forms. Not here: attention (attention.py).

A batch is N rows of L tokens. Its mask has 0 where there is no token, and another number for each of the
sequences that are packed into a row. A model works on the T tokens that are there, in one line; so padding
costs it nothing, and a sequence does not know what else its row holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Layout:
    """T tokens of S sequences, in one line.

    `sequence` (T) says which of them a token belongs to, `position` (T) where it stands there; `length` (S).
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
        """Whether all sequences are of one length."""
        return len(self.sequence) == len(self.length) * self.longest

    def line(self, tokens: Tensor) -> Tensor:
        """Return what belongs to each token (N x L x ...) in one line (T x ...)."""
        return tokens[self.there]

    def rows(self, tokens: Tensor) -> Tensor:
        """Return what belongs to each token (T x ...) where it came from (N x L x ...), else 0."""
        found = tokens.new_zeros(*self.there.shape, *tokens.shape[1:])
        found[self.there] = tokens
        return found

    def padded(self, tokens: Tensor, multiple: int = 1) -> Tensor:
        """Return T x ... as S x M x ..., with 0 behind the end; M is the next multiple of the longest."""
        longest = -(-self.longest // multiple) * multiple
        if self.even:
            found = torch.unflatten(tokens, 0, (len(self.length), self.longest))
            more = (0, 0) * (tokens.dim() - 1) + (0, longest - self.longest)
            return functional.pad(found, more) if longest > self.longest else found
        return _scattered(tokens, self._slots(longest), len(self.length), longest)

    def from_padded(self, padded: Tensor) -> Tensor:
        """Return S x M x ... as T x ..."""
        if self.even:
            return padded[:, : self.longest].flatten(0, 1)
        return padded.flatten(0, 1)[self._slots(padded.shape[1])]

    def blocks(self, tokens: Tensor, size: int) -> Tensor:
        """Return T x ... as B x size x ..., each sequence in blocks of its own, with 0 behind its end."""
        if self.even and self.longest % size == 0:
            return torch.unflatten(tokens, 0, (-1, size))
        return _scattered(tokens, self._block_slots(size), self._block_count(size), size)

    def from_blocks(self, blocks: Tensor, size: int) -> Tensor:
        """Return B x size x ... as T x ..."""
        found = blocks.flatten(0, 1)
        return found if self.even and self.longest % size == 0 else found[self._block_slots(size)]

    def first_blocks(self, size: int) -> Tensor:
        """Say of each block whether a sequence begins with it (B)."""
        found = torch.zeros(self._block_count(size), dtype=torch.bool, device=self.length.device)
        found[self._block_offsets(size)] = True
        return found

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
    found = tokens.new_zeros(rows * columns, *tokens.shape[1:])
    return torch.unflatten(found.index_copy(0, slots, tokens), 0, (rows, columns))
