"""The extractor of sentence embeddings and a small Transformer: from papers to sentences.

Belongs here: embedding, and choosing by score. Not here: the network (transformer.py), training (tasks.py),
files (files.py).
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ops.models.extractors.config import TransformerConfig
from ops.models.extractors.embeddings import Embed, embedder
from ops.models.extractors.features import WIDTH, features
from ops.models.extractors.paper import Extraction, Paper, take_words
from ops.models.extractors.recurrence import WIDTH as RECURRENCE
from ops.models.extractors.recurrence import conclusion, introduction, recurrence
from ops.models.extractors.transformer import PaperTransformers


class TransformerExtractor:
    """Scores every sentence of a paper.

    Where labels were learnt, a score is the probability that a sentence belongs to a summary; where gains
    were, it only orders.
    """

    def __init__(self, config: TransformerConfig, seed: int = 0, embed: Embed | None = None) -> None:
        """Make one with random weights; `embed` replaces the encoder that the config names."""
        self.config = config
        self.embed = embed or embedder(config.encoder)
        width = self.embed([""]).shape[1]
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network = PaperTransformers(
                config.members,
                width,
                WIDTH + RECURRENCE + 5,
                config.width,
                config.layers,
                config.heads,
                config.dropout,
            )
        self.network.eval()

    def inputs(self, paper: Paper) -> tuple[Tensor, Tensor]:
        """Return the embeddings (N x E) of a paper's N sentences, and their features (N x F).

        The last five are similarities: to the mean of the sentences, to the title, to the first sentence, to
        the means of the introduction and of the conclusion.
        """
        embedded = self.embed([paper.title, *paper.sentences])
        title, sentences = embedded[:1], embedded[1:]
        whole, first, last = (
            _mean(rows) for rows in (sentences, sentences[introduction(paper)], sentences[conclusion(paper)])
        )
        near = [sentences @ vectors.T for vectors in (whole, title, sentences[:1], first, last)]
        known = np.concatenate([features(paper), recurrence(paper), *near], axis=1)
        return torch.from_numpy(sentences), torch.from_numpy(known)

    def extract(self, paper: Paper, words: int | None = 150) -> Extraction:
        """Return sentences by falling score, ties by place; without a budget those more probable than not.

        Memory grows with the number of sentences N, not with N x N.
        """
        if not len(paper):
            return Extraction((), ())
        return self.choose(paper, self.inputs(paper), words)

    @torch.no_grad()
    def choose(self, paper: Paper, inputs: tuple[Tensor, Tensor], words: int | None) -> Extraction:
        """Return the extraction of a paper whose `inputs` are given."""
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
    """Return the mean of some rows, 1 x E, of length 1."""
    mean = rows.mean(axis=0, keepdims=True)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32)
