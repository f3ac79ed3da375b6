"""What became of each row between two versions of a dataset.

Belongs here: matching rows by id over the three tables. Part files of one MD5 are never read. Not here:
comparing their content (contents.py), where files are (revisions.py), what is said of it (compare.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from orchestration.files.parquet import TABLES
from orchestration.versions.contents import Spot, compare
from orchestration.versions.revisions import Version

#: What became of kept rows; of input units; of what is stored as dropped or rejected.
KINDS = ("added", "removed", "changed", "re-reasoned", "loss added", "loss removed", "loss changed")

Numbers = npt.NDArray[np.int64]


class Case(NamedTuple):
    """One row that is not as it was: where it stood and stands, and its fate before and now."""

    id: str
    month: str
    old: Spot | None
    new: Spot | None
    fates: tuple[str, str]


@dataclass
class VersionDifference:
    """All that differs: counts of everything, and the first `limit` cases of each kind by id."""

    limit: int
    months: dict[str, Counter[str]] = field(default_factory=dict)
    moves: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Units by their former fate and the present one: `kept`, `dropped: <reason>`, `rejected`."""
    columns: Counter[str] = field(default_factory=Counter)
    """Changed kept rows by the columns in which they changed."""
    new_columns: list[str] = field(default_factory=list)
    lost_columns: list[str] = field(default_factory=list)
    cases: dict[str, list[Case]] = field(default_factory=dict)
    files: int = 0
    files_same: int = 0

    def total(self, kind: str) -> int:
        """Return the number of cases of a kind over all months."""
        return sum(counts[kind] for counts in self.months.values())


@dataclass(frozen=True)
class _Rows:
    """The rows of some tables of one version, in files that the other version does not have."""

    files: list[str]
    ends: Numbers
    ids: pa.Array
    fates: pa.Array
    sources: pa.ListArray

    def spots(self, index: Numbers) -> list[Spot]:
        """Return where rows stand."""
        places = np.searchsorted(self.ends, index, "right")
        starts = np.concatenate([[0], self.ends])[places]
        return [Spot(self.files[file], int(row)) for file, row in zip(places, index - starts, strict=True)]

    def months(self, index: Numbers) -> Counter[str]:
        """Return how many of these rows stand in each month."""
        sums = np.bincount(np.searchsorted(self.ends, index, "right"), minlength=len(self.files))
        counts: Counter[str] = Counter()
        for file, rows in zip(self.files, sums.tolist(), strict=True):
            if rows:
                counts[month_of(file)] += rows
        return counts

    def using(self, units: pa.Array) -> Numbers:
        """Return, for each unit, a row that it is or that was made of it, else -1."""
        own = _find(units, self.ids)
        parents = self.sources.value_parent_indices().to_numpy().astype(np.int64)
        source = _find(units, self.sources.flatten())
        made = np.where(source >= 0, parents[source] if len(parents) else -1, -1)
        return np.where(own >= 0, own, made)


def difference(old: Version, new: Version, limit: int = 10) -> VersionDifference:
    """Compare two versions of a dataset; `limit` bounds the cases that are kept of each kind.

    A unit is re-reasoned where it is dropped or rejected in one version, and in the other has another reason
    or is used by a kept row. That is counted beside the rows: a kept row is made of any number of units, and
    is added or removed whatever became of them. Raises NotInCacheError where a file is not here, ValueError
    where one is no Parquet.
    """
    found = VersionDifference(limit)
    before, after = _differing(old.files, new.files)
    found.files = sum(1 for file in new.files if table_of(file))
    found.files_same = found.files - len(after)
    kept = _read(old, before, "kept"), _read(new, after, "kept")
    lost = _read(old, before, "dropped", "rejected"), _read(new, after, "dropped", "rejected")
    _lost(found, (old, new), kept, lost)
    _kept(found, (old, new), kept)
    return found


def table_of(file: str) -> str | None:
    """Return the table that a file of a dataset is a part of."""
    name = file.rpartition("/")[2]
    return next(
        (table for table in TABLES if name.startswith(f"{table}-") and name.endswith(".parquet")), None
    )


def month_of(file: str) -> str:
    """Return the month that a file of a dataset belongs to; "" where it has no months."""
    return file.rpartition("/")[0]


_Both = tuple[_Rows, _Rows]


