"""Which rows of a dataset are shown, where there are too many for one page.

Belongs here: fair shares, and the seeded choice of rows. Not here: what is shown of them (rows.py).
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
    """Return by what names are sorted where only some can be shown."""
    return hashlib.sha256(name.encode()).hexdigest()


def fair(sizes: Sequence[int], total: int) -> list[int]:
    """Share `total` among claims of these sizes: small claims get all they ask, large ones equal shares.

    What cannot be divided goes to the smaller claims, so that the rare are always there.
    """
    shares, left = [0] * len(sizes), total
    waiting = sorted(range(len(sizes)), key=lambda claim: (sizes[claim], claim))
    for number, claim in enumerate(waiting):
        shares[claim] = min(sizes[claim], -(-left // (len(sizes) - number)))
        left -= shares[claim]
    return shares


def sample(ancestry: Ancestry, name: str, limit: int = LIMIT) -> list[RowPlace]:
    """Return at most `limit` rows of a dataset, in the order of its files.

    They are spread fairly over tables, partitions and reasons; within each of these, a hash of the id
    decides, so that the same rows are shown wherever they stand.
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
    """Return the stratum of each row: table, partition and, of dropped ones, reason."""
    stratum = f"{file.table} {file.partition} "
    if file.table != "dropped":
        return pa.repeat(pa.scalar(stratum, pa.large_string()), rows)
    reasons = read(file.path, ["reason"])["reason"].combine_chunks()
    return pc.binary_join_element_wise(stratum, reasons, "").cast(pa.large_string())


def _hashes(ids: Sequence[str]) -> npt.NDArray[np.uint64]:
    digests = (hashlib.blake2b(name.encode(), digest_size=8, key=b"rows").digest() for name in ids)
    return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64)
