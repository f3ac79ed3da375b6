"""Rankers that need no trained model, and the words that they look at.

Belongs here: lead, random, tf-idf with a query (Liu et al. 2018, section 4.1), TextRank (Mihalcea and Tarau
2004, sections 2.2 and 4), SumBasic (Nenkova and Vanderwende 2005, section 3); greedy ROUGE and recall of
bigrams, which know the reference; dividing a text into words. Not here: what the units are (sentences,
paragraphs), choosing by an order (choose.py), ROUGE as a metric (ops/metrics).
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ops.core.sampling import drawn
from ops.text.words import STOP_WORDS


def best_first(scores: Sequence[float]) -> list[int]:
    """Return the indices by falling score, ties to the lowest index. Raises ValueError for a NaN."""
    if any(score != score for score in scores):
        raise ValueError(
            f"the score of unit {next(i for i, s in enumerate(scores) if s != s)} is not a number"
        )
    return sorted(range(len(scores)), key=lambda index: -scores[index])


def lead(units: int) -> list[int]:
    """Return the order of the document itself: Lead over sentences, identity over paragraphs."""
    return list(range(units))


def shuffled(units: int, seed: int, document: str) -> list[int]:
    """Return a random order, drawn by seed and document id alone: the same whatever else is in a corpus."""
    return sorted(range(units), key=lambda index: drawn(seed, document, index))


def tf_idf(
    units: Sequence[Sequence[str]], query: Iterable[str], frequencies: Mapping[str, int], documents: int
) -> list[float]:
    """Return of every unit the sum of N_w ln(N_d / N_dw) over the distinct words of the query.

    N_w counts the word in the unit, N_dw is its document frequency (`frequencies`; at least 1, as in the
    released code, so that a word which no document has weighs ln N_d), and N_d is `documents`. In the
    paper, documents are the article's own paragraphs. Raises ValueError if a document frequency is
    greater than `documents`, or `documents` is less than 1.
    """
    if documents < 1:
        raise ValueError(f"{documents} documents: tf-idf needs one at least")
    weights = {}
    for word in sorted(set(query)):
        frequency = max(frequencies.get(word, 0), 1)
        if frequency > documents:
            raise ValueError(f"{word!r} is said to be in {frequency} of {documents} documents")
        weights[word] = math.log(documents / frequency)
    scores = []
    for unit in units:
        counts = Counter(word for word in unit if word in weights)
        # Exact, so that words in another order leave a tie a tie.
        scores.append(math.fsum(count * weights[word] for word, count in counts.items()))
    return scores


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


def sum_basic(units: Sequence[Sequence[str]]) -> list[int]:
    """Return the order in which SumBasic chooses all units.

    The probability of a word is its share of all words. A unit's weight is the mean probability of its
    words. Of the units that have the most probable word (of those words that unchosen units have; ties to
    the word that occurs first), the heaviest is chosen, ties to the lowest index; then the probability
    of each distinct word in it is squared. Units without words come last. Probabilities that have
    become 0 by repeated squaring leave the order of the document. Sums are exact (math.fsum).

    Weights only fall, so that a unit is weighed again only when its last weight would win: 5,000 sentences
    take well under a second.
    """
    counts = Counter(word for unit in units for word in unit)
    total = counts.total()
    probability = {word: count / total for word, count in counts.items()}
    rank = {word: place for place, word in enumerate(counts)}
    having: dict[str, list[tuple[float, int]]] = {word: [] for word in counts}
    for index, unit in enumerate(units):
        for word in set(unit):
            # Heavier than any weight: weighed when first met.
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
    """Return the heaviest unchosen unit of a heap of (minus a former weight, index), if any."""
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
#: A clitic is divided at its apostrophe: "don't" leaves "don" and "t".
_STOP_WORDS = frozenset(part for word in STOP_WORDS for part in _WORD.findall(word))


def words(text: str) -> list[str]:
    """Return the runs of letters and digits of a text, lower-cased.

    Of ASCII text these are ROUGE-1.5.5's tokens without stemming: all else divides words, hyphens too.
    """
    return _WORD.findall(text.lower())


def content_words(text: str) -> list[str]:
    """Return the words of a text that are no stop words (NLTK's English list, divided in the same way)."""
    return [word for word in words(text) if word not in _STOP_WORDS]


SentenceNgram = tuple[str, ...]


def bigram_recall(units: Sequence[Sequence[str]], reference: Sequence[str]) -> list[float]:
    """Return of every unit the share of the reference's distinct bigrams that it has.

    The cheating extractor of Liu et al. (2018), equation 1; 0 where the reference has no bigram.
    """
    wanted = set(_ngrams(reference, 2))
    return [len(wanted.intersection(_ngrams(unit, 2))) / len(wanted) if wanted else 0.0 for unit in units]


def bigram_gains(units: Sequence[Sequence[str]], reference: Sequence[str], least: int = 8) -> list[float]:
    """Return how much of a reference every unit brings for the room that it takes, as a share of the best.

    That is its bigrams, clipped by their count in the reference, to its words; a unit of fewer than `least`
    words is taken for one of so many, lest a lucky pair be worth most. 0 where nothing is shared.
    """
    shared = _Overlap(units, [[reference]], 2, "recall")
    gains = [shared.with_unit(index) / max(len(unit), least) for index, unit in enumerate(units)]
    best = max(gains, default=0.0)
    return [gain / best if best else 0.0 for gain in gains]


def oracle(
    units: Sequence[Sequence[str]],
    reference: Sequence[str],
    sizes: Sequence[int],
    budget: int,
    orders: Sequence[int] = (1, 2),
    measure: Literal["recall", "f"] = "f",
) -> list[int]:
    """Return the units that a greedy search for ROUGE against one reference chooses, first one first.

    The reference is a run of words; all else as in `oracle_of_references`.
    """
    return oracle_of_references(units, [[reference]], sizes, budget, orders, measure)


def oracle_of_references(
    units: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    sizes: Sequence[int],
    budget: int,
    orders: Sequence[int] = (1, 2),
    measure: Literal["recall", "f"] = "f",
) -> list[int]:
    """Return the units that a greedy search for ROUGE against several references chooses, first one first.

    A reference is a list of sentences, each a list of words. Matches and counts are added up over the
    references, as in `ops.metrics.rouge.rouge_of_references` with "average".

    In each step the unit is added that raises the score most, ties to the lowest index; the score is the
    mean of ROUGE-n over `orders`, each as recall or F1 (Nallapati et al. 2017, section 3.1). The search ends
    when no unit raises it. A unit of size `sizes[i]` is tried only while all sizes together stay within
    `budget`; into an empty summary any unit may come, as for silver summaries. N-grams do not cross
    from one unit or sentence into the next, and are clipped by their count in each reference.
    Raises ValueError if units and sizes differ in number, or an order is less than 1.
    """
    if len(units) != len(sizes):
        raise ValueError(f"{len(units)} units, {len(sizes)} sizes")
    if not orders or min(orders) < 1:
        raise ValueError(f"orders of n-grams are 1 or more, found {list(orders)}")
    searches = [_Overlap(units, references, order, measure) for order in orders]
    # A unit without an n-gram of a reference never raises the score.
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
    """The n-grams that chosen units share with references, and how many more each other unit would share."""

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
        #: Of each unit, the n-grams that a reference has as well.
        self.shared = [Counter(gram for gram in _ngrams(unit, order) if gram in known) for unit in units]
        self._lengths = [len(references) * max(len(unit) - order + 1, 0) for unit in units]
        self._recall = measure == "recall"
        self._matched = 0
        self._length = 0

    def with_unit(self, index: int) -> float:
        """Return the score of the chosen units with one more."""
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
