"""How models were trained: the models of models.json with their learning curves.

Belongs here: curves as charts draw them. Not here: drawing (static/curves.js), training (ops/models).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ops.outcome import Row

#: Points of one line that a page holds: of longer ones, so many at equal distances.
MOST_POINTS = 500

_COLUMNS = (
    "model", "architecture", "set", "steps", "best_step", "metric", "chosen",
    "examples", "validation_examples",
)  # fmt: skip
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
    return [
        {
            **{name: model[name] for name in _COLUMNS},
            "stopped": _REASONS.get(model["reason"], model["reason"]),
            "best": model["best"] if _is_finite(model["best"]) else None,
            "judged_on": model.get("judged_on"),
            "charts": _charts(model),
            "left_out": sum(not _is_finite(point["value"]) for point in model["curve"]),
        }
        for model in sorted(found, key=lambda model: (not model["chosen"], model["model"]))
    ]


def _charts(model: Row) -> list[dict[str, Any]]:
    """Return a chart for each metric: the one that the model was chosen by comes first."""
    lines: dict[tuple[str, str], list[Row]] = {}
    for point in sorted(model["curve"], key=lambda point: point["step"]):
        metric = point["name"].removeprefix("train/")
        if _is_finite(point["value"]):
            line = "validation" if metric == point["name"] else "training"
            lines.setdefault((metric, line), []).append(point)
    charts: dict[str, list[list[Any]]] = {}
    for metric, line in sorted(lines, key=lambda key: (key[0] != model["metric"], key)):
        charts.setdefault(metric, []).extend(
            [point["step"], point["epoch"], point["value"], line]
            for point in _thinned(lines[metric, line], model["best_step"])
        )
    return [{"metric": metric, "points": points} for metric, points in charts.items()]


def _thinned(points: Sequence[Row], best_step: int | None) -> list[Row]:
    """Return a bounded number of points, the last and the best one among them."""
    every, last = math.ceil(len(points) / MOST_POINTS), len(points) - 1
    return [
        point for at, point in enumerate(points) if (last - at) % every == 0 or point["step"] == best_step
    ]


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
