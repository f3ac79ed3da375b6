"""Splits in which no sentence stands twice, nor a near-duplicate of it.

Belongs here: clusters of pairs, and the split of each. Not here: which pairs there are (paraphrases.py).

A cluster is what hangs together by a sentence or a near-duplicate of it (near_duplicates.py), or by what a
method puts together: the paper of a pair within it, the term of two definitions, the paper that two sentences
cite. Citing papers do not connect: they cite so much that nearly all pairs would be one cluster.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from ops.core.sampling import drawn
from ops.core.splits import Split


def clusters(links: Sequence[Iterable[Hashable]]) -> list[int]:
    """Return the number of the cluster of each of N pairs, given what each is linked by; by first pair."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    numbers: dict[Hashable, int] = {}
    ends = [
        (place, len(links) + numbers.setdefault(link, len(numbers)))
        for place, several in enumerate(links)
        for link in several
    ]
    size = len(links) + len(numbers)
    rows, columns = np.array(ends, np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(rows), bool), (rows, columns)), shape=(size, size))
    found = connected_components(graph, directed=False)[1][: len(links)]
    order: dict[int, int] = {}
    return [order.setdefault(int(label), len(order)) for label in found]


def split_of_clusters(names: Sequence[str], shares: Mapping[Split, float], seed: int) -> dict[str, Split]:
    """Return the split of each cluster, given the cluster's name of each pair.

    Clusters are dealt out from the largest on, each to the split that lacks most of its share; so shares are
    met as well as the largest cluster allows. Among clusters of one size seed and name decide the order.
    """
    sizes = Counter(names)
    filled: dict[Split, int] = defaultdict(int)
    found: dict[str, Split] = {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], drawn(seed, name))):
        split = max(shares, key=lambda split: shares[split] * len(names) - filled[split])
        filled[split] += sizes[name]
        found[name] = split
    return found
