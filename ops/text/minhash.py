"""MinHash of a text, with datasketch.

Belongs here: only the signature. Not here: which texts are near-duplicates (ops/filters/duplicates.py,
ops/wikisum/clones.py).
"""

from __future__ import annotations

from typing import Literal

from silverloom.ops.text.words import visible

SCHEME: Literal["affine32"] = "affine32"


def signature(text: str, permutations: int, words: int = 5) -> list[int]:
    """Return the MinHash of a text's runs of `words` words, lower-cased: `permutations` numbers.

    The probability that two texts agree in a number is the Jaccard coefficient of their runs (Broder 1997).
    """
    from datasketch import MinHash

    sketch = MinHash(num_perm=permutations, seed=1, scheme=SCHEME)
    sketch.update_batch(run.encode(errors="surrogatepass") for run in sorted(runs(text, words)))
    return [int(value) for value in sketch.hashvalues]


def runs(text: str, words: int) -> set[str]:
    """Return the runs of `words` words in a text, lower-cased; a shorter text is a single run."""
    tokens = visible(text).lower().split()
    return {" ".join(tokens[place : place + words]) for place in range(max(len(tokens) - words + 1, 1))}
