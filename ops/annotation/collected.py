"""The answers that came back to the questionnaires of one system, whoever else's lie in the same source.

Belongs here: which answers count, and what raters say of each row. Not here: reading files (answers.py), what
is wrong with an answer (ratings.py), a system's tables (its human_evaluation.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ops.annotation.agreement import majority
from ops.annotation.questionnaire import Questionnaire
from ops.annotation.ratings import validate
from ops.annotation.schemas import RATINGS
from ops.identity import joint_licence, row_id
from ops.outcome import Row, drop


@dataclass(frozen=True)
class Collected:
    """Sound ratings (shape RATINGS), and the answers that do not count."""

    ratings: pa.Table
    dropped: list[Row]
    rejected: list[Row]


def collected(answers: pa.Table, sent: pa.Table, questionnaires: Sequence[Questionnaire]) -> Collected:
    """Return the answers to some questionnaires that count, compared with the rows that were sent out.

    Dropped are answers to another questionnaire (`other_questionnaire`: one source may hold those of all
    systems) and those that were left empty (`no_answer`); rejected is what `ops.annotation.ratings.validate`
    rejects. `sent` has the columns `id`, `licence`, `questionnaire` and what each questionnaire shows.
    """
    known = pa.array(sorted(questionnaire.name for questionnaire in questionnaires))
    ours = pc.is_in(answers["questionnaire"], known)
    counted = pc.and_(ours, pc.is_valid(answers["answer"]))
    dropped = [
        drop(
            unit,
            "no_answer" if asked_here else "other_questionnaire",
            detail=f"{unit['file']}, {unit['place']}",
        )
        for unit, asked_here in zip(
            answers.filter(pc.invert(counted)).to_pylist(),
            ours.filter(pc.invert(counted)).to_pylist(),
            strict=True,
        )
    ]
    given = answers.filter(counted)
    checked = [
        validate(
            given.filter(pc.equal(given["questionnaire"], questionnaire.name)),
            sent.filter(pc.equal(sent["questionnaire"], questionnaire.name)),
            questionnaire,
        )
        for questionnaire in questionnaires
    ]
    ratings = pa.concat_tables([RATINGS.kept.empty_table(), *(outcome.kept for outcome in checked)])
    return Collected(ratings, dropped, [unit for outcome in checked for unit in outcome.rejected.to_pylist()])


def aggregated(
    ratings: pa.Table, sent: Sequence[Row], questionnaires: Sequence[Questionnaire]
) -> Iterator[tuple[Row, Row]]:
    """Yield each rated row that was sent out with what its raters say, by question, in the order of `sent`.

    The second of the two has id, source_ids, licence, row_id, questionnaire, question, majority (null of a
    tie), votes, raters, tie, and answers (rater, value) by rater.
    """
    named = {questionnaire.name: questionnaire for questionnaire in questionnaires}
    given: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for rating in ratings.to_pylist():
        given[rating["row_id"], rating["question"]].append(rating)
    votes = {(vote["row_id"], vote["question"]): vote for vote in majority(ratings).to_pylist()}
    for row in sent:
        for question in named[row["questionnaire"]].questions:
            if several := given.get((row["id"], question.name)):
                ordered = sorted(several, key=lambda rating: str(rating["rater"]))
                yield row, _said(row, ordered, votes[row["id"], question.name])


def _said(row: Row, ratings: Sequence[Row], vote: Row) -> Row:
    return {
        "id": row_id("judged", row["id"], vote["question"]),
        "source_ids": [row["id"], *(rating["source_ids"][0] for rating in ratings)],
        "licence": joint_licence([row["licence"], *(rating["licence"] for rating in ratings)]),
        "row_id": row["id"],
        "questionnaire": row["questionnaire"],
        "question": vote["question"],
        "majority": vote["value"],
        **{name: vote[name] for name in ("votes", "raters", "tie")},
        "answers": [{"rater": rating["rater"], "value": rating["value"]} for rating in ratings],
    }
