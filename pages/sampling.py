"""The choice of rows to show if a dataset has too many for one page.

Belongs here: fair shares, and the choice of rows by hash. Not here: what is shown of them (rows.py).
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from silverloom.assets.rows.ancestry import Ancestry, File, RowPlace
from silverloom.assets.rows.reading import read, value_counts
from silverloom.ops.core.parts import Part

#: The most rows of a dataset that are shown.
LIMIT = 5_000

#: A row, to be chosen by its hash: that, the number of its file, its number there, all negative, and its id.
_Entry: TypeAlias = tuple[int, int, int, str]


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
    decides, so the choice does not depend on the position of rows. Memory holds one file and the chosen rows.
    """
    files = [file for file in ancestry.files if file.dataset.name == name]
    sizes = value_counts(map(_strata, files))
    shares = dict(zip(sizes, fair([*sizes.values()], limit), strict=True))
    chosen: dict[str, list[_Entry]] = {stratum: [] for stratum in sizes}
    for number, file in enumerate(files):
        ids, strata = read(file.path, ["id"])["id"], _strata(file)
        for stratum in pc.unique(strata).to_pylist():
            rows = pc.indices_nonzero(pc.equal(strata, stratum))
            _choose(chosen[stratum], shares[stratum], number, rows.to_pylist(), ids.take(rows).to_pylist())
    places = sorted((-file, -row, id) for entries in chosen.values() for _, file, row, id in entries)
    return [RowPlace(files[number], row, id) for number, row, id in places]


def _choose(chosen: list[_Entry], share: int, file: int, rows: Sequence[int], ids: Sequence[str]) -> None:
    """Add rows of a file to those chosen, a heap of at most `share` entries with the largest hash first."""
    hashes = _hashes(ids)
    small = hashes <= -chosen[0][0] if share and len(chosen) == share else np.full(len(ids), share > 0)
    for at in np.flatnonzero(small).tolist():
        entry = (-int(hashes[at]), -file, -rows[at], ids[at])
        if len(chosen) < share:
            heapq.heappush(chosen, entry)
        else:
            heapq.heappushpop(chosen, entry)


def _strata(file: File) -> pa.Array:
    """Return the stratum of each row: its table, its partition and, for dropped rows, its reason."""
    stratum = f"{file.table} {file.partition} "
    if file.table != "dropped":
        return pa.repeat(pa.scalar(stratum, pa.large_string()), Part(str(file.path)).rows)
    reasons = read(file.path, ["reason"])["reason"].combine_chunks()
    return pc.binary_join_element_wise(stratum, reasons, "").cast(pa.large_string())


def _hashes(ids: Sequence[str]) -> npt.NDArray[np.uint64]:
    digests = (hashlib.blake2b(name.encode(), digest_size=8, key=b"rows").digest() for name in ids)
    return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64)
