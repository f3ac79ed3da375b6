"""References of one article that say nearly the same.

Belongs here: MinHash of a text, and which texts repeat an earlier one, by datasketch. Not here: whether that
is asked for (references.py, corpus.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

_WORDS = 5
_SCHEME: Literal["affine32"] = "affine32"


def signature(text: str, permutations: int) -> list[int]:
    """Return the MinHash of the runs of five words of a text, lower-cased."""
    from datasketch import MinHash

    words = text.lower().split()
    runs = {" ".join(words[place : place + _WORDS]) for place in range(max(len(words) - _WORDS + 1, 1))}
    found = MinHash(num_perm=permutations, seed=1, scheme=_SCHEME)
    found.update_batch(run.encode(errors="surrogatepass") for run in sorted(runs))
    return [int(value) for value in found.hashvalues]


def repeated(signatures: Sequence[Sequence[int]], similarity: float) -> dict[int, tuple[int, float]]:
    """Return the texts that repeat an earlier one, with the first such and how similar it is.

    Similar is an estimated Jaccard coefficient of `similarity` or more; a text that is repeated itself is
    compared with nothing.
    """
    from datasketch import MinHash, MinHashLSH

    if not signatures:
        return {}
    size = len(signatures[0])
    near = MinHashLSH(threshold=similarity, num_perm=size)
    found: dict[int, tuple[int, float]] = {}
    for index, values in enumerate(signatures):
        text = MinHash(num_perm=size, seed=1, scheme=_SCHEME, hashvalues=np.array(values, np.uint64))
        close = sorted(
            (other, _similarity(values, signatures[other]))
            for other in near.query(text)
            if _similarity(values, signatures[other]) >= similarity
        )
        if close:
            found[index] = close[0]
        else:
            near.insert(index, text)
    return found


def _similarity(one: Sequence[int], other: Sequence[int]) -> float:
    return float(np.mean(np.asarray(one) == np.asarray(other)))
