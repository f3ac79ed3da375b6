"""How much of an article a reference holds: copies of the article are no references of it.

Belongs here: recall of shingles or of words by section (Liu et al. 2018, A.2.1). Not here: the threshold
beyond which a reference counts as a clone (corpus.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ops.text.word_numbers import number_words


def clone_recall(reference: str, sections: Sequence[str], shingle: int = 1, least: int = 1) -> float:
    """Return the greatest share of a section's distinct shingles that a reference has, from 0 to 1.

    A shingle is a run of so many words (Broder 1997), words are runs of letters and digits, lower-cased.
    Shingles of one word are the words of the paper's formula. Sections with fewer than `least` distinct
    shingles do not count; where none has as many, the article counts as one section. 0 for an article
    without shingles. Raises ValueError if `shingle` or `least` is less than 1.
    """
    return float(clone_recalls([reference], sections, shingle, least)[0])


def clone_recalls(
    references: Sequence[str], sections: Sequence[str], shingle: int = 1, least: int = 1
) -> NDArray[np.float64]:
    """Return `clone_recall` of R references against the sections of one article (R).

    All references are read once, in compiled code, whatever the number of sections.
    """
    if shingle < 1 or least < 1:
        raise ValueError(f"shingle is {shingle} and least {least}, and both must be at least 1")
    if not sections or not references:
        return np.zeros(len(references))
    from ops.wikisum.kernels import greatest_recalls, number_shingles

    many = len(sections)
    found = number_words([*sections, *references], known="\n".join(sections))
    numbers, distinct = found.numbers, found.distinct
    if shingle > 1:
        numbers, distinct = number_shingles(numbers, found.ends, many, shingle)
    parts = [np.unique(numbers[start:end]) for start, end in pairwise(found.ends[: many + 1])]
    parts = [part[part >= 0] for part in parts]
    counted = [part for part in parts if len(part) >= least] or [np.unique(np.concatenate(parts))]
    recalls: NDArray[np.float64] = greatest_recalls(
        numbers,
        found.ends[many:],
        np.concatenate(counted).astype(np.int64),
        np.cumsum([0, *map(len, counted)]),
        distinct,
    )
    return recalls
