"""Rankers that need no trained model, and the words that they compare.

Belongs here: lead, random, TextRank (Mihalcea and Tarau 2004, sections 2.2 and 4), SumBasic (Nenkova and
Vanderwende 2005, section 3), greedy ROUGE and bigram recall (which use the reference), and splitting a text
into words. Not here: what the units are (sentences, paragraphs), tf-idf (ops/wikisum/rank.py), choosing by
rank (choose.py), ROUGE as a metric (ops/metrics).
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.core.sampling import drawn
from silverloom.ops.text.words import STOP_WORDS, visible


def best_first(scores: Sequence[float]) -> list[int]:
    """Return the indices by decreasing score, ties to the lowest index. Raises ValueError for NaN."""
    if any(score != score for score in scores):
        raise ValueError(
            f"the score of unit {next(i for i, s in enumerate(scores) if s != s)} is not a number"
        )
    return sorted(range(len(scores)), key=lambda index: -scores[index])


def lead(units: int) -> list[int]:
    """Return document order: the Lead baseline for sentences, the identity ranker for paragraphs."""
    return list(range(units))


def shuffled(units: int, seed: int, document: str) -> list[int]:
    """Return a random order that depends on the seed and document id only, not on the rest of the corpus."""
    return sorted(range(units), key=lambda index: drawn(seed, document, index))


DAMPING = 0.85
_TOLERANCE = 1e-9
#: Scores are rounded, so that the order of additions cannot break ties.
_DIGITS = 6
_MOST_STEPS = 1_000
_LENGTHS_AT_ONCE = 64


class Graph:
    """The weighted graph of a document's units, without stored edges.

    The weight of an edge is the number of distinct words that two units share, divided by the sum of the
    logarithms of their lengths in words. The N^2 edges are never stored: a weight depends on a unit only
    through its words and its length, so units of equal length can be summed word by word. For N units, V
    distinct words, E = sum of the distinct words of each unit and L distinct lengths, a product takes O(E L)
    time and O(E + 64 (N + V)) memory.
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
        """Return for each unit the sum of the other units' values, weighted by the edges to them."""
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
    """Return for each unit the fixed point of weighted PageRank, rounded to 6 digits.

    S(i) = (1 - d) + d sum over j of w(j, i) / (sum over k of w(j, k)) S(j), iterated from 1 until no score
    changes by more than 1e-9. A unit without shared words gets 1 - d. For two units of one word each, the
    denominator log 1 + log 1 is 0: they have no edge [ours]. Raises ValueError if `damping` is not in [0, 1).
    """
    if not 0 <= damping < 1:
        raise ValueError(f"damping is {damping}, and must be at least 0 and less than 1")
    if not any(units):
        return [1 - damping] * len(units)
    graph = Graph(units)
    degrees = graph.product(np.ones(len(units)))
    # The degree of a unit that shares no word with another may be a rounding error instead of 0.
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
    """Return 1 / (log one + log other) elementwise, and 0 where the denominator is 0."""
    logs = np.log(np.maximum(one, 1)) + np.log(np.maximum(other, 1))
    weights: NDArray[np.float64] = np.divide(1.0, logs, out=np.zeros(logs.shape), where=logs > 0)
    return weights


def sum_basic(units: Sequence[Sequence[str]]) -> list[int]:
    """Return the order in which SumBasic chooses all units.

    The probability of a word is its share of all words. The weight of a unit is the mean probability of its
    words. In each step, SumBasic finds the most probable word of the unchosen units (ties to the word that
    occurs first). Of the unchosen units with that word, it chooses the one with the greatest weight (ties to
    the lowest index). Then it squares the probability of each distinct word of that unit. Units without words
    come last. Once probabilities underflow to 0, units follow in document order. Sums are exact (math.fsum).

    Weights only decrease, so a unit is weighed again only when its last weight would win: 5,000 sentences
    take well under a second.
    """
    counts = Counter(word for unit in units for word in unit)
    total = counts.total()
    probability = {word: count / total for word, count in counts.items()}
    rank = {word: place for place, word in enumerate(counts)}
    having: dict[str, list[tuple[float, int]]] = {word: [] for word in counts}
    for index, unit in enumerate(units):
        for word in set(unit):
            # Sorts before any real weight, so that the unit is weighed when first popped.
            having[word].append((-math.inf, index))
    words = [(-probability[word], rank[word], word) for word in counts]
    heapq.heapify(words)
    order: list[int] = []
    chosen = [not unit for unit in units]
    while words:
        negative, place, word = heapq.heappop(words)
        if -negative != probability[word]:
            heapq.heappush(words, (-probability[word], place, word))
            continue
        best = _heaviest(having[word], units, probability, chosen)
        if best is None:
            continue
        order.append(best)
        chosen[best] = True
        for used in set(units[best]):
            probability[used] **= 2
        heapq.heappush(words, (-probability[word], place, word))
    return order + [index for index, unit in enumerate(units) if not unit]


def _heaviest(
    heap: list[tuple[float, int]],
    units: Sequence[Sequence[str]],
    probability: dict[str, float],
    chosen: Sequence[bool],
) -> int | None:
    """Pop the heaviest unchosen unit of a heap of (minus a former weight, index), or None."""
    while heap:
        former, index = heapq.heappop(heap)
        if chosen[index]:
            continue
        weight = math.fsum(probability[word] for word in units[index]) / len(units[index])
        if -weight == former:
            return index
        heapq.heappush(heap, (-weight, index))
    return None


