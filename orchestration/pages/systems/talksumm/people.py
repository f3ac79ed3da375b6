"""What people say of the summaries: the questions of table.json on their scales.

Belongs here: places on scales, wordings. Not here: reading files (evaluation.py), how far raters agree
(pages/evaluation.py), computing means and intervals (ops/talksumm/evaluation/human_evaluation.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ops.annotation.questionnaire import YES_NO
from ops.outcome import Row
from ops.talksumm.evaluation.questionnaires import QUESTIONNAIRES

_QUESTIONS = {
    question.name: question for questionnaire in QUESTIONNAIRES for question in questionnaire.questions
}


@dataclass(frozen=True)
class RatedQuestion:
    """A question with its entry of table.json; what is placed is a share of the question's scale."""

    entry: Row
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


def questions(table: Mapping[str, Any] | None) -> list[RatedQuestion]:
    """Return the questions of table.json in its order; none without a single rating."""
    entries = table["questions"] if table else []
    return [_rated(entry) for entry in entries] if any(entry["ratings"] for entry in entries) else []


def _rated(entry: Row) -> RatedQuestion:
    question = _QUESTIONS[entry["question"]]
    scale, share = question.scale, question.scale == YES_NO
    low, high = (0, 1) if share else (int(scale.values[0]), int(scale.values[-1]))

    def place(value: float | None) -> float:
        return 0 if value is None else (value - low) / (high - low)

    return RatedQuestion(
        entry=entry,
        text=question.text,
        share=share,
        first="0 %" if share else scale.shown(scale.values[0]),
        last="100 %" if share else scale.shown(scale.values[-1]),
        start=place(entry["low"]),
        width=place(entry["high"]) - place(entry["low"]),
        place=place(entry["mean"]),
        paper=place(entry["paper"]["mean"]),
        answers=tuple((scale.shown(answer["value"]), answer) for answer in entry["values"]),
    )
