"""The choice of rows to show if a dataset has too many for one page.

Belongs here: fair shares, and the choice of rows by hash. Not here: what is shown of them (rows.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from assets.rows.ancestry import Ancestry, File, RowPlace
from assets.rows.reading import read

#: The most rows of a dataset that are shown.
LIMIT = 5_000


def rank(name: str) -> str:
    """Return the sort key of a name, to choose which names are shown if not all can be."""
    return hashlib.sha256(name.encode()).hexdigest()


def fair(sizes: Sequence[int], total: int) -> list[int]:
    """Divide `total` among claims of these sizes: small claims are met in full, large ones get equal shares.

    The remainder goes to the smaller claims, so that rare strata are always included.
    """
    shares, left = [0] * len(sizes), total
    waiting = sorted(range(len(sizes)), key=lambda claim: (sizes[claim], claim))
    for number, claim in enumerate(waiting):
        shares[claim] = min(sizes[claim], -(-left // (len(sizes) - number)))
        left -= shares[claim]
    return shares


def sample(ancestry: Ancestry, name: str, limit: int = LIMIT) -> list[RowPlace]:
    """Return at most `limit` rows of a dataset, in the order of its files.

    They are spread evenly over tables, partitions and reasons. Within each of these, a hash of the id
    decides, so the choice does not depend on the position of rows.
    """
    numbers = [number for number, file in enumerate(ancestry.files) if file.dataset.name == name]
    if not numbers:
        return []
    first, last = int(ancestry.starts[numbers[0]]), int(ancestry.starts[numbers[-1] + 1])
    if last - first <= limit:
        return [ancestry.place(row) for row in range(first, last)]
    sizes = np.diff(ancestry.starts)
    strata = pa.chunked_array([_strata(ancestry.files[number], int(sizes[number])) for number in numbers])
    group = strata.combine_chunks().dictionary_encode().indices.to_numpy()
    order = np.lexsort((_hashes(ancestry.names(ancestry.own[first:last])), group))
    counts = np.bincount(group).tolist()
    starts = np.cumsum([0, *counts])
    shares = fair(counts, limit)
    chosen = [order[start : start + share] for start, share in zip(starts[:-1], shares, strict=True)]
    return [ancestry.place(first + row) for row in np.sort(np.concatenate(chosen)).tolist()]


def _strata(file: File, rows: int) -> pa.Array:
    """Return the stratum of each row: its table, its partition and, for dropped rows, its reason."""
    stratum = f"{file.table} {file.partition} "
    if file.table != "dropped":
        return pa.repeat(pa.scalar(stratum, pa.large_string()), rows)
    reasons = read(file.path, ["reason"])["reason"].combine_chunks()
    return pc.binary_join_element_wise(stratum, reasons, "").cast(pa.large_string())


def _hashes(ids: Sequence[str]) -> npt.NDArray[np.uint64]:
    digests = (hashlib.blake2b(name.encode(), digest_size=8, key=b"rows").digest() for name in ids)
    return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64)
