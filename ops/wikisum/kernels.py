"""Inner loops over numbers of words, compiled by numba.

Belongs here: loops over arrays, nothing else; callers check their input. Not here: what is computed
(clones.py, rankers/). Imported when first needed: numba takes a third of a second.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def greatest_recalls(
    numbers: NDArray[np.int32],
    ends: NDArray[np.int64],
    sections: NDArray[np.int64],
    section_ends: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return of every text the greatest share of a section's words that it has.

    Word w stands in `sections[section_ends[w]:section_ends[w + 1]]`; section s has `sizes[s]` words.
    """
    recalls = np.zeros(len(ends) - 1)
    seen = np.full(len(section_ends) - 1, -1, np.int64)
    shared = np.zeros(len(sizes), np.int64)
    for text in range(len(recalls)):
        shared[:] = 0
        for place in range(ends[text], ends[text + 1]):
            word = numbers[place]
            if word < 0 or seen[word] == text:
                continue
            seen[word] = text
            for index in range(section_ends[word], section_ends[word + 1]):
                shared[sections[index]] += 1
        for section in np.flatnonzero(shared):
            recalls[text] = max(recalls[text], shared[section] / sizes[section])
    return recalls


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def counts_of_words(numbers: NDArray[np.int32], ends: NDArray[np.int64], distinct: int) -> NDArray[np.int32]:
    """Return how often each numbered word stands in each text (N, V)."""
    counts = np.zeros((len(ends) - 1, distinct), np.int32)
    for text in range(len(ends) - 1):
        for place in range(ends[text], ends[text + 1]):
            if numbers[place] >= 0:
                counts[text, numbers[place]] += 1
    return counts
