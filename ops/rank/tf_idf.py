"""tf-idf with a query: how much a unit says about a title.

Belongs here: Liu et al. (2018), section 4.1. Not here: what the units are (sentences, paragraphs).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence


def document_frequencies(units: Iterable[Sequence[str]]) -> Counter[str]:
    """Return in how many units each word occurs."""
    frequencies: Counter[str] = Counter()
    for unit in units:
        frequencies.update(set(unit))
    return frequencies


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
