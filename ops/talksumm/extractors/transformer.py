"""The extractor with sentence embeddings and a small Transformer.

Belongs here: embedding, choosing by score, and the network from embeddings and features to scores of
sentences. Not here: the sentence encoder (ops/models/encoder.py), features (features.py), training
(tasks.py), files (files.py).
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from silverloom.ops.models.encoder import Embed, embedder
from silverloom.ops.talksumm.extractors.config import TransformerConfig
from silverloom.ops.talksumm.extractors.features import (
    RECURRENCE_WIDTH,
    WIDTH,
    conclusion,
    features,
    introduction,
    recurrence,
)
from silverloom.ops.talksumm.extractors.paper import Extraction, ExtractorPaper, take_words


class TransformerExtractor:
    """Scores every sentence of a paper.

    If trained on labels, a score is the probability that the sentence is in a summary. If trained on gains,
    scores only give an order.
    """

    def __init__(self, config: TransformerConfig, seed: int = 0, embed: Embed | None = None) -> None:
        """Create one with random weights; `embed` replaces the encoder that the config names."""
        self.config = config
        self.embed = embed or embedder(config.encoder)
        width = self.embed([""]).shape[1]
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network = PaperTransformers.of(config, width)
        self.network.eval()

    def inputs(self, paper: ExtractorPaper) -> tuple[Tensor, Tensor]:
        """Return the embeddings (N x E) of a paper's N sentences, and their features (N x F).

        The last five features are similarities: to the mean of the sentences, to the title, to the first
        sentence, and to the means of introduction and conclusion.
        """
        embedded = self.embed([paper.title, *paper.sentences])
        title, sentences = embedded[:1], embedded[1:]
        whole, first, last = (
            _mean(rows) for rows in (sentences, sentences[introduction(paper)], sentences[conclusion(paper)])
        )
        near = [sentences @ vectors.T for vectors in (whole, title, sentences[:1], first, last)]
        known = np.concatenate([features(paper), recurrence(paper), *near], axis=1)
        return torch.from_numpy(sentences), torch.from_numpy(known)

    def extract(self, paper: ExtractorPaper, words: int | None = 150) -> Extraction:
        """Return sentences by decreasing score, ties by position; without a budget, those above 0.5.

        Memory grows with the number of sentences N, not with N x N.
        """
        if not len(paper):
            return Extraction((), ())
        return self.choose(paper, self.inputs(paper), words)

    @torch.no_grad()
    def choose(self, paper: ExtractorPaper, inputs: tuple[Tensor, Tensor], words: int | None) -> Extraction:
        """Return the extraction of a paper, given its `inputs`."""
        if words is not None and words < 1:
            raise ValueError(f"a summary of {words} words: it must be at least 1")
        device = next(self.network.parameters()).device
        logits = self.network(*(tensor.to(device) for tensor in inputs)).mean(dim=0)
        scores = torch.sigmoid(logits).cpu().numpy()
        lengths = [len(text.split()) for text in paper.sentences]
        order = [index for index in np.argsort(-scores, kind="stable").tolist() if lengths[index]]
        if words is None:
            order = [index for index in order if scores[index] > 0.5] or order[:1]
        chosen = order[: take_words(order, lengths, words)]
        return Extraction(tuple(chosen), tuple(float(scores[index]) for index in chosen))


def _mean(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean of rows, 1 x E, scaled to length 1."""
    mean = rows.mean(axis=0, keepdims=True)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32)


# In evaluation, torch's fast path would use other kernels than in training: other bits, and N x N memory per
# paper.
torch.backends.mha.set_fastpath_enabled(False)


def encoder_layer(width: int, heads: int, dropout: float) -> nn.TransformerEncoderLayer:
    """Return a pre-norm layer of a Transformer encoder whose memory grows with N, not with N x N."""
    layer = nn.TransformerEncoderLayer(
        width, heads, 4 * width, dropout, activation="gelu", batch_first=True, norm_first=True
    )
    # The fused attention kernel, which needs no N x N matrix, does not support dropout on the CPU.
    layer.self_attn.dropout = 0.0
    # The initialisation of nn.Linear, as in the network of docs/how-to/train.md; torch's default is wider.
    for weights in layer.self_attn.parameters():
        nn.init.uniform_(weights, -(width**-0.5), width**-0.5)
    return layer


class PaperTransformer(nn.Module):
    """Scores every sentence of a paper by its content and context."""

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
    """An ensemble: Transformers of the same shape with different initial weights.

    The mean of their scores varies less with the seed than a single one's (Lakshminarayanan et al. 2017,
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

    @classmethod
    def of(cls, config: TransformerConfig, embedding: int) -> PaperTransformers:
        """Return one with random weights that reads embeddings of this width."""
        return cls(
            config.members,
            embedding,
            WIDTH + RECURRENCE_WIDTH + 5,
            config.width,
            config.layers,
            config.heads,
            config.dropout,
        )

    def forward(self, embeddings: Tensor, features: Tensor) -> Tensor:
        """Return the scores (M x N, logits) of a paper's N sentences by each of M members."""
        return torch.stack([member(embeddings, features) for member in self.members])
