"""PLR, the length rate of two sentences.

Belongs here: the rate. Not here: what is kept by it (dataset/paraphrases.py).

Its formula is lost in the text version of Dong et al. (2021). Here it is the difference of two lengths in
words over the shorter one: 0 for equal lengths, and "under 1" means under twice as long.
"""

from __future__ import annotations


def length_rate(first: int, second: int) -> float:
    """Return PLR of two lengths in words. Raises ValueError for a length of 0."""
    if min(first, second) < 1:
        raise ValueError("a sentence without words has no length rate")
    return abs(first - second) / min(first, second)
