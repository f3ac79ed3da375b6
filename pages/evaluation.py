"""Evaluations on pages: tables of scores, tests and ratings, and learning curves.

Belongs here: the tables that templates/evaluation.html draws, and the learning curves of models.json. Not
here: names of systems and questions (systems/), drawing curves (static/curves.js), any computation
(ops/evaluation, ops/metrics, ops/models).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

from silverloom.assets.declare.graph import Everything
from silverloom.assets.rows.reading import Counted, side_file
from silverloom.ops.core.outcome import Row
from silverloom.ops.evaluation.table import FEW_ITEMS, LEAST_ITEMS, PairedTest
from silverloom.ops.metrics.bootstrap import Comparison, Interval

#: The most raters, and pairs of raters, on a page: those with the most compared rows.
MOST_RATERS = 200
_NUMBER = re.compile(r"−?\d[\d. ]*( %)?")
_AGREEMENT = {
    "agreement": "Agreement of each rater with the majority of the others",
    "pairs": "Agreement of each pair of raters",
}

#: The most points of a line on a page; longer lines are thinned to this many, evenly spaced.
MOST_POINTS = 500
_COLUMNS = (
    "model", "architecture", "set", "steps", "best_step", "metric", "chosen",
    "examples", "validation_examples",
)  # fmt: skip
_REASONS = {
    "epochs": "all epochs done",
    "steps": "all updates done",
    "patience": "validation stopped improving",
}


class Bar(NamedTuple):
    """A mean with its interval on a scale from 0 to `top`."""

    score: Interval
    top: float = 1
    best: bool = False


class TestedDifference(NamedTuple):
    """The difference between two systems by one metric, and the verdict."""

    score: Comparison
    verdict: str


#: None is shown as a dash.
GridCell: TypeAlias = Bar | TestedDifference | int | str | None


class GridLine(NamedTuple):
    """A row of a table."""

    name: str
    cells: Sequence[GridCell] = ()
    about: str = ""
    key: str = ""


class Grid(NamedTuple):
    """A table with a head; `groups` are headings over several columns, each with its number of columns."""

    title: str
    head: Sequence[str]
    lines: Sequence[GridLine]
    kind: str = "scores"
    groups: Sequence[tuple[str, int]] = ()

    @property
    def numeric(self) -> list[bool]:
        """Whether each column holds numbers without intervals, which are aligned right."""
        columns = range(len(self.head) - 1)
        return [False, *(any(_is_number(line.cells[at]) for line in self.lines) for at in columns)]


def bar(score: Interval | Mapping[str, Any] | None) -> Bar | None:
    """Return the cell of a score on a scale to 1; None if there is no score."""
    interval = Interval(**score) if isinstance(score, Mapping) else score
    return None if interval is None or interval.mean is None else Bar(interval)


def bars(
    scores: Sequence[Interval | None], ranked: Sequence[bool] | None = None, top: float | None = None
) -> list[Bar | None]:
    """Return the cells of a column, with the best marked among those that are `ranked`, or among all.

    Without `top`, the scale ends at the highest interval. If all scores are equal, none is marked.
    """
    scale = top or max((score.high for score in scores if score), default=0) or 1
    taking_part = ranked or [True] * len(scores)
    means = [
        score.mean for score, takes_part in zip(scores, taking_part, strict=True) if score and takes_part
    ]
    best = max(means) if len(means) == 1 or len(set(means)) > 1 else None
    return [
        score and Bar(score, scale, takes_part and score.mean == best)
        for score, takes_part in zip(scores, taking_part, strict=True)
    ]


def published_values(folder: str) -> Mapping[str, Any]:
    """Return the numbers of a system's paper, in published.yaml beside a module of the system's pages."""
    values: Mapping[str, Any] = yaml.safe_load(Path(folder).with_name("published.yaml").read_text())
    return values


def published_grid(title: str, head: Sequence[str], rows: Iterable[Sequence[GridCell]]) -> Grid:
    """Return a table of a paper: each row has a name, then its values as printed."""
    return Grid(title, head, [GridLine(str(name), values) for name, *values in rows])


def columns_grid(
    title: str, head: Sequence[str], lines: Iterable[GridLine], columns: Iterable[Sequence[GridCell]]
) -> Grid:
    """Return a table given by columns; `lines` have the names of its rows."""
    cells = zip(*columns, strict=True)
    return Grid(title, head, [line._replace(cells=row) for line, row in zip(lines, cells, strict=True)])


def tests_grid(
    title: str,
    head: Sequence[str],
    tests: Iterable[tuple[Sequence[str], PairedTest]],
    metrics: Mapping[str, str],
    items: str,
) -> Grid:
    """Return a table of paired tests, each with the cells before it, which `head` names.

    A test has its difference by each of the named metrics, and the number of items.
    """
    lines = []
    for (name, *more), test in tests:
        differences = (TestedDifference(test.scores[metric], test.verdict(metric)) for metric in metrics)
        lines.append(GridLine(name, [*more, *differences, test.items]))
    return Grid(title, (*head, *metrics.values(), items), lines, "tests")


def agreement(table: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    """Return inter-rater agreement: each rater against the others, and each pair of raters.

    The keys are `agreement` and `pairs`, as in a human evaluation; each value has a table and its full
    number of rows. A table keeps the entries with the most compared rows, in their order.
    """
    head = ("raters", "question", "kappa", "same answer", "rows", "left out")
    grids = {}
    for name, title in _AGREEMENT.items():
        rows = (table or {}).get(name, [])
        most = sorted(range(len(rows)), key=lambda at: -rows[at]["rows"])[:MOST_RATERS]
        lines = [_rater(rows[at]) for at in sorted(most)]
        grids[name] = {"grid": Grid(title, head, lines, "agreement"), "all": len(rows)}
    return grids


def judge(table: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a judging model's answers next to people's, and their agreement; None if no model judged."""
    judged = (table or {}).get("judge")
    if not table or not judged:
        return None
    kappas: dict[str, list[float]] = {}
    for row in table["agreement"]:
        if row["kappa"] is not None:
            kappas.setdefault(row["question"], []).append(row["kappa"])
    agreed = {row["question"]: row for row in judged["agreement"]}
    lines = []
    for row in judged["compared"]:
        name = row["question"]
        against = agreed.get(name, {})
        same, people = against.get("observed"), kappas.get(name)
        cells: list[GridCell] = [
            *(_decimals(row[side], 2) for side in ("people", "judge")),
            _decimals(sum(people) / len(people), 3) if people else None,
            _decimals(against.get("kappa"), 3),
            None if same is None else f"{100 * same:.1f} %",
            against.get("rows", 0),
        ]
        lines.append(GridLine(name.replace("_", " "), cells))
    head = ("question", "people", "model", "kappa of people", "kappa of the model", "same answer", "rows")
    grid = Grid("A model compared with people", head, lines, "agreement")
    return {"model": judged["model"], "rater": judged["rater"], "grid": grid}


