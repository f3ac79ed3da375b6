"""Small Transformers over the sentences of a paper: the network.

Belongs here: embeddings and features in, scores of the sentences out. Not here: the sentence encoder
(ops/models/encoder.py), features (features.py), choosing sentences and files (transformer_extractor.py).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

# In evaluation torch would take other kernels than in training: other bits, and an N x N matrix a paper.
torch.backends.mha.set_fastpath_enabled(False)


def encoder_layer(width: int, heads: int, dropout: float) -> nn.TransformerEncoderLayer:
    """Return a pre-norm layer of a Transformer encoder, whose memory grows with N, not with N x N."""
    layer = nn.TransformerEncoderLayer(
        width, heads, 4 * width, dropout, activation="gelu", batch_first=True, norm_first=True
    )
    # The fused kernel of attention, which holds no N x N matrix, has no dropout on the processor.
    layer.self_attn.dropout = 0.0
    # As nn.Linear draws them, as in the network that docs/train.md measured; torch's default is wider.
    for weights in layer.self_attn.parameters():
        nn.init.uniform_(weights, -(width**-0.5), width**-0.5)
    return layer


class PaperTransformer(nn.Module):
    """Scores every sentence of a paper by itself and what stands around it."""

    def __init__(
        self, embedding: int, features: int, width: int, layers: int, heads: int, dropout: float
    ) -> None:
        super().__init__()
        self.embedding = nn.Linear(embedding, width)
        self.features = nn.Sequential(nn.Linear(features, width), nn.GELU(), nn.Linear(width, width))
        self.noise = nn.Dropout(dropout)
        self.layers = nn.Sequential(*(encoder_layer(width, heads, dropout) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.score = nn.Linear(width, 1)

    def forward(self, embeddings: Tensor, features: Tensor) -> Tensor:
        """Return the scores (N, logits) of a paper's N sentences: embeddings N x E, features N x F."""
        states = self.noise(self.embedding(self.noise(embeddings)) + self.features(features)).unsqueeze(0)
        scores: Tensor = self.score(self.norm(self.layers(states)))[0, :, 0]
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
