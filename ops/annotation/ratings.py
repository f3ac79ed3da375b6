"""Which answers are sound.

Belongs here: comparing answers with the questionnaire and the rows that were sent out. Not here: reading
files (answers.py), votes and agreement (agreement.py).
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from ops.annotation.questionnaire import Questionnaire
from ops.annotation.schemas import RATINGS
from ops.annotation.sheets import shown_text
from ops.identity import joint_licence, row_id
from ops.outcome import Outcome, Row, reject


def validate(answers: pa.Table, rows: pa.Table, questionnaire: Questionnaire) -> Outcome:
    """Return every answer as a rating, or rejected with file, place and cause; shape RATINGS.

    `rows` is the sample: `id`, `licence` and the shown columns. Rejected are another questionnaire, an
    unknown row or question, a row whose text is not the one sent out (white space aside), no answer, an
    answer outside of the scale, and a second answer of one rater to one question about one row: the
    first in the table stays. Raises KeyError for a column that `rows` does not have.
    """
    wanted = {row["id"]: row for row in rows.select(["id", "licence", *questionnaire.shown]).to_pylist()}
    kept: list[Row] = []
    rejected: list[Row] = []
    first: dict[tuple[str, str, str], str] = {}
    units = answers.to_pylist()
    for unit in units:
        cause = _fault(unit, wanted, questionnaire)
        key = (unit["rater"], unit["row_id"], unit["question"])
        place = f"{unit['file']}, {unit['place']}"
        if cause is None and key in first:
            cause = f"{unit['rater']} has answered it already: {first[key]}"
        if cause is not None:
            about = f"row {unit['row_id']!r}, question {unit['question']!r}"
            rejected.append(reject(unit, f"{place}: {about}: {cause}"))
            continue
        first[key] = place
        kept.append(_rating(unit, wanted[unit["row_id"]], questionnaire))
    return Outcome.of(RATINGS, [unit["id"] for unit in units], kept, rejected=rejected)


def _fault(unit: Row, wanted: Mapping[str, Row], questionnaire: Questionnaire) -> str | None:
    """Return what is wrong with an answer by itself."""
    if unit["questionnaire"] != questionnaire.name:
        return f"the questionnaire is {unit['questionnaire']!r}, expected {questionnaire.name!r}"
    if unit["row_id"] not in wanted:
        return "no such row was sent out"
    question = questionnaire.question(unit["question"])
    if question is None:
        known = ", ".join(question.name for question in questionnaire.questions)
        return f"no such question; known: {known}" if unit["question"] else "nothing is answered"
    if not unit["rater"]:
        return "it names no rater"
    there = {cell["column"]: shown_text(cell["text"]) for cell in unit["shown"]}
    sent = wanted[unit["row_id"]]
    for name in questionnaire.shown:
        if there.get(name) != shown_text(sent[name]):
            return f"the text in column {name} is not the one that was sent out"
    if unit["answer"] is None:
        return "no answer"
    if question.scale.value_of(unit["answer"]) is None:
        return f"{unit['answer'][:40]!r} is none of {', '.join(question.scale.values)}"
    return None


def _rating(unit: Row, row: Row, questionnaire: Questionnaire) -> Row:
    question = questionnaire.question(unit["question"])
    assert question is not None
    return {
        "id": row_id("rating", questionnaire.name, unit["rater"], unit["row_id"], unit["question"]),
        "source_ids": [unit["id"], unit["row_id"]],
        "licence": joint_licence([unit["licence"], row["licence"]]),
        "questionnaire": questionnaire.name,
        "rater": unit["rater"],
        "row_id": unit["row_id"],
        "question": unit["question"],
        "value": question.scale.value_of(unit["answer"]),
    }