def _lost(found: VersionDifference, versions: tuple[Version, Version], kept: _Both, lost: _Both) -> None:
    """Follow the units that either version lost."""
    old, new = lost
    place = _find(old.ids, new.ids)
    both = np.flatnonzero(place >= 0)
    was, now = old.fates.take(pa.array(both)), new.fates.take(pa.array(place[both]))
    moved = pc.not_equal(was, now).to_numpy(zero_copy_only=False)
    one, other = both[moved], place[both][moved]
    fates = was.filter(pa.array(moved)), now.filter(pa.array(moved))
    _add(found, "re-reasoned", old.ids, one, (old, one), (new, other), fates)
    one, other = both[~moved], place[both][~moved]
    same = compare(versions, (old.spots(one), new.spots(other)))
    one, other = one[same.rows], other[same.rows]
    _add(found, "loss changed", old.ids, one, (old, one), (new, other))

    gone, came = np.flatnonzero(place < 0), np.flatnonzero(_find(new.ids, old.ids) < 0)
    user = kept[1].using(old.ids.take(pa.array(gone)))
    back, target = gone[user >= 0], user[user >= 0]
    fates = old.fates.take(pa.array(back)), _constant("kept", len(back))
    _add(found, "re-reasoned", old.ids, back, (old, back), (kept[1], target), fates)
    away = gone[user < 0]
    _add(found, "loss removed", old.ids, away, (old, away), None)

    user = kept[0].using(new.ids.take(pa.array(came)))
    left, target = came[user >= 0], user[user >= 0]
    fates = _constant("kept", len(left)), new.fates.take(pa.array(left))
    _add(found, "re-reasoned", new.ids, left, (kept[0], target), (new, left), fates)
    fresh = came[user < 0]
    _add(found, "loss added", new.ids, fresh, None, (new, fresh))


def _kept(found: VersionDifference, versions: tuple[Version, Version], kept: _Both) -> None:
    """Compare the kept rows by id."""
    old, new = kept
    place = _find(old.ids, new.ids)
    both = np.flatnonzero(place >= 0)
    seen = compare(versions, (old.spots(both), new.spots(place[both])))
    one, other = both[seen.rows], place[both][seen.rows]
    _add(found, "changed", old.ids, one, (old, one), (new, other))
    found.columns, found.new_columns, found.lost_columns = seen.columns, seen.new_columns, seen.lost_columns
    gone = np.flatnonzero(place < 0)
    _add(found, "removed", old.ids, gone, (old, gone), None)
    came = np.flatnonzero(_find(new.ids, old.ids) < 0)
    _add(found, "added", new.ids, came, None, (new, came))


def _add(
    found: VersionDifference,
    kind: str,
    names: pa.Array,
    index: Numbers,
    old: tuple[_Rows, Numbers] | None,
    new: tuple[_Rows, Numbers] | None,
    fates: tuple[pa.Array, pa.Array] | None = None,
) -> None:
    """Count rows of one kind, named by `names` at `index`, and keep the first ones by id."""
    ids = names.take(pa.array(index))
    present = new or old
    assert present is not None
    rows, places = present
    for month, count in rows.months(places).items():
        found.months.setdefault(month, Counter())[kind] += count
    pairs = list(zip(fates[0].to_pylist(), fates[1].to_pylist(), strict=True)) if fates else []
    found.moves.update(pairs)
    first = pc.array_sort_indices(ids).to_numpy()[: found.limit].astype(np.int64)
    was = old[0].spots(old[1][first]) if old else [None] * len(first)
    now = new[0].spots(new[1][first]) if new else [None] * len(first)
    stands = rows.spots(places[first])
    cases = [
        Case(ids[one].as_py(), month_of(stands[at].file), was[at], now[at], pairs[one] if pairs else ("", ""))
        for at, one in enumerate(first.tolist())
    ]
    found.cases[kind] = sorted([*found.cases.get(kind, []), *cases])[: found.limit]


def _differing(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the part files of either version of which the other has no equal one, in order."""

    def left(mine: Mapping[str, str], others: Mapping[str, str]) -> list[str]:
        equal = Counter((table_of(file), md5) for file, md5 in others.items())
        files = []
        for file in sorted(file for file in mine if table_of(file)):
            mark = (table_of(file), mine[file])
            if equal[mark]:
                equal[mark] -= 1
            else:
                files.append(file)
        return files

    return left(old, new), left(new, old)


def _read(version: Version, files: list[str], *wanted: str) -> _Rows:
    """Read ids, sources and fates of some tables."""
    chosen = [file for file in files if table_of(file) in wanted]
    ids, fates, sources, sizes = [], [], [], []
    for file in chosen:
        table = table_of(file)
        extra = ["source_ids"] if table == "kept" else ["reason"] if table == "dropped" else []
        part = version.read(file, ["id", *extra])
        sizes.append(len(part))
        ids.append(part["id"])
        if table == "kept":
            sources.append(part["source_ids"])
        elif table == "dropped":
            fates.append(pc.binary_join_element_wise("dropped: ", part["reason"], ""))
        else:
            fates.append(pa.chunked_array([_constant("rejected", len(part))]))
    text = pa.string()
    return _Rows(
        chosen,
        np.cumsum(np.array(sizes, np.int64)),
        _joined(ids, text),
        _joined(fates, text),
        _joined(sources, pa.list_(text)),
    )


def _joined(columns: list[pa.ChunkedArray], kind: pa.DataType) -> pa.Array:
    chunks = [chunk.cast(kind) for column in columns for chunk in column.chunks]
    return pa.concat_arrays(chunks) if chunks else pa.array([], kind)


def _constant(text: str, times: int) -> pa.Array:
    return pa.repeat(pa.scalar(text, pa.string()), times)


def _find(names: pa.Array, among: pa.Array) -> Numbers:
    """Return where each name first stands among others, else -1."""
    places: Numbers = pc.index_in(names, value_set=among).fill_null(-1).to_numpy().astype(np.int64)
    return places
