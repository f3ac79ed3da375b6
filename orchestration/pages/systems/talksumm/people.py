"""What people say of the summaries: the questions of table.json on their scales.

Belongs here: places on scales, wordings. Not here: reading files (evaluation.py), how far raters agree
(pages/evaluation.py), computing means and intervals (ops/talksumm/evaluation/human_evaluation.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ops.annotation.questionnaire import YES_NO, Question
from ops.outcome import Row
from ops.talksumm.evaluation.questionnaires import QUESTIONNAIRES


class RatedQuestion(NamedTuple):
    """A question with its entry of table.json."""

    entry: Row
    question: Question

    @property
    def share(self) -> bool:
        """Whether its mean is the share of yes."""
        return self.question.scale == YES_NO

    @property
    def ends(self) -> tuple[str, str]:
        """The ends of the scale as raters see them."""
        scale = self.question.scale
        return (
            ("0 %", "100 %") if self.share else (scale.shown(scale.values[0]), scale.shown(scale.values[-1]))
        )

    def place(self, value: float) -> float:
        """Return where a value lies on the scale, from 0 to 1."""
        values = self.question.scale.values
        low, high = (0, 1) if self.share else (int(values[0]), int(values[-1]))
        return (value - low) / (high - low)


def questions(table: Mapping[str, Any] | None) -> list[RatedQuestion]:
    """Return the questions of table.json in its order; none without a single rating."""
    known = {question.name: question for sheet in QUESTIONNAIRES for question in sheet.questions}
    entries = table["questions"] if table else []
    rated = any(entry["ratings"] for entry in entries)
    return [RatedQuestion(entry, known[entry["question"]]) for entry in entries if rated]
