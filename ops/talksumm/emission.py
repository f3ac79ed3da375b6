"""How probable each spoken word is while a given paper sentence is in mind.

Belongs here: p(y | k) of Lev et al. (2019), section 3.2, with the details of the released code.
Not here: which tokens count (tokens.py), word vectors (ops/models).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ops.models.word_vectors import WordVectors


def log_emission(
    spoken: Sequence[str], sentences: Sequence[Sequence[str]], vectors: WordVectors, floor: float = 0.8
) -> NDArray[np.float64]:
    """Return ln p(word | sentence) of V distinct spoken tokens and K sentences (V x K).

    The similarity of a word and a sentence is the largest exp(cosine) over the sentence's words. Per
    sentence, `floor` x the least similarity of any spoken word is subtracted, and the V values are scaled to
    sum to 1: what is left is mostly what sets the words apart. A spoken token without a vector gets the mean
    of all vectors; a paper token without one is skipped, and a sentence with none gets the mean.
    """
    from ops.talksumm import kernels

    mean = vectors.mean.astype(np.float32)
    spoken_vectors, found = vectors.vectors(spoken)
    spoken_vectors[~found] = mean
    vocabulary = sorted({word for sentence in sentences for word in sentence if word in vectors})
    paper_vectors = np.vstack([vectors.vectors(vocabulary)[0], mean[np.newaxis]])
    column = {word: index for index, word in enumerate(vocabulary)}
    members: list[int] = []
    offsets = [0]
    for sentence in sentences:
        members += sorted({column[word] for word in sentence if word in column}) or [len(vocabulary)]
        offsets.append(len(members))
    table: NDArray[np.float64] = kernels.log_emission(
        kernels.unit_rows(spoken_vectors.astype(np.float64)),
        np.ascontiguousarray(kernels.unit_rows(paper_vectors.astype(np.float64)).T),
        np.array(offsets, np.int64),
        np.array(members, np.int64),
        floor,
    )
    return table
