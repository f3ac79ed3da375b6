"""TextRank: units that share words with units that share words with others.

Belongs here: Mihalcea and Tarau (2004), sections 2.2 and 4. Not here: dividing texts into words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

DAMPING = 0.85
_TOLERANCE = 1e-9
#: Scores are rounded, so that ties hold whatever the order of additions.
_DIGITS = 6
_MOST_STEPS = 1_000
_LENGTHS_AT_ONCE = 64


class Graph:
    """The weighted graph of a document's units, without its edges.

    The weight of an edge is the number of distinct words that both units have, divided by the sum of the
    logarithms of their lengths in words. There are N^2 edges, so they are never stored: the weight depends on
    a unit only by its words and its length, and units of one length are added up word by word. For N units,
    V distinct words, E = sum of the distinct words of each unit and L distinct lengths, a product takes
    O(E L) time and O(E + 64 (N + V)) memory.
    """

    def __init__(self, units: Sequence[Sequence[str]]) -> None:
        from scipy.sparse import csr_array

        self._sparse = csr_array
        known: dict[str, int] = {}
        places = [sorted({known.setdefault(word, len(known)) for word in unit}) for unit in units]
        ends = np.cumsum([0, *map(len, places)])
        columns = np.array([column for place in places for column in place], dtype=np.int64)
        shape = (len(units), len(known))
        self._words = csr_array((np.ones(len(columns)), columns, ends), shape)
        self._by_word = self._words.T.tocsr()
        sizes = np.array([len(unit) for unit in units])
        self._lengths, self._class = np.unique(sizes, return_inverse=True)
        self._own = np.diff(ends) * _weights(sizes, sizes)

    def product(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return, for every unit, the sum of the values of all others by the weights of the edges to them."""
        total = np.zeros(len(values))
        for first in range(0, len(self._lengths), _LENGTHS_AT_ONCE):
            lengths = self._lengths[first : first + _LENGTHS_AT_ONCE]
            inside = self._class - first
            rows = np.flatnonzero((inside >= 0) & (inside < len(lengths)))
            by_length = np.zeros((len(values), len(lengths)))
            by_length[rows, inside[rows]] = values[rows]
            shared = self._words @ (self._by_word @ self._sparse(by_length)).toarray()
            total += (shared * _weights(self._lengths[self._class][:, None], lengths[None, :])).sum(axis=1)
        return np.maximum(total - self._own * values, 0.0)


def text_rank(units: Sequence[Sequence[str]], damping: float = DAMPING) -> list[float]:
    """Return the score of every unit: the fixed point of the weighted PageRank, rounded to 6 digits.

    S(i) = (1 - d) + d sum over j of w(j, i) / (sum over k of w(j, k)) S(j), iterated from 1 until no score
    changes by more than 1e-9. A unit without words, or without a shared one, gets 1 - d. Two units of one
    word each would have log 1 + log 1 = 0 below the fraction bar: there is no edge between them [ours].
    Raises ValueError if `damping` is not in [0, 1).
    """
    if not 0 <= damping < 1:
        raise ValueError(f"damping is {damping}, and must be at least 0 and less than 1")
    if not any(units):
        return [1 - damping] * len(units)
    graph = Graph(units)
    degrees = graph.product(np.ones(len(units)))
    # What is left of a unit that shares words with itself alone is rounding.
    linked = degrees > 1e-9
    shares = np.divide(1.0, degrees, out=np.zeros(len(units)), where=linked)
    scores = np.where(linked, 1.0, 1 - damping)
    for _ in range(_MOST_STEPS):
        before = scores
        scores = (1 - damping) + damping * graph.product(scores * shares)
        if np.abs(scores - before).max() <= _TOLERANCE:
            break
    return [round(score, _DIGITS) for score in scores.tolist()]


def _weights(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 / (log one + log other) by element, 0 where that has no value."""
    logs = np.log(np.maximum(one, 1)) + np.log(np.maximum(other, 1))
    weights: NDArray[np.float64] = np.divide(1.0, logs, out=np.zeros(logs.shape), where=logs > 0)
    return weights