_WORD = re.compile(r"[^\W_]+")
#: Clitics are split at the apostrophe: "don't" gives "don" and "t".
_STOP_WORDS = frozenset(part for word in STOP_WORDS for part in _WORD.findall(word))


def words(text: str) -> list[str]:
    """Return the runs of letters and digits of a text, lower-cased.

    For ASCII text these are ROUGE-1.5.5's tokens without stemming: any other character, including a hyphen,
    separates words.
    """
    return _WORD.findall(visible(text).lower())


def content_words(text: str) -> list[str]:
    """Return the words of a text except stop words (NLTK's English list, split in the same way)."""
    return [word for word in words(text) if word not in _STOP_WORDS]


SentenceNgram = tuple[str, ...]


def bigram_gains(units: Sequence[Sequence[str]], reference: Sequence[str], least: int = 8) -> list[float]:
    """Return for each unit its shared bigrams per word, relative to the best unit.

    Shared bigrams are clipped by their count in the reference. A unit shorter than `least` words counts as
    `least` words long, so that a lucky short unit does not win. All gains are 0 if nothing is shared.
    """
    shared = _Overlap(units, [[reference]], 2, "recall")
    gains = [shared.with_unit(index) / max(len(unit), least) for index, unit in enumerate(units)]
    best = max(gains, default=0.0)
    return [gain / best if best else 0.0 for gain in gains]


def oracle_of_references(
    units: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    sizes: Sequence[int],
    budget: int,
    orders: Sequence[int] = (1, 2),
    measure: Literal["recall", "f"] = "f",
) -> list[int]:
    """Return the units that a greedy search for ROUGE against several references chooses, in order of choice.

    A reference is a list of sentences, each a list of words. Matches and counts are summed over the
    references, as in `silverloom.ops.metrics.rouge.rouge_of_references` with "average".

    Each step adds the unit that raises the score most, ties to the lowest index. The score is the mean of
    ROUGE-n over `orders`, as recall or F1 (Nallapati et al. 2017, section 3.1). The search ends when no unit
    raises it. Unit i is a candidate only if its size `sizes[i]` fits into the rest of `budget`; any unit may
    be the first, as in silver summaries. N-grams do not cross units or sentences, and are clipped by their
    count in each reference. Raises ValueError if the numbers of units and sizes differ, or an order is less
    than 1.
    """
    if len(units) != len(sizes):
        raise ValueError(f"{len(units)} units, {len(sizes)} sizes")
    if not orders or min(orders) < 1:
        raise ValueError(f"orders of n-grams are 1 or more, found {list(orders)}")
    searches = [_Overlap(units, references, order, measure) for order in orders]
    # A unit that shares no n-gram with a reference never raises the score.
    left = [index for index in range(len(units)) if any(search.shared[index] for search in searches)]
    chosen: list[int] = []
    used = 0
    score = 0.0
    while left:
        fitting = [index for index in left if not chosen or used + sizes[index] <= budget]
        scores = [sum(search.with_unit(index) for search in searches) for index in fitting]
        best = max(range(len(fitting)), key=lambda place: (scores[place], -place), default=None)
        if best is None or scores[best] <= score:
            break
        index, score = fitting[best], scores[best]
        chosen.append(index)
        left.remove(index)
        used += sizes[index]
        for search in searches:
            search.add(index)
    return chosen


class _Overlap:
    """N-grams that the chosen units share with the references, and how many each other unit would add."""

    def __init__(
        self,
        units: Sequence[Sequence[str]],
        references: Sequence[Sequence[Sequence[str]]],
        order: int,
        measure: str,
    ) -> None:
        self._rooms = [
            Counter(gram for sentence in reference for gram in _ngrams(sentence, order))
            for reference in references
        ]
        self._wanted = sum(room.total() for room in self._rooms)
        known = {gram for room in self._rooms for gram in room}
        #: For each unit, its n-grams that occur in a reference.
        self.shared = [Counter(gram for gram in _ngrams(unit, order) if gram in known) for unit in units]
        self._lengths = [len(references) * max(len(unit) - order + 1, 0) for unit in units]
        self._recall = measure == "recall"
        self._matched = 0
        self._length = 0

    def with_unit(self, index: int) -> float:
        """Return the score of the chosen units plus this one."""
        shared = self.shared[index].items()
        more = sum(min(count, room[gram]) for room in self._rooms for gram, count in shared)
        below = self._wanted if self._recall else self._wanted + self._length + self._lengths[index]
        matched = self._matched + more
        return (matched if self._recall else 2 * matched) / below if matched else 0.0

    def add(self, index: int) -> None:
        """Choose a unit."""
        for room in self._rooms:
            for gram, count in self.shared[index].items():
                taken = min(count, room[gram])
                room[gram] -= taken
                self._matched += taken
        self._length += self._lengths[index]


def _ngrams(words: Sequence[str], order: int) -> Iterator[SentenceNgram]:
    return zip(*(words[start:] for start in range(order)), strict=False)
