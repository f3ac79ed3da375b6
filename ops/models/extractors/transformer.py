"""Small Transformers over the sentences of a paper: the network.

Belongs here: embeddings and features in, scores of the sentences out. Not here: the sentence encoder
(ops/models/encoder.py), features (features.py), choosing sentences and files (transformer_extractor.py).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class _Layer(nn.Module):
    """A pre-norm layer of a Transformer encoder.

    Its attention goes through torch's fused kernel, which holds no N x N matrix: memory grows with N.
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_feed = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mixed, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Dropout(dropout), nn.Linear(4 * width, width)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor) -> Tensor:
        count, sentences, width = states.shape
        mixed = self.mixed(self.before_attention(states))
        query, key, value = mixed.view(count, sentences, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        seen = seen.transpose(1, 2).reshape(count, sentences, width)
        states = states + self.dropout(self.out(seen))
        fed: Tensor = states + self.dropout(self.feed(self.before_feed(states)))
        return fed


class PaperTransformer(nn.Module):
    """Scores every sentence of a paper by itself and what stands around it."""

    def __init__(
        self, embedding: int, features: int, width: int, layers: int, heads: int, dropout: float
    ) -> None:
        super().__init__()
        self.embedding = nn.Linear(embedding, width)
        self.features = nn.Sequential(nn.Linear(features, width), nn.GELU(), nn.Linear(width, width))
        self.noise = nn.Dropout(dropout)
        self.layers = nn.ModuleList(_Layer(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.score = nn.Linear(width, 1)

    def forward(self, embeddings: Tensor, features: Tensor) -> Tensor:
        """Return the scores (N, logits) of a paper's N sentences: embeddings N x E, features N x F."""
        states = self.noise(self.embedding(self.noise(embeddings)) + self.features(features)).unsqueeze(0)
        for layer in self.layers:
            states = layer(states)
        scores: Tensor = self.score(self.norm(states))[0, :, 0]
        return scores


class PaperTransformers(nn.Module):
    """Transformers of one shape that begin with weights of their own: an ensemble.

    The mean of their scores varies less with the seed than any one's (Lakshminarayanan et al. 2017,
    section 2.4).
    """

    def __init__(
        self,
        members: int,
        embedding: int,
        features: int,
        width: int,
        layers: int,
        heads: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.members = nn.ModuleList(
            PaperTransformer(embedding, features, width, layers, heads, dropout) for _ in range(members)
        )

    def forward(self, embeddings: Tensor, features: Tensor) -> Tensor:
        """Return the scores (M x N, logits) that each of M members gives a paper's N sentences."""
        return torch.stack([member(embeddings, features) for member in self.members])
