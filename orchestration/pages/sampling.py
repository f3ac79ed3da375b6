"""Which rows of a dataset are shown, where there are too many for one page.

Belongs here: fair shares, and the seeded choice of rows. Not here: what is shown of them (cells.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from orchestration.lineage.ancestry import Ancestry, File, RowPlace
from orchestration.lineage.rows import read

#: The most rows of a dataset that are shown.
LIMIT = 5_000
_SEED = b"rows"


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

    They are spread fairly over tables, months and reasons; within each of these, a hash of the id decides,
    so that the same rows are shown wherever they stand.
    """
    own = [number for number, file in enumerate(ancestry.files) if file.item.name == name]
    if not own:
        return []
    first, last = int(ancestry.starts[own[0]]), int(ancestry.starts[own[-1] + 1])
    if last - first <= limit:
        return [ancestry.place(row) for row in range(first, last)]
    numbers: dict[tuple[str, str, str], int] = {}
    group = np.concatenate(
        [_strata(ancestry.files[one], int(np.diff(ancestry.starts)[one]), numbers) for one in own]
    )
    order = np.lexsort((_hashes(ancestry.names(ancestry.own[first:last])), group))
    sizes = np.bincount(group, minlength=len(numbers)).tolist()
    starts = np.cumsum([0, *sizes])
    shares = fair(sizes, limit)
    chosen = [order[starts[one] : starts[one] + share] for one, share in enumerate(shares)]
    return [ancestry.place(first + row) for row in np.sort(np.concatenate(chosen)).tolist()]


def _strata(file: File, rows: int, numbers: dict[tuple[str, str, str], int]) -> npt.NDArray[np.int64]:
    """Return the number of each row's stratum; new strata are added to `numbers`."""
    if file.table != "dropped":
        number = numbers.setdefault((file.table, file.month, ""), len(numbers))
        return np.full(rows, number, np.int64)
    coded = pc.dictionary_encode(read(file.path, ["reason"])["reason"].combine_chunks())
    own = [
        numbers.setdefault((file.table, file.month, reason), len(numbers))
        for reason in coded.dictionary.to_pylist()
    ]
    numbered: npt.NDArray[np.int64] = np.array(own, np.int64)[coded.indices.to_numpy(zero_copy_only=False)]
    return numbered


def _hashes(ids: Sequence[str]) -> npt.NDArray[np.uint64]:
    def hashed(name: str) -> int:
        return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8, key=_SEED).digest(), "big")

    return np.fromiter(map(hashed, ids), np.uint64, len(ids))
