"""Numbers that describe rows (how long, how many, how high a score), and single numbers about a dataset.

Belongs here: reading a named measure from a table of any dataset, its histogram, and scores over all rows.
Not here: expectations (assets/declare/expectations.py) and drawing (pages).
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
#: Bin edges of all other measures grow 1, 2, 5, 10, so that any corpus fits.
GROWING = [0.0, 1.0, *(step * 10.0**power for power in range(9) for step in (2, 5, 10))]


#: A run of characters that are not Unicode white space. RE2's own \s matches ASCII white space only.
WORD = r"[^\s\v\x1C-\x1F\x{85}\p{Z}]+"


def count_words(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return the number of words of each text as int64; a missing text stays missing."""
    return pc.count_substring_regex(texts, WORD).cast(pa.int64())


def measure(table: pa.Table, name: str) -> pa.ChunkedArray:
    """Return a measure as float64: one value per row, or one per list item.

    `column` is the number itself. `column.words` and `column.characters` are the length of a text,
    `column.length` is the number of items in a list. `column.field` is a field of every item of a list of
    structs, and `column.items` is every item of a list of numbers. Missing numbers stay missing. Raises
    KeyError for an unknown column.
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
    """Return the bin edges of a measure. They depend on its name alone, so that versions can be compared."""
    return _UNIT if name.split(".")[-1] in SCORES else GROWING


def histogram(values: pa.ChunkedArray, name: str) -> list[int]:
    """Return the number of values per bin; the outer bins also take values beyond their edges.

    A bin includes its lower edge and excludes its upper one. Missing values and NaN are not counted.
    """
    import numpy as np

    numbers = values.drop_null().to_numpy()
    numbers = numbers[~np.isnan(numbers)]
    bounds = np.array(edges(name))
    places = np.clip(np.searchsorted(bounds, numbers, side="right") - 1, 0, len(bounds) - 2)
    return np.bincount(places, minlength=len(bounds) - 1).tolist()  # type: ignore[no-any-return]


class Sum(NamedTuple):
    """Additive totals of the values of some rows, enough to compute every kind of score."""

    values: int = 0
    total: float = 0.0
    positive: int = 0
    greatest: float | None = None

    @classmethod
    def of(cls, parts: Sequence[Sum]) -> Sum:
        """Return the total of several."""
        greatest = [part.greatest for part in parts if part.greatest is not None]
        return cls(
            sum(part.values for part in parts),
            math.fsum(part.total for part in parts),
            sum(part.positive for part in parts),
            max(greatest, default=None),
        )


@dataclass(frozen=True)
class DatasetScore:
    """A number about the kept rows of a dataset: one measure, over all rows or those that a column selects.

    `mean` is the mean of the values, `share` the fraction above 0, `zeros` the number of zeros (for a measure
    that is never negative), `greatest` the maximum. Missing values and NaN do not count.
    """

    measure: str
    kind: Literal["mean", "share", "zeros", "greatest"] = "mean"
    where: str | None = None
    """A boolean column that selects rows."""

    @property
    def columns(self) -> list[str]:
        """The columns that the score needs."""
        return [self.measure.partition(".")[0], *([self.where] if self.where else [])]

    def read(self, table: pa.Table) -> Sum:
        """Return one table's contribution to the score."""
        chosen = table.filter(table[self.where]) if self.where else table
        values = measure(chosen, self.measure).drop_null()
        numbers = values.filter(pc.invert(pc.is_nan(values))).to_numpy()
        if not len(numbers):
            return Sum()
        # fsum is correctly rounded, so that neither order nor processor changes the sum
        return Sum(len(numbers), math.fsum(numbers), int((numbers > 0).sum()), float(numbers.max()))

    def value(self, sums: Iterable[Sum]) -> float | None:
        """Return the score over all parts, rounded to six decimals; None if there are no values."""
        whole = Sum.of(list(sums))
        if whole.greatest is None:
            return None
        by_kind = {
            "mean": whole.total / whole.values,
            "share": whole.positive / whole.values,
            "zeros": whole.values - whole.positive,
            "greatest": whole.greatest,
        }
        return round(by_kind[self.kind], 6)
