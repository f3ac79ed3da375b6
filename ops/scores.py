"""Single numbers that say how good a dataset is.

Belongs here: adding up a measure part by part, and what is shown of the sum. Not here: reading the measure
(measures.py), and which scores a dataset has (its declaration).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ops.measures import measure


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
