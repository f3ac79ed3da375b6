"""Causal self-attention over long sequences: full, local and memory-compressed.

Belongs here: each kind over whole sequences, and what they have in common. Not here: decoding token by token
(memory.py), the layers around them (decoder.py).

Liu et al. (2018), section 4.2.4. Every kind is brought into a form in which the i-th query sees the first i
keys, so that one kernel of causal attention serves all, and no mask as large as the attention is ever made.
Config `attn_implementation`: "sdpa", torch's fused kernels, whose memory is linear in the length; "eager",
which materialises the weights, as the paper's code did.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional

from ops.models.long_sequences.config import COMPRESSED, FULL, LOCAL, DecoderConfig
from ops.models.long_sequences.layout import Layout


def attend(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, fused: bool) -> Tensor:
    """Return the attention of queries (... x Q x D) to keys and values (... x K x D): ... x Q x D.

    `mask` (..., Q x K) says what may be seen; without one, Q is K and a query sees no later key.
    """
    if fused:
        found: Tensor = functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=mask, is_causal=mask is None
        )
        return found
    if mask is None:
        mask = torch.ones(queries.shape[-2], keys.shape[-2], dtype=torch.bool, device=keys.device).tril()
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1, dtype=torch.float32)
    return weights.to(values.dtype) @ values


class SelfAttention(nn.Module, ABC):
    """Multi-head attention of T tokens (T x width) to the earlier ones of their sequences."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.heads = config.num_attention_heads
        self.projected = nn.Linear(config.hidden_size, 3 * config.hidden_size, bias=False)
        self.output = nn.Linear(config.hidden_size, config.hidden_size, bias=False)

    @property
    def fused(self) -> bool:
        """Whether torch's fused kernels are asked for."""
        return bool(self.config._attn_implementation != "eager")

    def project(self, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values of tokens (T x width), each T x heads x D."""
        queries, keys, values = torch.unflatten(self.projected(hidden), -1, (3, self.heads, -1)).unbind(-3)
        return queries, keys, values

    @abstractmethod
    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, layout: Layout) -> Tensor:
        """Return what the tokens add (T x width), from their projections (T x heads x D)."""

    def attend(self, tensors: Iterable[Tensor], mask: Tensor | None = None) -> Tensor:
        """Return the attention of queries, keys and values, each B x positions x heads x D, in this form."""
        queries, keys, values = (tensor.transpose(1, 2) for tensor in tensors)
        return attend(queries, keys, values, mask, self.fused).transpose(1, 2)


class FullAttention(SelfAttention):
    """A token sees itself and all before it."""

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, layout: Layout) -> Tensor:
        """Return what the tokens add (T x width)."""
        found = self.attend(layout.padded(tensor) for tensor in (queries, keys, values))
        added: Tensor = self.output(layout.from_padded(found).flatten(1))
        return added


class LocalAttention(SelfAttention):
    """A token sees itself and what is before it in its block.

    As in the paper, attention is performed in each block by itself. With `look_back` a token sees the whole
    block before its own, too: that is the masked local attention of tensor2tensor.
    """

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, layout: Layout) -> Tensor:
        """Return what the tokens add (T x width)."""
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
    """A token sees the first one of its sequence, and all earlier ones, three of them as one.

    A convolution whose kernel and stride are `compression` makes one key (and one value) of as many. Query i
    sees compressed key j = 1, 2, ... if its tokens are all before i, 3 j <= i, and key 0, which is the first
    token's as it is: without it the first queries would see nothing. That rule, no padding and no
    non-linearity, is the released code's [tensor2tensor]. That code compresses tokens and then projects them;
    here keys and values are compressed after they are projected, as the paper says.

    A kernel that is as wide as its stride is a matrix product, and is computed as one: a convolution's bits
    differ between processors.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__(config)
        width = config.hidden_size
        self.keys = nn.Linear(config.compression * width, width)
        self.values = nn.Linear(config.compression * width, width)

    def compress(self, keys: Tensor, values: Tensor) -> list[Tensor]:
        """Return keys and values (S x M x heads x D), three as one: S x M/3 x heads x D, a rest left out."""
        found = []
        for convolution, tensor in ((self.keys, keys), (self.values, values)):
            size = self.config.compression
            groups = torch.unflatten(tensor[:, : tensor.shape[1] // size * size], 1, (-1, size))
            found.append(torch.unflatten(convolution(groups.flatten(2)), -1, (self.heads, -1)))
        return found

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, layout: Layout) -> Tensor:
        """Return what the tokens add (T x width)."""
        size = self.config.compression
        queries, keys, values = (layout.padded(tensor, size) for tensor in (queries, keys, values))
        groups = queries.shape[1] // size
        memory = [
            torch.cat([tensor[:, :1], compressed[:, : groups - 1]], dim=1)
            for tensor, compressed in zip((keys, values), self.compress(keys, values), strict=True)
        ]
        # Of the queries at one place of their groups, the g-th sees the first g keys.
        found = [self.attend([queries[:, place::size], *memory]) for place in range(size)]
        merged = torch.stack(found, dim=2).flatten(1, 2)
        added: Tensor = self.output(layout.from_padded(merged).flatten(1))
        return added


KINDS: dict[str, type[SelfAttention]] = {
    FULL: FullAttention,
    LOCAL: LocalAttention,
    COMPRESSED: CompressedAttention,
}
