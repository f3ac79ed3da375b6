"""What people say of the summaries: the questions of table.json on their scales, and how far raters agree.

Belongs here: places on scales, wordings, how much of it a page holds. Not here: reading files
(evaluation.py), and computing means, intervals and kappa (ops/talksumm/evaluation/human_evaluation.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ops.annotation.questionnaire import YES_NO
from ops.outcome import Row
from ops.talksumm.evaluation.questionnaires import QUESTIONNAIRES

DATASET = "talksumm/human_evaluation"

#: Raters, and pairs of them, that a page holds: those whose agreement rests on the most rows.
MOST_RATERS = 200

_QUESTIONS = {
    question.name: question for questionnaire in QUESTIONNAIRES for question in questionnaire.questions
}


@dataclass(frozen=True)
class Asked:
    """A question with what table.json tells of it; what is placed is a share of the question's scale."""

    told: Row
    text: str
    share: bool
    """Whether its mean is the share of yes."""
    first: str
    last: str
    """The ends of the scale as raters see them."""
    start: float
    width: float
    place: float
    paper: float
    answers: tuple[tuple[str, Row], ...]
    """Each value as raters see it."""


@dataclass(frozen=True)
class Agreement:
    """Rows about agreement that the page holds, and how many there are; each has `why` kappa has no value."""

    rows: tuple[Row, ...]
    all: int


def questions(table: Mapping[str, Any] | None) -> list[Asked]:
    """Return the questions of table.json in its order; none without a single rating."""
    told = table["questions"] if table else []
    return [_asked(one) for one in told] if any(one["ratings"] for one in told) else []


def _asked(told: Row) -> Asked:
    question = _QUESTIONS[told["question"]]
    scale, share = question.scale, question.scale == YES_NO
    low, high = (0, 1) if share else (int(scale.values[0]), int(scale.values[-1]))

    def place(value: float | None) -> float:
        return 0 if value is None else (value - low) / (high - low)

    return Asked(
        told=told,
        text=question.text,
        share=share,
        first="0 %" if share else scale.shown(scale.values[0]),
        last="100 %" if share else scale.shown(scale.values[-1]),
        start=place(told["low"]),
        width=place(told["high"]) - place(told["low"]),
        place=place(told["mean"]),
        paper=place(told["paper"]["mean"]),
        answers=tuple((scale.shown(one["value"]), one) for one in told["values"]),
    )


def agreement(rows: Sequence[Row]) -> Agreement:
    """Return those of `agreement` or `pairs` in table.json that rest on the most rows, in their order."""
    order = sorted(range(len(rows)), key=lambda at: (-rows[at]["rows"], at))
    chosen = [rows[at] for at in sorted(order[:MOST_RATERS])]
    return Agreement(tuple({**row, "why": _why(row)} for row in chosen), len(rows))


def _why(row: Row) -> str | None:
    """Return why kappa cannot be computed, None where it is there."""
    if row["kappa"] is not None:
        return None
    return "one answer only" if row["rows"] else "no row to compare"
