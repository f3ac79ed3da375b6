"""How the extractors were trained: the models of models.json with their learning curves.

Belongs here: curves as charts draw them. Not here: drawing (static/evaluation.js), training (ops/models).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from ops.outcome import Row

#: Points of one line that a page holds: of longer ones, so many at equal distances.
MOST_POINTS = 500

_COLUMNS = (
    "model",
    "architecture",
    "set",
    "steps",
    "best_step",
    "metric",
    "chosen",
    "examples",
    "validation_examples",
)
_TRAINING = "train/"
_REASONS = {
    "epochs": "all epochs were done",
    "steps": "all updates were done",
    "patience": "validation stopped improving",
}


def models(found: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the models, the chosen one first, with a chart for each metric.

    A chart has points [step, epoch, value, line]: "training" and "validation" of one metric share it.
    `left_out` are points of no finite value.
    """
    ordered = sorted(found, key=lambda one: (not one["chosen"], one["model"]))
    return [
        {
            **{name: one[name] for name in _COLUMNS},
            "stopped": _REASONS.get(one["reason"], one["reason"]),
            "best": _finite(one["best"]),
            "judged_on": one.get("judged_on"),
            "charts": _charts(one),
            "left_out": sum(_finite(point["value"]) is None for point in one["curve"]),
        }
        for one in ordered
    ]


def _charts(model: Row) -> list[dict[str, Any]]:
    lines: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for point in model["curve"]:
        metric = point["name"].removeprefix(_TRAINING)
        line = "training" if point["name"].startswith(_TRAINING) else "validation"
        if _finite(point["value"]) is not None:
            lines[metric][line].append(point)
    # The metric that a model was chosen by comes first.
    return [
        {
            "metric": metric,
            "points": [
                [point["step"], point["epoch"], point["value"], line]
                for line, points in sorted(lines[metric].items())
                for point in _thinned(points, model["best_step"])
            ],
        }
        for metric in sorted(lines, key=lambda metric: (metric != model["metric"], metric))
    ]


def _thinned(points: Sequence[Row], best_step: int | None) -> list[Row]:
    """Return a bounded number of points by step, the last and the best one among them."""
    ordered = sorted(points, key=lambda point: point["step"])
    every = math.ceil(len(ordered) / MOST_POINTS) or 1
    last = len(ordered) - 1
    return [
        point for at, point in enumerate(ordered) if (last - at) % every == 0 or point["step"] == best_step
    ]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
