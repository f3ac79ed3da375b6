"""Random draws that depend on seed and name alone, never on the rest of a corpus, and splits by shares.

Belongs here: the hash behind every draw, stratified samples, the names of the splits, their shares as params,
and the split of a name or of a number between 0 and 1. Not here: the choice of strata and of what is split
(the systems).
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, Literal, Self, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.params import Params

Split: TypeAlias = Literal["train", "validation", "test"]

SPLITS: tuple[Split, ...] = ("train", "validation", "test")

#: Names of splits in files and columns.
SPLIT_NAMES: Mapping[str, Split] = {
    "train": "train",
    "tune": "validation",
    "dev": "validation",
    "val": "validation",
    "valid": "validation",
    "validation": "validation",
    "test": "test",
}


class SplitShares(Params):
    """Shares of validation and test; the rest is for training. Raises ValueError if no rest is left."""

    validation: float = Field(0.1, ge=0, lt=1)
    """Share of the validation split."""
    test: float = Field(0.1, ge=0, lt=1)
    """Share of the test split."""
    seed: int = Field(0, ge=0, description="another one splits in another way")

    @model_validator(mode="after")
    def _some_left(self) -> Self:
        if self.validation + self.test >= 1:
            raise ValueError(
                f"validation ({self.validation}) and test ({self.test}) leave nothing to train on"
            )
        return self


def split_of(name: str, shares: SplitShares) -> Split:
    """Return the split of a name. It does not depend on other names."""
    return split_at(place_of(shares.seed, name), shares.validation, shares.test)


def split_at(place: float, validation: float, test: float = 0.0) -> Split:
    """Return the split of a number from 0 to 1. Shares hold on average only; small sets may lack a split."""
    if place < test:
        return "test"
    return "validation" if place < test + validation else "train"


Stratum = tuple[str, ...]


def sample(table: pa.Table, size: int, seed: int, strata: Sequence[str] = ()) -> pa.Table:
    """Return `size` rows (or all, if there are fewer), sorted by id, whatever the order of `table`.

    A stratum is the rows with equal values in the columns `strata`; a missing value counts as a value. Each
    stratum gives its share, rounded by largest remainder. Ties go to the stratum whose values sort first.
    Within a stratum, rows are drawn by a hash of seed and id. Raises ValueError for a negative size, and for
    missing or duplicate ids.
    """
    if size < 0:
        raise ValueError(f"a sample of {size} rows")
    ids = table["id"].to_pylist()
    if len(set(ids)) < len(ids) or None in ids:
        raise ValueError("rows are sampled by id: each needs one of its own")
    keys = (
        zip(*(map(repr, table[name].to_pylist()) for name in strata), strict=True)
        if strata
        else [()] * len(ids)
    )
    members: dict[Stratum, list[int]] = {}
    for row, key in enumerate(keys):
        members.setdefault(key, []).append(row)
    sizes = {key: len(rows) for key, rows in sorted(members.items())}
    taken: list[int] = []
    for key, quota in _proportional(sizes, min(size, len(ids))).items():
        taken += sorted(members[key], key=lambda row: drawn(seed, ids[row]))[:quota]
    taken.sort()
    # Filter instead of take: take concatenates all chunks, and an Arrow string array is limited to 2 GiB.
    sampled = table.filter(
        pc.is_in(pa.array(range(len(ids)), pa.int64()), value_set=pa.array(taken, pa.int64()))
    )
    return sampled.take(pa.array(sorted(range(len(taken)), key=lambda row: ids[taken[row]]), pa.int64()))


def sample_each(
    tables: Iterable[pa.Table], column: str, size: int, seed: int, stratum: str | None = None
) -> list[str]:
    """Return the ids of `size` rows (or all, if there are fewer) of each value of a column, sorted by both.

    Each value of the column `stratum` gives its share of these, as in `sample`. The sample of one value does
    not depend on the rows of another. Memory holds at most `size` ids of each stratum, and one table.
    """
    samples: dict[str, dict[Stratum, list[tuple[bytes, str]]]] = defaultdict(dict)
    sizes: dict[str, Counter[Stratum]] = defaultdict(Counter)
    by = [column, stratum] if stratum else [column]
    for table in tables:
        groups = table.select(["id", *by]).group_by(by).aggregate([("id", "list")])
        for group in groups.to_pylist():
            value, key, ids = group[column], (repr(group[by[-1]]),), group["id_list"]
            drawn_ids = ((drawn(seed, name), name) for name in ids)
            samples[value][key] = heapq.nsmallest(size, chain(samples[value].get(key, ()), drawn_ids))
            sizes[value][key] += len(ids)
    names: list[str] = []
    for value, of_strata in sorted(samples.items()):
        counts = dict(sorted(sizes[value].items()))
        quotas = _proportional(counts, min(size, sizes[value].total()))
        names += sorted(name for key, quota in quotas.items() for _, name in of_strata[key][:quota])
    return names


def sample_names(names: Iterable[str], size: int, seed: int) -> list[str]:
    """Return `size` names (or all, if there are fewer) in draw order; only these are held in memory."""
    return heapq.nsmallest(size, names, key=lambda name: drawn(seed, name))


def sample_rows(rows: Iterable[Row], size: int | None, seed: int) -> list[Row]:
    """Return `size` rows (or all, if there are fewer) by their ids, in draw order; None returns all rows.

    Only these are held in memory.
    """

    def place(row: Row) -> bytes:
        return drawn(seed, row["id"])

    return sorted(rows, key=place) if size is None else heapq.nsmallest(size, rows, key=place)


def drawn(seed: int, *names: Any) -> bytes:
    """Return the sort key of a random order: a hash of the seed and names."""
    return hashlib.blake2b(repr((seed, *names)).encode(), digest_size=16).digest()


def place_of(seed: int, *names: Any) -> float:
    """Return a number from 0 to 1, uniformly distributed over names."""
    return unit_interval(drawn(seed, *names))


def unit_interval(digest: bytes) -> float:
    """Return the first 8 bytes of a hash as a number from 0 to 1."""
    return int.from_bytes(digest[:8], "big") / 2**64


def _proportional(sizes: Mapping[Stratum, int], size: int) -> dict[Stratum, int]:
    total = sum(sizes.values())
    shares = {key: Fraction(size * count, total) for key, count in sizes.items()}
    quotas = {key: int(share) for key, share in shares.items()}
    by_remainder = sorted(shares, key=lambda key: quotas[key] - shares[key])
    for key in by_remainder[: size - sum(quotas.values())]:
        quotas[key] += 1
    return quotas
