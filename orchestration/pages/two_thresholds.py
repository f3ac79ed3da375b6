"""What two thresholds of one dataset would keep together: exact counts on a grid of both, from stored scores.

Belongs here: the grid and its counts, in memory that does not grow with the units. Not here: one threshold
alone (what_if.py), the scores (ops), drawing (static/two_thresholds.js).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from assets.declare.thresholds import Knob, Threshold
from ops.metrics.bootstrap import Floats

#: Equal steps from the least to the greatest value to try.
STEPS = 40


class Axis(NamedTuple):
    """A threshold, and its value in params.yaml."""

    threshold: Threshold
    knob: Knob

    @property
    def tried(self) -> list[float]:
        """The values to try and the present one."""
        return sorted({*self.threshold.values, self.knob.value})

    @property
    def values(self) -> list[float]:
        """The values of the grid, those to try among them."""
        steps = np.linspace(self.tried[0], self.tried[-1], STEPS + 1).round(4)
        return sorted({*steps.tolist(), *self.tried})

    def keeps(self, scores: pa.Array) -> Floats:
        """Return for each of N scores and V values of the grid (N x V) 1 where it is kept, else 0."""
        column = scores.to_numpy(zero_copy_only=False)[:, None]
        return np.asarray(self.threshold.rule(column, np.array(self.values)), np.float64)

    def shown(self) -> dict[str, Any]:
        """Return what a page holds of it."""
        return {
            "path": self.knob.path,
            "meaning": self.threshold.meaning,
            "rule": self.threshold.rule.__name__,
            "now": self.knob.value,
            "values": self.values,
            "tried": self.tried,
        }


def two_thresholds(scores: Iterable[pa.Table], first: Axis, second: Axis) -> dict[str, Any]:
    """Return what a page holds of two thresholds that both must keep a unit.

    `scores` are tables of two columns, the score that each threshold is asked of; an infinite one is kept, or
    lost, whatever its threshold is. `counts` are the units kept, a row for each of the second's values, a
    column for each of the first's; `total` counts the units.
    """
    counts, total = np.zeros((len(second.values), len(first.values))), 0
    for table in scores:
        for batch in table.to_batches(max_chunksize=50_000):
            across, up = (
                axis.keeps(column) for axis, column in zip((first, second), batch.columns, strict=True)
            )
            counts += up.T @ across
            total += len(batch)
    return {
        "first": first.shown(),
        "second": second.shown(),
        "units": first.threshold.units,
        "counts": counts.astype(int).tolist(),
        "total": total,
    }


def kept_at(content: Mapping[str, Any], first: float, second: float) -> int:
    """Return how many units two values of the grid keep together."""
    row, column = content["second"]["values"].index(second), content["first"]["values"].index(first)
    kept: int = content["counts"][row][column]
    return kept
