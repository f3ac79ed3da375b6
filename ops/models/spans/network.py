"""The network that tells where a span begins and ends.

Belongs here: the head, and which layers of the encoder it is trained with. Not here: texts (model.py).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import torch
from torch import Tensor, nn


class SpanNetwork(nn.Module):
    """Scores of every token of N pairs of texts to be a start and to be an end.

    Its state is the head and copies of the encoder's last layers; the rest of the encoder is shared with
    whoever else uses it, and is never changed. Raises ValueError for more layers than there are.
    """

    def __init__(self, encoder: Any, trained_layers: int, seed: int) -> None:
        super().__init__()
        layers = encoder.encoder.layer
        if trained_layers > len(layers):
            raise ValueError(f"trained_layers is {trained_layers}: the encoder has {len(layers)}")
        first = len(layers) - trained_layers
        encoder.requires_grad_(False)
        shared = [encoder.embeddings, *layers[:first]]
        base = copy.deepcopy(encoder, {id(part): part for part in shared})
        self.layers = base.encoder.layer[first:].requires_grad_(True)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.head = nn.Linear(encoder.config.hidden_size, 2)
        self._base = [base]  # in a list, so that it is no part of this module's state

    def forward(self, inputs: Mapping[str, Tensor], places: Tensor) -> Tensor:
        """Return log-probabilities of starts and ends (2 x N x T); minus infinity outside of `places`.

        `places` (2 x N x T) says which tokens may be starts, and which ends.
        """
        hidden = self._base[0](**inputs).last_hidden_state
        scores = self.head(hidden).float().permute(2, 0, 1)
        found: Tensor = scores.masked_fill(~places, -torch.inf).log_softmax(dim=-1)
        return found

    def to(self, *args: Any, **options: Any) -> Self:
        """Go where `torch.nn.Module.to` says, and take the encoder along."""
        self._base[0].to(*args, **options)
        return super().to(*args, **options)
