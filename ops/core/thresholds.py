"""Threshold rules (which side is kept), and tables of scored units.

Belongs here: the rules that ops apply, and the table of scored units. Not here: what is scored (next to each
op), and which thresholds the pages explore (assets/declare/declaration.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import pyarrow as pa

#: Says for a score, or for each score of a NumPy array, whether a threshold keeps it.
ThresholdRule: TypeAlias = Callable[[Any, Any], Any]

#: Units with the score that the threshold is compared with. The score is missing if another rule drops the
#: unit at any threshold, and infinite if the unit is kept at any threshold. `text` helps a reader recognise
#: the unit.
SCORED = pa.schema([("id", pa.string()), ("score", pa.float64()), ("text", pa.string())])


def at_least(score: Any, threshold: Any) -> Any:
    """Keep scores equal to or above the threshold."""
    return score >= threshold


def above(score: Any, threshold: Any) -> Any:
    """Keep scores above the threshold."""
    return score > threshold


def at_most(score: Any, threshold: Any) -> Any:
    """Keep scores equal to or below the threshold."""
    return score <= threshold


def below(score: Any, threshold: Any) -> Any:
    """Keep scores below the threshold."""
    return score < threshold


RULES: tuple[ThresholdRule, ...] = (at_least, above, at_most, below)


def scored(units: Iterable[tuple[str, float | None, str]]) -> pa.Table:
    """Return units, given as id, score and text, as a table of `SCORED`."""
    columns = list(zip(*units, strict=True)) or [(), (), ()]
    return pa.table(
        [pa.array(column, kind.type) for column, kind in zip(columns, SCORED, strict=True)], SCORED
    )
