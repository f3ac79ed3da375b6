"""Whether rows say the same, column by column, whatever their types.

Belongs here: comparing rows of two versions that have been matched. Not here: matching them (difference.py).
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from orchestration.versions.revisions import Version

#: Part files that are held at once.
_HELD = 8

RowMask = npt.NDArray[np.bool_]


class Spot(NamedTuple):
    """A row: its file, as a path below the dataset's folder, and its number there."""

    file: str
    row: int


@dataclass
class Seen:
    """Which of the compared rows differ, in how many rows each column does, and columns that only one has."""

    rows: RowMask
    columns: Counter[str] = field(default_factory=Counter)
    new_columns: list[str] = field(default_factory=list)
    lost_columns: list[str] = field(default_factory=list)


class Reader:
    """Part files of a version, the last few of them held in memory."""

    def __init__(self, version: Version) -> None:
        self._version = version
        self._held: OrderedDict[str, pa.Table] = OrderedDict()

    def table(self, file: str) -> pa.Table:
        """Return a part file, whole. Raises as `Version.read` does."""
        if file not in self._held:
            self._held[file] = self._version.read(file)
            if len(self._held) > _HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(file)
        return self._held[file]

    def row(self, spot: Spot) -> dict[str, Any]:
        """Return one row."""
        (found,) = self.table(spot.file).slice(spot.row, 1).to_pylist()
        return dict(found)


def compare(versions: tuple[Version, Version], spots: tuple[Sequence[Spot], Sequence[Spot]]) -> Seen:
    """Compare rows of the old version with those of the new one, pair by pair.

    Only the columns that both have count. Of any two files at most the rows that are compared are copied.
    """
    old, new = Reader(versions[0]), Reader(versions[1])
    seen = Seen(np.zeros(len(spots[0]), bool))
    groups: dict[tuple[str, str], list[int]] = {}
    for index, (before, after) in enumerate(zip(*spots, strict=True)):
        groups.setdefault((before.file, after.file), []).append(index)
    columns: tuple[set[str], set[str]] = (set(), set())
    for (file, partner), members in groups.items():
        tables = old.table(file), new.table(partner)
        rows = [pa.array([spots[side][index].row for index in members], pa.int64()) for side in (0, 1)]
        for name in tables[0].column_names:
            if name in tables[1].column_names:
                pair = [table[name].combine_chunks().take(at) for table, at in zip(tables, rows, strict=True)]
                differs = unequal(pair[0], pair[1])
                seen.columns[name] += int(differs.sum())
                seen.rows[np.array(members)[differs]] = True
        for side in (0, 1):
            columns[side].update(tables[side].column_names)
    seen.columns = +seen.columns
    seen.new_columns, seen.lost_columns = sorted(columns[1] - columns[0]), sorted(columns[0] - columns[1])
    return seen


def unequal(one: pa.Array, other: pa.Array) -> RowMask:
    """Return where two arrays of one length differ. Two missing values are equal, and so are two NaNs."""
    if one.type != other.type:
        pairs = zip(one.to_pylist(), other.to_pylist(), strict=True)
        return np.array([a != b and not (a != a and b != b) for a, b in pairs], bool)
    differs: RowMask = one.is_valid().to_numpy(False) != other.is_valid().to_numpy(False)
    kind = one.type
    if pa.types.is_struct(kind):
        for index in range(kind.num_fields):
            differs |= unequal(pc.struct_field(one, index), pc.struct_field(other, index))
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        sizes = [pc.list_value_length(side).fill_null(0).to_numpy() for side in (one, other)]
        differs |= sizes[0] != sizes[1]
        alike = ~differs
        inner = unequal(*(side.filter(pa.array(alike)).flatten() for side in (one, other)))
        rows = np.repeat(np.flatnonzero(alike), sizes[0][alike])
        differs[rows[inner]] = True
    else:
        values = pc.not_equal(one, other).fill_null(False).to_numpy(False)
        if pa.types.is_floating(kind):
            nan = pc.and_(pc.is_nan(one), pc.is_nan(other)).fill_null(False).to_numpy(False)
            values = values & ~nan
        differs |= values
    return differs
