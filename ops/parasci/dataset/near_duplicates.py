"""Sentences that differ in a word or two: all pairs of them, exactly.

Belongs here: the join of sets by their overlap. Not here: which words count, and what is made of the pairs
(paraphrases.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Sets that are compared with all others at once.
_BLOCK = 2_000

#: A share of a number of words may be too large by a rounding error: without this a pair could be missed.
_ROUNDING = 1e-9


def near_duplicates(sets: Sequence[Collection[str]], least: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs (first < second) of N sets of words whose Jaccard coefficient is `least` or more.

    Two sets with such an overlap share one of the rarest words of each (Bayardo et al. 2007, prefix filter),
    so only those that do are compared. A set without words is near to none.
    """
    frequency = Counter(chain.from_iterable(sets))
    rarest_first = sorted(frequency, key=lambda word: (frequency[word], word))
    numbers = {word: number for number, word in enumerate(rarest_first)}
    rows = [sorted(numbers[word] for word in words) for words in sets]
    sizes = np.array([len(row) for row in rows], np.int64)
    prefixes = [row[: len(row) - ceil(least * len(row) - _ROUNDING) + 1] for row in rows]
    whole, rarest = (_matrix(of_set, len(numbers)) for of_set in (rows, prefixes))
    for start in range(0, len(rows), _BLOCK):
        meeting = (rarest[start : start + _BLOCK] @ rarest.T).tocoo()
        first, second = meeting.row.astype(np.int64) + start, meeting.col.astype(np.int64)
        smaller, larger = np.sort([sizes[first], sizes[second]], axis=0)
        possible = (first < second) & (smaller >= least * larger - _ROUNDING)
        first, second = first[possible], second[possible]
        shared = whole[first].multiply(whole[second]).sum(axis=1)
        near = shared / (sizes[first] + sizes[second] - shared) >= least
        yield from zip(first[near].tolist(), second[near].tolist(), strict=True)


def _matrix(rows: Sequence[Sequence[int]], width: int) -> csr_array:
    """Return N rows x `width` columns, 1 where a row has the number of a column."""
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *map(len, rows)])
    columns = np.fromiter(chain.from_iterable(rows), np.int64, ends[-1])
    return csr_array((np.ones(len(columns), np.int32), columns, ends), shape=(len(rows), width))
