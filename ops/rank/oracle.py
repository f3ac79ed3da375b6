"""What could be chosen by one who knows the reference: labels for training, and an upper bound.

Belongs here: greedy ROUGE, and recall of bigrams. Not here: ROUGE as a metric (ops/metrics).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

Ngram = tuple[str, ...]


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


def _ngrams(words: Sequence[str], order: int) -> Iterator[Ngram]:
    return zip(*(words[start:] for start in range(order)), strict=False)
