"""MinHash of a text, by datasketch.

Belongs here: the signature alone. Not here: which texts it makes near-duplicates (ops/filters/duplicates.py,
ops/wikisum/clones.py).
"""

from __future__ import annotations

from typing import Literal

SCHEME: Literal["affine32"] = "affine32"


def signature(text: str, permutations: int, words: int = 5) -> list[int]:
    """Return the MinHash of the runs of so many words of a text, lower-cased: `permutations` numbers.

    Two texts share a number with a probability that is the Jaccard coefficient of their runs (Broder 1997).
    """
    from datasketch import MinHash

    found = MinHash(num_perm=permutations, seed=1, scheme=SCHEME)
    found.update_batch(run.encode(errors="surrogatepass") for run in sorted(runs(text, words)))
    return [int(value) for value in found.hashvalues]


def runs(text: str, words: int) -> set[str]:
    """Return the runs of so many words of a text, lower-cased; the whole of a shorter one."""
    found = text.lower().split()
    return {" ".join(found[place : place + words]) for place in range(max(len(found) - words + 1, 1))}
