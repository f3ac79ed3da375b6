"""The decoder-only Transformer: T-D and T-DMCA of Liu et al. (2018), as a Hugging Face model.

Belongs here: the network and its losses. Not here: attention and its memory while decoding (attention.py),
tokens and training (model.py, task.py).

Pre-norm, sinusoidal positions, and one embedding table for input and output, as in tensor2tensor, which
trained the paper's models. An example is one sequence: input, separator, output, end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM
from transformers import initialization as init
from transformers.generation.utils import GenerationMixin
from transformers.modeling_layers import GradientCheckpointingLayer
from transformers.modeling_utils import PreTrainedModel
from transformers.utils.generic import ModelOutput

from silverloom.ops.wikisum.long_sequences.attention import KINDS, DecoderMemory, LayerMemory, memory_of
from silverloom.ops.wikisum.long_sequences.config import DecoderConfig
from silverloom.ops.wikisum.long_sequences.layers import (
    IGNORED,
    Layout,
    MixtureOfExperts,
    mean_where,
    positions,
    token_losses,
)


@dataclass
class DecoderOutput(ModelOutput):  # type: ignore[misc]
    """The output of the decoder; losses are in nats per token."""

    loss: Tensor | None = None
    """Loss of input and output, plus the weighted load-balancing loss."""
    output_loss: Tensor | None = None
    """Loss of the tokens after the separator only."""
    logits: Tensor | None = None
    """N x L x V; None if labels are given, because the logits of a long sequence need too much memory."""
    past_key_values: DecoderMemory | None = None


class DecoderLayer(GradientCheckpointingLayer):  # type: ignore[misc]
    """Attention, and a feed-forward network or a mixture of experts."""

    def __init__(self, config: DecoderConfig, place: int) -> None:
        super().__init__()
        width = config.hidden_size
        self.attention = KINDS[config.layer_kinds[place]](config)
        self.attention_norm = nn.LayerNorm(width)
        self.feed_norm = nn.LayerNorm(width)
        self.feed: nn.Module
        if config.experts and place == config.expert_layer:
            self.feed = MixtureOfExperts(width, config.expert_size, config.experts)
        else:
            self.feed = nn.Sequential(
                nn.Linear(width, config.intermediate_size),
                nn.ReLU(),
                nn.Linear(config.intermediate_size, width),
            )
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, hidden: Tensor, layout: Layout, memory: LayerMemory | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return tokens (T x width) of whole sequences, and how unevenly experts are used (a scalar)."""
        projected = self.attention.project(self.attention_norm(hidden))
        if memory is not None:
            memory.fill(*projected[1:], layout)
        return self._fed(hidden + self.dropout(self.attention(*projected, layout)))

    def step(self, hidden: Tensor, memory: LayerMemory, position: Tensor, longest: int) -> Tensor:
        """Return one token of each row (N x width), which follows the remembered tokens."""
        added = memory.step(self.attention_norm(hidden), position, longest)
        return self._fed(hidden + self.dropout(added))[0]

    def _fed(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        added = self.feed(self.feed_norm(hidden))
        added, uneven = added if isinstance(added, tuple) else (added, hidden.new_zeros(()))
        return hidden + self.dropout(added), uneven


class LongDecoder(PreTrainedModel, GenerationMixin):  # type: ignore[misc]
    """A causal language model of N rows of L tokens.

    `attention_mask` (N x L) is 0 at padding, on either side. Sequences packed into one row have different
    numbers: 1, 2, ... Positions, blocks and attention start again in each sequence.
    """

    config_class = DecoderConfig
    main_input_name = "input_ids"
    supports_gradient_checkpointing = True
    _supports_sdpa = True
    _no_split_modules = ["DecoderLayer"]  # noqa: RUF012  as Hugging Face declares it

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__(config)
        self.embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        places = range(len(config.layer_kinds))
        self.layers: Any = nn.ModuleList(DecoderLayer(config, place) for place in places)
        self.norm = nn.LayerNorm(config.hidden_size)
        self.dropout = nn.Dropout(config.dropout)
        self.post_init()

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        past_key_values: DecoderMemory | None = None,
        use_cache: bool | None = None,
        labels: Tensor | None = None,
        logits_to_keep: int = 0,
        **_: Any,
    ) -> DecoderOutput:
        """Return the logits of the token after each token, or the losses if `labels` (N x L) are given.

        Labels are at the positions of their tokens, -100 where nothing is learnt; the first token of a
        sequence is never predicted. `logits_to_keep`: return only the last columns; 0: all. With
        `past_key_values`, `input_ids` are the tokens that continue them. Raises ValueError for a mask without
        a token.
        """
        if past_key_values is not None:
            return self._go_on(input_ids, past_key_values)
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        if not bool(mask.any()):
            raise ValueError("attention_mask is 0 everywhere: there is no token")
        if use_cache and labels is None and not self.training:
            return self._begin(input_ids, mask, logits_to_keep)
        layout = Layout.of(mask)
        hidden, uneven = self.hidden(layout.line(input_ids), layout)
        if labels is not None:
            return self._lost(input_ids, labels, layout, hidden, uneven)
        return DecoderOutput(logits=self._logits(layout.rows(hidden)[:, -logits_to_keep:]))

    def hidden(
        self, tokens: Tensor, layout: Layout, memory: DecoderMemory | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the last layer (T x width) of T tokens, and how unevenly experts are used (a scalar)."""
        hidden = self._embedded(tokens, layout.position, layout.longest)
        uneven = hidden.new_zeros(())
        for place, layer in enumerate(self.layers):
            hidden, more = layer(hidden, layout, memory.layers[place] if memory is not None else None)
            uneven = uneven + more
        return self.norm(hidden), uneven

    def token_losses(self, hidden: Tensor, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        """Return the loss of each target (T), predicted from the tokens before it (hidden T x width)."""
        return token_losses(hidden, self.embedding.weight, targets, smoothing=smoothing)

    def following(self, tokens: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
        """Return the next token of each of T tokens (T), and whether it comes after the separator (T)."""
        last = layout.position + 1 == layout.length[layout.sequence]
        rows = layout.padded(tokens == self.config.separator_token_id)
        behind = layout.from_padded(rows.cumsum(1)) > 0
        return tokens.roll(-1).masked_fill(last, IGNORED), behind

    def get_input_embeddings(self) -> nn.Module:
        """Return the embedding table, which the output shares."""
        return self.embedding

    def set_input_embeddings(self, value: nn.Embedding) -> None:
        """Replace the embedding table."""
        self.embedding = value

    def _embedded(self, tokens: Tensor, position: Tensor, longest: int) -> Tensor:
        width = self.config.hidden_size
        table = positions(longest, width).to(self.embedding.weight)
        embedded: Tensor = self.dropout(self.embedding(tokens) * width**0.5 + table[position])
        return embedded

    def _logits(self, hidden: Tensor) -> Tensor:
        logits: Tensor = nn.functional.linear(hidden, self.embedding.weight)
        return logits

    def _lost(
        self, input_ids: Tensor, labels: Tensor, layout: Layout, hidden: Tensor, uneven: Tensor
    ) -> DecoderOutput:
        _, behind = self.following(layout.line(input_ids), layout)
        targets, _ = self.following(layout.line(labels), layout)
        losses = self.token_losses(hidden, targets)
        learnt = targets != IGNORED
        return DecoderOutput(
            loss=mean_where(losses, learnt) + self.config.balance * uneven,
            output_loss=mean_where(losses, learnt & behind).detach(),
        )

    def _begin(self, input_ids: Tensor, mask: Tensor, logits_to_keep: int) -> DecoderOutput:
        """Read rows, and remember them. Equal neighbours, such as the beams of one source, are read once."""
        rows, place = torch.unique_consecutive(torch.cat([input_ids, mask], 1), dim=0, return_inverse=True)
        tokens, there = rows.chunk(2, dim=1)
        layout = Layout.of(there)
        memory = DecoderMemory([memory_of(layer.attention) for layer in self.layers], layout)
        hidden, _ = self.hidden(layout.line(tokens), layout, memory)
        logits = self._logits(layout.rows(hidden)[:, -logits_to_keep:])
        if len(rows) < len(input_ids):
            memory.reorder_cache(place)
            logits = logits[place]
        return DecoderOutput(logits=logits, past_key_values=memory)

    def _go_on(self, input_ids: Tensor, memory: DecoderMemory) -> DecoderOutput:
        logits = []
        for tokens in input_ids.unbind(1):
            position = memory.position
            hidden = self._embedded(tokens, position, memory.longest + 1)
            for layer, remembered in zip(self.layers, memory.layers, strict=True):
                hidden = layer.step(hidden, remembered, position, memory.longest)
            memory.advance()
            logits.append(self._logits(self.norm(hidden)))
        return DecoderOutput(logits=torch.stack(logits, dim=1), past_key_values=memory)

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            init.xavier_uniform_(module.weight)
            if module.bias is not None:
                init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            init.normal_(module.weight, std=self.config.hidden_size**-0.5)
        elif isinstance(module, nn.LayerNorm):
            init.ones_(module.weight)
            init.zeros_(module.bias)
        elif isinstance(module, MixtureOfExperts):
            for weights in (module.inner, module.outer):
                limit = (6 / sum(weights.shape[1:])) ** 0.5
                init.uniform_(weights, -limit, limit)

    @classmethod
    def _supports_default_dynamic_cache(cls) -> bool:
        return False  # `forward` makes the memory, a different kind for each layer


AutoConfig.register(DecoderConfig.model_type, DecoderConfig)
for door in (AutoModel, AutoModelForCausalLM):
    door.register(DecoderConfig, LongDecoder)
