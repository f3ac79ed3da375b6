"""How much of an article a reference holds: copies of the article are no references of it.

Belongs here: recall of unigrams by section (Liu et al. 2018, A.2.1). Not here: the threshold beyond which a
reference counts as a clone (corpus.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ops.text.word_numbers import number_words


def clone_recall(reference: str, sections: Sequence[str], least_words: int = 1) -> float:
    """Return the greatest share of a section's distinct words that a reference has, from 0 to 1.

    Words are runs of letters and digits, lower-cased. Sections with fewer than `least_words` distinct words
    do not count; 0 where none counts. Raises ValueError if `least_words` is less than 1.
    """
    return float(clone_recalls([reference], sections, least_words)[0])


def clone_recalls(
    references: Sequence[str], sections: Sequence[str], least_words: int = 1
) -> NDArray[np.float64]:
    """Return `clone_recall` of R references against the sections of one article (R).

    All references are read once, in compiled code, whatever the number of sections.
    """
    if least_words < 1:
        raise ValueError(f"least_words is {least_words}, and must be at least 1")
    if not sections or not references:
        return np.zeros(len(references))
    from ops.wikisum.kernels import greatest_recalls

    many = len(sections)
    found = number_words([*sections, *references], known="\n".join(sections))
    ends = found.ends[: many + 1]
    words = [np.unique(found.numbers[start:end]) for start, end in pairwise(ends)]
    words = [of for of in words if len(of) >= least_words]
    recalls: NDArray[np.float64] = greatest_recalls(
        found.numbers,
        found.ends[many:],
        np.concatenate([np.empty(0, np.int64), *words]),
        np.cumsum([0, *map(len, words)]),
        found.distinct,
    )
    return recalls
