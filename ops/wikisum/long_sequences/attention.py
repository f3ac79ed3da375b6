"""Causal self-attention over long sequences: full, local and memory-compressed; with memory for decoding.

Belongs here: each kind over whole sequences, what they share, and the memory of earlier tokens that lets the
decoder continue by one token. Not here: the layers around them (decoder.py), the layouts of a batch
(layers.py).

Liu et al. (2018), section 4.2.4. Every kind is rearranged so that the i-th query sees the first i keys. One
kernel of causal attention then serves all kinds, and no mask of the attention's full size is ever made.
Config `attn_implementation`: "sdpa" uses torch's fused kernels, whose memory is linear in the length; "eager"
materialises the weights, as the paper's code did.

Rows of a batch may be at different positions. Each row writes its memory at its own position; slots that it
has not written, or no longer needs, are masked. A local layer remembers only its block, a compressed layer a
third of the keys.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional

from silverloom.ops.wikisum.long_sequences.config import COMPRESSED, FULL, LOCAL, DecoderConfig
from silverloom.ops.wikisum.long_sequences.layers import Layout


def attend(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, fused: bool) -> Tensor:
    """Return the attention of queries (... x Q x D) to keys and values (... x K x D): ... x Q x D.

    `mask` (..., Q x K) is true where a query may see a key; without one, Q is K and no query sees a later
    key.
    """
    if fused:
        attended: Tensor = functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=mask, is_causal=mask is None
        )
        return attended
    if mask is None:
        mask = torch.ones(queries.shape[-2], keys.shape[-2], dtype=torch.bool, device=keys.device).tril()
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1, dtype=torch.float32)
    return weights.to(values.dtype) @ values


class SelfAttention(nn.Module, ABC):
    """Multi-head attention of T tokens (T x width) to the earlier tokens of their sequences."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.heads = config.num_attention_heads
        self.projected = nn.Linear(config.hidden_size, 3 * config.hidden_size, bias=False)
        self.output = nn.Linear(config.hidden_size, config.hidden_size, bias=False)

    @property
    def fused(self) -> bool:
        """Whether to use torch's fused kernels."""
        return bool(self.config._attn_implementation != "eager")

    def project(self, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values of tokens (T x width), each T x heads x D."""
        queries, keys, values = torch.unflatten(self.projected(hidden), -1, (3, self.heads, -1)).unbind(-3)
        return queries, keys, values

    @abstractmethod
    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, layout: Layout) -> Tensor:
        """Return what attention adds to the tokens (T x width), from their projections (T x heads x D)."""

    def attend(self, tensors: Iterable[Tensor], mask: Tensor | None = None) -> Tensor:
        """Return the attention of queries, keys and values, each B x positions x heads x D; same shape."""
        queries, keys, values = (tensor.transpose(1, 2) for tensor in tensors)
        return attend(queries, keys, values, mask, self.fused).transpose(1, 2)


class FullAttention(SelfAttention):
    """A token sees itself and all earlier tokens."""

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, layout: Layout) -> Tensor:
        """Return what attention adds to the tokens (T x width)."""
        attended = self.attend(layout.padded(tensor) for tensor in (queries, keys, values))
        added: Tensor = self.output(layout.from_padded(attended).flatten(1))
        return added


class LocalAttention(SelfAttention):
    """A token sees itself and the earlier tokens of its block.

    As in the paper, attention stays within each block. With `look_back` a token also sees the whole block
    before its own: the masked local attention of tensor2tensor.
    """

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, layout: Layout) -> Tensor:
        """Return what attention adds to the tokens (T x width)."""
        size = self.config.block_size
        blocks = [layout.blocks(tensor, size) for tensor in (queries, keys, values)]
        mask = None
        if self.config.look_back:
            first = layout.first_blocks(size)
            blocks[1:] = (torch.cat([block.roll(1, 0), block], dim=1) for block in blocks[1:])
            own = torch.ones(size, size, dtype=torch.bool, device=keys.device).tril()
            before = ~first[:, None, None].expand(-1, size, size)
            mask = torch.cat([before, own.expand_as(before)], dim=2).unsqueeze(1)
        added: Tensor = self.output(layout.from_blocks(self.attend(blocks, mask), size).flatten(1))
        return added


class CompressedAttention(SelfAttention):
    """A token sees the first token of its sequence, and all earlier ones compressed, three into one.

    A convolution with kernel and stride `compression` turns that many keys (or values) into one. Query i sees
    compressed key j = 1, 2, ... if all its tokens come before i, 3 j <= i. It also sees key 0, the
    uncompressed key of the first token; otherwise the first queries would see nothing. This rule, the lack of
    padding and the lack of a non-linearity are those of the released code [tensor2tensor]. That code
    compresses tokens and then projects them; here keys and values are compressed after projection, as the
    paper says.

    A convolution whose kernel is as wide as its stride is a matrix product. It is computed as one, because a
    convolution's bits differ between processors.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__(config)
        width = config.hidden_size
        self.keys = nn.Linear(config.compression * width, width)
        self.values = nn.Linear(config.compression * width, width)

    def compress(self, keys: Tensor, values: Tensor) -> list[Tensor]:
        """Return keys and values (S x M x heads x D) compressed to S x M/3 x heads x D, dropping the rest."""
        compressed = []
        for convolution, tensor in ((self.keys, keys), (self.values, values)):
            size = self.config.compression
            groups = torch.unflatten(tensor[:, : tensor.shape[1] // size * size], 1, (-1, size))
            compressed.append(torch.unflatten(convolution(groups.flatten(2)), -1, (self.heads, -1)))
        return compressed

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, layout: Layout) -> Tensor:
        """Return what attention adds to the tokens (T x width)."""
        size = self.config.compression
        queries, keys, values = (layout.padded(tensor, size) for tensor in (queries, keys, values))
        groups = queries.shape[1] // size
        memory = [
            torch.cat([tensor[:, :1], compressed[:, : groups - 1]], dim=1)
            for tensor, compressed in zip((keys, values), self.compress(keys, values), strict=True)
        ]
        # Among the queries at the same place in their groups, the g-th sees the first g keys.
        attended = [self.attend([queries[:, place::size], *memory]) for place in range(size)]
        merged = torch.stack(attended, dim=2).flatten(1, 2)
        added: Tensor = self.output(layout.from_padded(merged).flatten(1))
        return added


KINDS: dict[str, type[SelfAttention]] = {
    FULL: FullAttention,
    LOCAL: LocalAttention,
    COMPRESSED: CompressedAttention,
}


#: Number of slots by which a memory grows.
_GROWTH = 64


class LayerMemory(ABC):
    """Keys and values (N x C x heads x D each) of N rows in one layer."""

    def __init__(self, attention: SelfAttention) -> None:
        self.tensors: list[Tensor] = []
        self._attention = attention

    def step(self, hidden: Tensor, position: Tensor, longest: int) -> Tensor:
        """Return what attention adds to one token of each row (N x width), and remember the token.

        `position` (N) is the position of each token, `longest` the largest of them.
        """
        attention = self._attention
        queries, keys, values = (tensor.unsqueeze(1) for tensor in attention.project(hidden))
        stored = self.write([keys, values], position, longest)
        mask = self.seen(position, stored[0].shape[1])[:, None, None]
        added: Tensor = attention.output(attention.attend([queries, *stored], mask).flatten(1))
        return added

    def reorder(self, rows: Tensor) -> None:
        """Keep the given rows, in the given order."""
        self.tensors = [tensor.index_select(0, rows.to(tensor.device)) for tensor in self.tensors]

    @abstractmethod
    def fill(self, keys: Tensor, values: Tensor, layout: Layout) -> None:
        """Remember whole sequences (keys and values, T x heads x D)."""

    @abstractmethod
    def write(self, tensors: list[Tensor], position: Tensor, longest: int) -> list[Tensor]:
        """Remember keys and values of a token per row (N x 1 x heads x D); return those to attend to."""

    @abstractmethod
    def seen(self, position: Tensor, capacity: int) -> Tensor:
        """Return which of C slots a token at each position (N) may see (N x C)."""


class FullMemory(LayerMemory):
    """Remembers all keys and values."""

    def fill(self, keys: Tensor, values: Tensor, layout: Layout) -> None:
        """Remember whole sequences."""
        self.tensors = [layout.padded(tensor).clone() for tensor in (keys, values)]

    def write(self, tensors: list[Tensor], position: Tensor, longest: int) -> list[Tensor]:
        """Remember one token of each row."""
        self.tensors = [
            _written(*pair, position, longest) for pair in zip(self.tensors, tensors, strict=True)
        ]
        return self.tensors

    def seen(self, position: Tensor, capacity: int) -> Tensor:
        """Return the slots that are not later than the token."""
        return torch.arange(capacity, device=position.device) <= position[:, None]


class LocalMemory(LayerMemory):
    """Remembers the block of the last token, and the block before it if attention looks back."""

    def __init__(self, attention: LocalAttention) -> None:
        super().__init__(attention)
        self._size = attention.config.block_size
        self._slots = self._size * (2 if attention.config.look_back else 1)

    def fill(self, keys: Tensor, values: Tensor, layout: Layout) -> None:
        """Remember the ends of whole sequences."""
        recent = layout.position + self._slots >= layout.length[layout.sequence]
        slot = layout.position[recent] % self._slots
        self.tensors = []
        for tensor in (keys, values):
            memory = tensor.new_zeros(len(layout.length), self._slots, *tensor.shape[1:])
            memory[layout.sequence[recent], slot] = tensor[recent]
            self.tensors.append(memory)

    def write(self, tensors: list[Tensor], position: Tensor, longest: int) -> list[Tensor]:
        """Remember one token of each row, in the slot of a token that is no longer visible."""
        slot = position % self._slots
        self.tensors = [
            _written(*pair, slot, self._slots - 1) for pair in zip(self.tensors, tensors, strict=True)
        ]
        return self.tensors

    def seen(self, position: Tensor, capacity: int) -> Tensor:
        """Return the slots that hold a token of the block before, or an earlier token of the same block."""
        slot = torch.arange(capacity, device=position.device)
        own = slot // self._size == (position % self._slots)[:, None] // self._size
        earlier = slot % self._size <= position[:, None] % self._size
        return torch.where(own, earlier, position[:, None] >= self._size)


class CompressedMemory(LayerMemory):
    """Remembers the first key, the compressed keys, and those that do not fill a kernel yet."""

    _attention: CompressedAttention

    def __init__(self, attention: CompressedAttention) -> None:
        super().__init__(attention)
        self._size = attention.config.compression

    def fill(self, keys: Tensor, values: Tensor, layout: Layout) -> None:
        """Remember whole sequences: first and compressed tokens, then the tokens of the last group."""
        size = self._size
        padded = [layout.padded(tensor, size) for tensor in (keys, values)]
        compressed = self._attention.compress(*padded)
        first = [torch.cat([tensor[:, :1], more], 1) for tensor, more in zip(padded, compressed, strict=True)]
        last = (layout.length // size * size)[:, None] + torch.arange(size, device=keys.device)
        last = last.clamp(max=padded[0].shape[1] - 1)  # any token, if the last group has not begun
        rows = torch.arange(len(last), device=keys.device)[:, None]
        self.tensors = [*first, *(tensor[rows, last] for tensor in padded)]

    def write(self, tensors: list[Tensor], position: Tensor, longest: int) -> list[Tensor]:
        """Remember one token per row; a compressed token that it completes is seen from the next token on."""
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
        """Return the groups that are complete before the token."""
        return torch.arange(capacity, device=position.device) <= position[:, None] // self._size


class DecoderMemory:
    """The memories of all layers, and the next position of each of N rows."""

    def __init__(self, layers: list[LayerMemory], layout: Layout) -> None:
        """Start after whole sequences, one per row. Raises ValueError for rows with several or none."""
        if len(layout.length) != len(layout.there) or not bool(layout.there.any(1).all()):
            raise ValueError("to be gone on with, a batch has one sequence in a row: none packed, none empty")
        self.layers = layers
        self.position, self.longest = layout.length, layout.longest

    def advance(self) -> None:
        """Move every row on by one position."""
        self.position, self.longest = self.position + 1, self.longest + 1

    def get_seq_length(self) -> int:
        """Return the length of the longest row; Hugging Face prescribes the name."""
        return self.longest

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Keep the given rows; Hugging Face prescribes the name."""
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
    """Return `stored` (N x C x ...) with `new` (N x 1 x ...) written at one slot of each row (N)."""
    if most >= stored.shape[1]:
        more = most + 1 - stored.shape[1] + _GROWTH
        stored = functional.pad(stored, (0, 0) * (stored.dim() - 2) + (0, more))
    stored[torch.arange(len(slot), device=slot.device), slot] = new[:, 0].to(stored.dtype)
    return stored
