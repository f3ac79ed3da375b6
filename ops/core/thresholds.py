"""Which side of a threshold is kept, and units by the scores that a threshold is asked of.

Belongs here: the rules that ops apply, and the table of scored units. Not here: what is scored, which stands
beside each op, and which thresholds may be looked at (assets/declare/declaration.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import pyarrow as pa

#: Says of a score, or of every score of a NumPy array, whether a threshold keeps it.
ThresholdRule: TypeAlias = Callable[[Any, Any], Any]

#: Units with the score that decides. It is missing where another rule drops the unit whatever the threshold
#: is, and infinite where the unit is kept whatever it is. `text` is what a reader recognises the unit by.
SCORED = pa.schema([("id", pa.string()), ("score", pa.float64()), ("text", pa.string())])


def at_least(score: Any, threshold: Any) -> Any:
    """Keep what scores as much as the threshold, or more."""
    return score >= threshold


def above(score: Any, threshold: Any) -> Any:
    """Keep what scores more than the threshold."""
    return score > threshold


def at_most(score: Any, threshold: Any) -> Any:
    """Keep what scores as much as the threshold, or less."""
    return score <= threshold


def below(score: Any, threshold: Any) -> Any:
    """Keep what scores less than the threshold."""
    return score < threshold


RULES: tuple[ThresholdRule, ...] = (at_least, above, at_most, below)


def scored(units: Iterable[tuple[str, float | None, str]]) -> pa.Table:
    """Return units, given as id, score and text, as a table of `SCORED`."""
    columns = list(zip(*units, strict=True)) or [(), (), ()]
    return pa.table(
        [pa.array(column, kind.type) for column, kind in zip(columns, SCORED, strict=True)], SCORED
    )
