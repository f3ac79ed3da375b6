"""Evaluations as pages show them: tables of scores, tests and ratings, which templates/evaluation.html draws.

Belongs here: cells, and tables that evaluations have in common. Not here: what systems and questions are
called (systems/), how models learnt (learning.py), computing anything (ops/evaluation, ops/metrics).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ops.evaluation.table import PairedTest
from ops.metrics.bootstrap import Comparison, Interval
from ops.outcome import Row
from orchestration.lineage.rows import Counted

#: Raters, and pairs of them, that a page holds: those whose agreement rests on the most rows.
MOST_RATERS = 200

_NUMBER = re.compile(r"−?\d[\d. ]*( %)?")


@dataclass(frozen=True)
class Bar:
    """A mean with its interval; `start`, `width` and `place` are shares of a scale from 0 to `top`."""

    score: Interval
    top: float = 1
    best: bool = False

    @property
    def start(self) -> float:
        """Where the interval begins."""
        return self.score.low / self.top

    @property
    def width(self) -> float:
        """How wide the interval is."""
        return (self.score.high - self.score.low) / self.top

    @property
    def place(self) -> float:
        """Where the mean is."""
        return self.score.mean / self.top


@dataclass(frozen=True)
class TestedDifference:
    """How far a system is above another by one metric, and the verdict."""

    score: Comparison
    verdict: str


#: None is a dash.
GridCell: TypeAlias = Bar | TestedDifference | int | str | None


@dataclass(frozen=True)
class GridLine:
    """A row of a table."""

    name: str
    cells: Sequence[GridCell]
    about: str = ""
    key: str = ""


@dataclass(frozen=True)
class Grid:
    """A table with a head; `groups` are names above several columns, and how many."""

    title: str
    head: Sequence[str]
    lines: Sequence[GridLine]
    kind: str = "scores"
    groups: Sequence[tuple[str, int]] = ()

    @property
    def numeric(self) -> list[bool]:
        """Whether each column holds numbers without intervals, which stand to the right."""
        columns = range(len(self.head) - 1)
        return [False, *(any(is_number(line.cells[at]) for line in self.lines) for at in columns)]


def is_number(cell: GridCell) -> bool:
    """Tell whether a cell is a number without an interval."""
    return isinstance(cell, int) or (isinstance(cell, str) and _NUMBER.fullmatch(cell) is not None)


def bar(score: Interval | Mapping[str, Any] | None) -> Bar | None:
    """Return the cell of a score that may not be there, on a scale to 1."""
    found = Interval(**score) if isinstance(score, Mapping) else score
    return None if found is None or found.mean is None else Bar(found)


def bars(
    scores: Sequence[Interval | None], ranked: Sequence[bool] | None = None, top: float | None = None
) -> list[Bar | None]:
    """Return the cells of a column; the best is marked of those that are `ranked`, or of all.

    Without `top` the scale ends with the highest interval.
    """
    known = [score for score in scores if score is not None]
    scale = top or max((score.high for score in known), default=0) or 1
    rivals = [score for at, score in enumerate(scores) if score and (ranked is None or ranked[at])]
    best = max((score.mean for score in rivals), default=None)
    if all(score.mean == best for score in rivals) and len(rivals) > 1:
        best = None  # nothing is better than nothing
    return [
        score and Bar(score, scale, score.mean == best and any(score is rival for rival in rivals))
        for score in scores
    ]


def test_cells(test: PairedTest, metrics: Iterable[str]) -> list[GridCell]:
    """Return the cells of a test: its difference by each metric, and over how many items."""
    found = [TestedDifference(test.scores[metric], test.verdict(metric)) for metric in metrics]
    return [*found, test.items]


def agreement(table: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    """Return how far raters agree, each with the others and every two, as tables and how many rows they have.

    `agreement` and `pairs` of a human evaluation; those that rest on the most rows, in their order.
    """
    titles = {
        "agreement": "Agreement of each rater with the majority of the others",
        "pairs": "Agreement of every two raters",
    }
    rows = {name: (table or {}).get(name, []) for name in titles}
    return {name: {"grid": _agreement(titles[name], rows[name]), "all": len(rows[name])} for name in titles}


def _agreement(title: str, rows: Sequence[Row]) -> Grid:
    order = sorted(range(len(rows)), key=lambda at: (-rows[at]["rows"], at))
    chosen = [rows[at] for at in sorted(order[:MOST_RATERS])]
    head = ("raters", "question", "kappa", "same answer", "rows", "left out")
    return Grid(title, head, [_rater(row) for row in chosen], "agreement")


def _rater(row: Row) -> GridLine:
    kappa = "none: one answer only" if row["rows"] else "none: no row to compare"
    if row["kappa"] is not None:
        kappa = f"{row['kappa']:.3f}".replace("-", "−")
    same = None if row["observed"] is None else f"{100 * row['observed']:.1f} %"
    name = ", ".join(filter(None, (row["rater"], row.get("other"))))
    return GridLine(name, [row["question"], kappa, same, row["rows"], row["left_out"]])


def left_out(counted: Counted | None) -> list[tuple[str, int]]:
    """Return why units of a dataset do not count, and how many: dropped ones by reason, rejected ones."""
    if counted is None:
        return []
    rejected = counted.total("rejected")
    return [*counted.by_reason, *([("rejected", rejected)] if rejected else [])]
