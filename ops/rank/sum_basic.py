"""SumBasic: the sentence with the most frequent words first, and then what has not been said.

Belongs here: Nenkova and Vanderwende (2005), section 3. Not here: which words count as content.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Sequence


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
