"""The page of talksumm/tuning: how well the model does at every point of the grid of its four knobs.

Belongs here: the points as the page shows them, and what the intervals allow to say. Not here: scoring
(ops/talksumm/align/tuning.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assets.declare.report import Everything, Files
from ops.outcome import Row
from orchestration.lineage.rows import Counted
from orchestration.pages.html import render
from orchestration.pages.reading import rows

DATASET = "talksumm/tuning"
KNOBS = ("lambda", "gamma", "delta", "epsilon")

#: Points of a larger grid are left out of the page, the worst first.
MOST_POINTS = 5_000
_COLUMNS = [*KNOBS, "id", "accuracy", "low", "high", "within_two", "words", "current", "talks"]


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page; without a scored point it names what is missing."""
    points = ranked(rows(everything, DATASET, _COLUMNS))
    best = points[0] if points else None
    current = next((point for point in points if point["current"]), None)
    shown = [point for at, point in enumerate(points) if at < MOST_POINTS or point is current]
    yield render(
        "tuning.html",
        "talksumm/tuning.html",
        "Tuning",
        data={"knobs": KNOBS, "points": shown},
        best=best,
        current=current,
        knobs=KNOBS,
        points=len(points),
        shown=len(shown),
        differs=bool(best and current and differs(best, current)),
        left_out=numbers[DATASET].by_reason if DATASET in numbers else [],
        declared=DATASET in everything,
    )


def ranked(points: Iterable[Row]) -> list[Row]:
    """Return the points, the most accurate first; of equals the current one, then the smaller knobs."""
    return sorted(
        points,
        key=lambda point: (-point["accuracy"], not point["current"], *(point[knob] for knob in KNOBS)),
    )


def differs(best: Row, current: Row) -> bool:
    """Tell whether each of two accuracies lies beyond the 95 % interval of the other."""
    return bool(best["accuracy"] > current["high"] and current["accuracy"] < best["low"])
