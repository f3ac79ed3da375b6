"""Numbers that describe rows (how long, how many, how high a score), and single numbers about a dataset.

Belongs here: reading a named measure off a table of any dataset, its histogram, and scores over all rows. Not
here: what is expected of it (assets/declare/expectations.py) and how it is drawn (pages).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

#: Measures that are shares or similarities: 50 bins of equal width from 0 to 1.
SCORES = frozenset({"score", "similarity", "accuracy", "low", "high", "within_two"})
_UNIT = [index / 50 for index in range(51)]
#: All others: bins that grow 1, 2, 5, 10, so that any corpus fits.
GROWING = [0.0, 1.0, *(step * 10.0**power for power in range(9) for step in (2, 5, 10))]


#: What stands between white space as Unicode has it; RE2's own \s knows that of ASCII alone.
WORD = r"[^\s\v\x1C-\x1F\x{85}\p{Z}]+"


def count_words(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return the number of words of each text as int64; a missing text stays missing."""
    return pc.count_substring_regex(texts, WORD).cast(pa.int64())


def measure(table: pa.Table, name: str) -> pa.ChunkedArray:
    """Return a measure as float64, one value a row, or one an item where it looks into a list.

    `column` is the number in it; `column.words` and `column.characters` the length of a text;
    `column.length` the number of items in a list; `column.field` a field of every item of a list, and
    `column.items` every item of a list of numbers. A missing number stays missing. Raises KeyError for a
    column that is not there.
    """
    name, _, part = name.partition(".")
    column = table[name]
    if not part:
        return column.cast(pa.float64())
    if part == "words":
        return count_words(column).cast(pa.float64())
    if part == "characters":
        return pc.utf8_length(column).cast(pa.float64())
    if part == "length":
        return pc.list_value_length(column).cast(pa.float64())
    items = pc.list_flatten(column)
    return (items if part == "items" else pc.struct_field(items, part)).cast(pa.float64())


def edges(name: str) -> list[float]:
    """Return the edges of a measure's bins, which depend on its name alone: versions can be compared."""
    return _UNIT if name.split(".")[-1] in SCORES else GROWING


def histogram(values: pa.ChunkedArray, name: str) -> list[int]:
    """Return how many values lie in each bin; the last bin takes what is higher, the first what is lower.

    A bin holds its lower edge and not its upper one. Missing values and NaN are in no bin.
    """
    import numpy as np

    found = values.drop_null().to_numpy()
    found = found[~np.isnan(found)]
    bounds = np.array(edges(name))
    places = np.clip(np.searchsorted(bounds, found, side="right") - 1, 0, len(bounds) - 2)
    return np.bincount(places, minlength=len(bounds) - 1).tolist()  # type: ignore[no-any-return]


class Sum(NamedTuple):
    """What is kept of the values of some rows: enough for every kind of score, and it adds up."""

    values: int = 0
    total: float = 0.0
    positive: int = 0
    greatest: float | None = None

    @classmethod
    def of(cls, parts: Sequence[Sum]) -> Sum:
        """Return the sum of several."""
        greatest = [part.greatest for part in parts if part.greatest is not None]
        return cls(
            sum(part.values for part in parts),
            math.fsum(part.total for part in parts),
            sum(part.positive for part in parts),
            max(greatest, default=None),
        )


@dataclass(frozen=True)
class DatasetScore:
    """A number about the kept rows of a dataset: of one measure, over all rows or those that a column marks.

    `mean` of its values, the `share` of them above 0, the number of `zeros` (of a measure that is never
    below 0), or the `greatest`. Missing values and NaN do not count.
    """

    measure: str
    kind: Literal["mean", "share", "zeros", "greatest"] = "mean"
    where: str | None = None
    """A column of booleans."""

    @property
    def columns(self) -> list[str]:
        """The columns that it is read from."""
        return [self.measure.partition(".")[0], *([self.where] if self.where else [])]

    def read(self, table: pa.Table) -> Sum:
        """Return what one table adds to the score."""
        chosen = table.filter(table[self.where]) if self.where else table
        values = measure(chosen, self.measure).drop_null()
        found = values.filter(pc.invert(pc.is_nan(values))).to_numpy()
        if not len(found):
            return Sum()
        # fsum: the correctly rounded sum, whatever the order and the processor
        return Sum(len(found), math.fsum(found), int((found > 0).sum()), float(found.max()))

    def value(self, sums: Iterable[Sum]) -> float | None:
        """Return the score over all parts, six decimals of it; None where there is no value at all."""
        whole = Sum.of(list(sums))
        if whole.greatest is None:
            return None
        found = {
            "mean": whole.total / whole.values,
            "share": whole.positive / whole.values,
            "zeros": whole.values - whole.positive,
            "greatest": whole.greatest,
        }
        return round(found[self.kind], 6)
