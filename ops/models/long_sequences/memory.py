"""What the decoder remembers of the tokens before, to go on by one.

Belongs here: the memory of every kind of attention, filled at once or token by token. Not here:
attention over whole sequences (attention.py).

Rows of a batch may stand at different positions: each writes at its own, and what it has not written, or
has left behind, is masked. A local layer remembers its block and no more, a compressed one a third of the
keys.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor
from torch.nn import functional

from ops.models.long_sequences.attention import CompressedAttention, LocalAttention, SelfAttention
from ops.models.long_sequences.layout import Layout

#: Positions by which a memory grows.
_GROWTH = 64


class LayerMemory(ABC):
    """Keys and values (N x C x heads x D each) of N rows in one layer."""

    def __init__(self, attention: SelfAttention) -> None:
        self.tensors: list[Tensor] = []
        self._attention = attention

    def step(self, hidden: Tensor, position: Tensor, longest: int) -> Tensor:
        """Return what attention adds to a token of each row (N x width), and remember the token.

        `position` (N) is where each stands, `longest` the greatest of them.
        """
        attention = self._attention
        queries, keys, values = (tensor.unsqueeze(1) for tensor in attention.project(hidden))
        stored = self.write([keys, values], position, longest)
        mask = self.seen(position, stored[0].shape[1])[:, None, None]
        added: Tensor = attention.output(attention.attend([queries, *stored], mask).flatten(1))
        return added

    def reorder(self, rows: Tensor) -> None:
        """Keep some rows, in the order of their indices."""
        self.tensors = [tensor.index_select(0, rows.to(tensor.device)) for tensor in self.tensors]

    @abstractmethod
    def fill(self, keys: Tensor, values: Tensor, layout: Layout) -> None:
        """Remember whole sequences (keys and values T x heads x D)."""

    @abstractmethod
    def write(self, tensors: list[Tensor], position: Tensor, longest: int) -> list[Tensor]:
        """Remember keys and values of a token of each row (N x 1 x heads x D); return those to look at."""

    @abstractmethod
    def seen(self, position: Tensor, capacity: int) -> Tensor:
        """Say which of C slots a token at a position (N) may see (N x C)."""


class FullMemory(LayerMemory):
    """All keys and values."""

    def fill(self, keys: Tensor, values: Tensor, layout: Layout) -> None:
        """Remember whole sequences."""
        self.tensors = [layout.padded(tensor).clone() for tensor in (keys, values)]

    def write(self, tensors: list[Tensor], position: Tensor, longest: int) -> list[Tensor]:
        """Remember a token of each row."""
        self.tensors = [
            _written(*pair, position, longest) for pair in zip(self.tensors, tensors, strict=True)
        ]
        return self.tensors

    def seen(self, position: Tensor, capacity: int) -> Tensor:
        """Say which slots are not later."""
        return torch.arange(capacity, device=position.device) <= position[:, None]


class LocalMemory(LayerMemory):
    """The block of the last token, and the one before it where attention looks back."""

    def __init__(self, attention: LocalAttention) -> None:
        super().__init__(attention)
        self._size = attention.config.block_size
        self._slots = self._size * (2 if attention.config.look_back else 1)

    def fill(self, keys: Tensor, values: Tensor, layout: Layout) -> None:
        """Remember the ends of whole sequences."""
        kept = layout.position + self._slots >= layout.length[layout.sequence]
        slot = layout.position[kept] % self._slots
        self.tensors = []
        for tensor in (keys, values):
            found = tensor.new_zeros(len(layout.length), self._slots, *tensor.shape[1:])
            found[layout.sequence[kept], slot] = tensor[kept]
            self.tensors.append(found)

    def write(self, tensors: list[Tensor], position: Tensor, longest: int) -> list[Tensor]:
        """Remember a token of each row, in place of one that none sees any more."""
        slot = position % self._slots
        self.tensors = [
            _written(*pair, slot, self._slots - 1) for pair in zip(self.tensors, tensors, strict=True)
        ]
        return self.tensors

    def seen(self, position: Tensor, capacity: int) -> Tensor:
        """Say which slots hold a token of the same block that is not later, or of the block before."""
        slot = torch.arange(capacity, device=position.device)
        own = slot // self._size == (position % self._slots)[:, None] // self._size
        earlier = slot % self._size <= position[:, None] % self._size
        return torch.where(own, earlier, position[:, None] >= self._size)


class CompressedMemory(LayerMemory):
    """The first key, the compressed ones, and those that do not fill a kernel yet."""

    _attention: CompressedAttention

    def __init__(self, attention: CompressedAttention) -> None:
        super().__init__(attention)
        self._size = attention.config.compression

    def fill(self, keys: Tensor, values: Tensor, layout: Layout) -> None:
        """Remember whole sequences: first and compressed tokens, then those of the last group."""
        size = self._size
        padded = [layout.padded(tensor, size) for tensor in (keys, values)]
        compressed = self._attention.compress(*padded)
        first = [torch.cat([tensor[:, :1], more], 1) for tensor, more in zip(padded, compressed, strict=True)]
        last = (layout.length // size * size)[:, None] + torch.arange(size, device=keys.device)
        last = last.clamp(max=padded[0].shape[1] - 1)  # of a group that has not begun, any
        rows = torch.arange(len(last), device=keys.device)[:, None]
        self.tensors = [*first, *(tensor[rows, last] for tensor in padded)]

    def write(self, tensors: list[Tensor], position: Tensor, longest: int) -> list[Tensor]:
        """Remember a token of each row; the compressed one that it completes is seen from the next on."""
        groups, last = self.tensors[:2], self.tensors[2:]
        last = [
            _written(*pair, position % self._size, self._size - 1) for pair in zip(last, tensors, strict=True)
        ]
        compressed = self._attention.compress(*last)
        slot, most = position // self._size + 1, longest // self._size + 1
        groups = [_written(*pair, slot, most) for pair in zip(groups, compressed, strict=True)]
        self.tensors = [*groups, *last]
        return groups

    def seen(self, position: Tensor, capacity: int) -> Tensor:
        """Say which groups are complete before the token."""
        return torch.arange(capacity, device=position.device) <= position[:, None] // self._size


class DecoderMemory:
    """The memories of all layers, and at which position each of N rows goes on."""

    def __init__(self, layers: list[LayerMemory], layout: Layout) -> None:
        """Begin behind whole sequences, one a row. Raises ValueError for several, or none."""
        if len(layout.length) != len(layout.there) or not bool(layout.there.any(1).all()):
            raise ValueError("to be gone on with, a batch has one sequence in a row: none packed, none empty")
        self.layers = layers
        self.position, self.longest = layout.length, layout.longest

    def advance(self) -> None:
        """Go on by a position in every row."""
        self.position, self.longest = self.position + 1, self.longest + 1

    def get_seq_length(self) -> int:
        """Return the length of the longest row: the name is Hugging Face's."""
        return self.longest

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Keep some rows: the name is Hugging Face's."""
        self.position = self.position[beam_idx.to(self.position.device)]
        for layer in self.layers:
            layer.reorder(beam_idx)


def memory_of(attention: SelfAttention) -> LayerMemory:
    """Return the empty memory of a layer."""
    if isinstance(attention, LocalAttention):
        return LocalMemory(attention)
    if isinstance(attention, CompressedAttention):
        return CompressedMemory(attention)
    return FullMemory(attention)


def _written(stored: Tensor, new: Tensor, slot: Tensor, most: int) -> Tensor:
    """Return what is stored (N x C x ...) with something new (N x 1 x ...) at a slot of each row (N)."""
    if most >= stored.shape[1]:
        more = most + 1 - stored.shape[1] + _GROWTH
        stored = functional.pad(stored, (0, 0) * (stored.dim() - 2) + (0, more))
    stored[torch.arange(len(slot), device=slot.device), slot] = new[:, 0].to(stored.dtype)
    return stored
