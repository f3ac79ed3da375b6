"""A ranker that learns which paragraphs hold much of a lead: the paper's future work (section 5.3).

Belongs here: least squares over features, and its weights as JSON. Not here: the features (features.py), on
what it is trained and tested (learned_ranker.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ops.outcome import Row
from ops.wikisum.features import NAMES, features
from ops.wikisum.rank import bigram_recalls

LEARNED = "learned"

_DIGITS = 9


@dataclass(frozen=True)
class LearnedRanker:
    """Predicts the cheating score of a paragraph, by its words."""

    weights: tuple[float, ...]
    """Of the expanded features, the constant first."""

    @classmethod
    def fit(cls, articles: Iterable[tuple[str, Sequence[Row], str]], ridge: float) -> LearnedRanker | None:
        """Return the ranker of articles, given as title, paragraphs and lead; None if they teach nothing.

        What is predicted is the share of the lead's bigrams that a paragraph has, by its words, against the
        best of its article: an input of a length has room for many short paragraphs or few long ones. Each
        article counts the same.
        """
        width = 1 + 2 * len(NAMES) + len(_PRODUCTS)
        square, product, learnt = np.zeros((width, width)), np.zeros(width), 0
        for title, paragraphs, lead in articles:
            wanted = relevance(paragraphs, lead)
            if not wanted.any():
                continue
            rows = _expanded(features(title, paragraphs))
            square += rows.T @ rows / len(rows)
            product += rows.T @ wanted / len(rows)
            learnt += 1
        if not learnt:
            return None
        penalty = ridge * learnt * np.diag(np.diagonal(square) / learnt + 1e-6)
        found = np.linalg.solve(square + penalty, product)
        return cls(tuple(round(weight, _DIGITS) for weight in found.tolist()))

    def scores(self, title: str, paragraphs: Sequence[Row]) -> list[float]:
        """Return the score of each paragraph; the higher, the earlier."""
        found = _expanded(features(title, paragraphs)) * np.array(self.weights)
        return [round(score, 6) for score in np.cumsum(found, axis=1)[:, -1].tolist()]

    @property
    def content(self) -> bytes:
        """The weights as JSON."""
        return json.dumps({"features": list(NAMES), "weights": self.weights}, indent=1).encode() + b"\n"

    @classmethod
    def of(cls, content: bytes) -> LearnedRanker:
        """Return the ranker that `content` is made of. Raises ValueError for one of other features."""
        found = json.loads(content)
        if tuple(found["features"]) != NAMES:
            raise ValueError("the ranker was trained on other features: train it anew")
        return cls(tuple(found["weights"]))


def relevance(paragraphs: Sequence[Row], lead: str) -> NDArray[np.float64]:
    """Return of every paragraph what is learnt: recall of the lead's bigrams by length, the best being 1."""
    texts = [paragraph["text"] for paragraph in paragraphs]
    size = np.array([len(text.split()) for text in texts], np.float64)
    found = bigram_recalls(lead, texts) / np.maximum(size, 20)
    shares: NDArray[np.float64] = found / max(found.max(initial=0.0), 1e-12)
    return shares


_PRODUCTS = [
    (NAMES.index(one), NAMES.index(other))
    for one in ("tf_idf_of_best", "title_coverage", "page_coverage")
    for other in ("words", "position", "typicality", "title_early", "page_tf_idf", "stop_words")
]


def _expanded(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a constant, the features, their squares and some products (N, 1 + 2 F + P)."""
    products = [rows[:, one] * rows[:, other] for one, other in _PRODUCTS]
    return np.column_stack([np.ones(len(rows)), rows, rows**2, *products])
