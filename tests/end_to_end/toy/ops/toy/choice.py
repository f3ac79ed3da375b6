"""Which riddles are kept, and which lengths were tried."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pydantic import Field
from silverloom.ops.toy.riddles import RIDDLES

from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape, columns, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import at_least, scored

QUESTIONS = Shape(
    unit=RIDDLES.kept,
    kept=columns(
        ("question", pa.string(), "as asked"),
        ("answer", pa.string(), "as given"),
        ("words", pa.int32(), "of the question"),
    ),
)
LENGTHS = Shape(
    unit=QUESTIONS.kept,
    kept=columns(
        ("least", pa.int32(), "words of a question"), ("share", pa.float64(), "of riddles that have them")
    ),
)


class QuestionParams(Params, section="toy.questions"):
    """How long a question is."""

    words: int = Field(4, ge=1, description="a question of fewer words is dropped")


def questions(riddles: pa.Table, params: QuestionParams) -> Outcome:
    """Return the riddles whose questions are long enough; the units are the riddles."""
    units = riddles.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    for riddle in units:
        words = len(riddle["question"].split())
        if not at_least(words, params.words):
            dropped.append(drop(riddle, "short_question", score=float(words)))
            continue
        row = {
            "id": row_id("question", riddle["id"]),
            "source_ids": [riddle["id"]],
            "licence": riddle["licence"],
            "question": riddle["question"],
            "answer": riddle["answer"],
            "words": words,
        }
        kept.append(row)
    return Outcome.of(QUESTIONS, [riddle["id"] for riddle in units], kept, dropped)


def scores(riddles: Parts) -> Iterator[pa.Table]:
    """Yield the riddles with the score that the threshold applies to."""
    for table in riddles:
        yield scored(
            [(row["id"], float(len(row["question"].split())), row["question"]) for row in table.to_pylist()]
        )


def lengths(questions: Parts) -> Outcomes:
    """Yield a row for each length that was tried; the units are the questions."""
    units = questions.read().to_pylist()
    kept = [
        {
            "id": row_id("length", str(least)),
            "source_ids": [unit["id"] for unit in units],
            "licence": "CC0-1.0",
            "least": least,
            "share": sum(unit["words"] >= least for unit in units) / len(units),
        }
        for least in (4, 6, 7)
    ]
    yield Outcome.of(LENGTHS, [unit["id"] for unit in units], kept)