def _decimals(value: float | None, digits: int) -> str | None:
    return None if value is None else f"{value:.{digits}f}".replace("-", "−")


def values(
    everything: Everything, numbers: Mapping[str, Counted], of: str, models: Sequence[str], people: str
) -> dict[str, Any]:
    """Return the variables that the templates of all evaluations need, given the names of datasets.

    `models`: the models of each dataset with their learning curves. `ratings`: the table of the human
    evaluation. `agreement` and `judge`: agreement between raters, and of a model with them. `left_out`:
    by dataset, the units that do not count, by reason. Raises ValueError naming a file that cannot be read.
    """
    ratings = side_file(everything, people, "table.json")
    return {
        "models": [
            model
            for name in models
            for model in with_curves(side_file(everything, name, "models.json") or [])
        ],
        "ratings": ratings,
        "agreement": agreement(ratings),
        "judge": judge(ratings),
        "left_out": {name: _left_out(numbers.get(name)) for name in (of, *models, people)},
        "declared": everything,
        "least": LEAST_ITEMS,
        "few": FEW_ITEMS,
    }


def with_curves(models: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the models, the chosen one first, with a chart for each metric.

    A chart has points [step, epoch, value, line]; the lines "training" and "validation" of a metric share a
    chart. `left_out` counts points without a finite value.
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
        for model in sorted(models, key=lambda model: (not model["chosen"], model["model"]))
    ]


def _is_number(cell: GridCell) -> bool:
    return isinstance(cell, int) or (isinstance(cell, str) and _NUMBER.fullmatch(cell) is not None)


def _rater(row: Row) -> GridLine:
    kappa = "none: one answer only" if row["rows"] else "none: no row to compare"
    if row["kappa"] is not None:
        kappa = f"{row['kappa']:.3f}".replace("-", "−")
    same = None if row["observed"] is None else f"{100 * row['observed']:.1f} %"
    name = ", ".join(filter(None, (row["rater"], row.get("other"))))
    return GridLine(name, [row["question"], kappa, same, row["rows"], row["left_out"]])


def _left_out(counted: Counted | None) -> list[tuple[str, int]]:
    """Return dropped units by reason, then rejected units."""
    if counted is None:
        return []
    rejected = counted.total("rejected")
    return [*counted.by_reason, *([("rejected", rejected)] if rejected else [])]


def _charts(model: Row) -> list[dict[str, Any]]:
    """Return a chart for each metric; the metric that chose the model comes first."""
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
    """Return a bounded number of points, including the last and the best."""
    every, last = math.ceil(len(points) / MOST_POINTS), len(points) - 1
    return [
        point for at, point in enumerate(points) if (last - at) % every == 0 or point["step"] == best_step
    ]


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
