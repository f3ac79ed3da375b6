"""The questions to raters of riddles."""

from __future__ import annotations

import pyarrow as pa
from silverloom.ops.toy.choice import QUESTIONS

from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Outcome, Outcomes, Shape, columns
from silverloom.ops.core.parts import Parts
from silverloom.ops.evaluation.questionnaire import YES_NO, Question, Questionnaire
from silverloom.ops.evaluation.raters import RaterParams, Raters
from silverloom.ops.evaluation.sheets import sent_files

QUESTIONNAIRE = Questionnaire(
    name="toy_riddles",
    shown=("question", "answer"),
    questions=(Question(name="funny", text="Is it funny?", scale=YES_NO),),
)
RATING_SHEETS = Shape(
    unit=QUESTIONS.kept,
    kept=columns(("questionnaire", pa.string(), "its name"), *list(QUESTIONS.kept)[3:]),
)


class RatingParams(RaterParams, section="toy.rating_sheets"):
    """Who rates."""

    raters: Raters = ("rater",)


def rating_sheets(questions: Parts, params: RatingParams) -> Outcomes:
    """Yield the rows that are rated, and the sheets; the units are the questions."""
    units = questions.read().to_pylist()
    kept = [
        {
            **unit,
            "id": row_id("rated", unit["id"]),
            "source_ids": [unit["id"]],
            "questionnaire": QUESTIONNAIRE.name,
        }
        for unit in units
    ]
    table = pa.Table.from_pylist(kept, RATING_SHEETS.kept)
    files = dict(sent_files(table, [QUESTIONNAIRE], params, "# Rate riddles\n", "for instance old ones."))
    yield Outcome.of(RATING_SHEETS, [unit["id"] for unit in units], kept, files=files)
