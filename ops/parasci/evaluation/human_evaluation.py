"""What people say of paraphrase pairs: the paper's consistency, and its Tables 4 and 5.

Belongs here: ratings of each pair, and their tables. Not here: what people are asked (rating_sheets.py),
which answers count, votes and agreement (ops/annotation), the paper's numbers (beside the page).

Dong et al. (2021), sections 5 and 6: scores are means over all raters and pairs; agreement is Cohen's kappa
of each rater against the majority of the others, on average.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean, stdev
from typing import Any

import pyarrow as pa
from pydantic import Field

from ops.annotation import judged
from ops.annotation.agreement import against_the_others
from ops.annotation.judged import JudgedRows, mean_of_all
from ops.annotation.questionnaire import Question
from ops.annotation.schemas import ANSWER, ANSWERS, VOTES
from ops.outcome import Outcomes, Row, Shape, columns
from ops.params import Params
from ops.parasci.evaluation.questionnaires import QUESTIONNAIRES
from ops.parasci.evaluation.rating_sheets import RatingSheetParams
from ops.parts import Parts

_TEXT = pa.string()

HUMAN_EVALUATION = Shape(
    unit=ANSWERS.kept,
    kept=columns(
        ("row_id", _TEXT, "row of parasci/rating_sheets"),
        ("questionnaire", _TEXT, "its name"),
        ("question", _TEXT, "consistency or a variation; a phenomenon"),
        ("paraphrase_id", _TEXT, "row of parasci/paraphrases"),
        ("origin", _TEXT, "of the pair"),
        ("sentence_1", _TEXT, "as raters saw it"),
        ("sentence_2", _TEXT, "as raters saw it"),
        *VOTES,
        ("mean", pa.float64(), "of all answers"),
        ("consistency", pa.float64(), "the same, of answers to this question; null of others"),
        ("answers", pa.list_(ANSWER), "by rater"),
    ),
)

#: What stands for all origins together.
ALL = "all"


class HumanEvaluationParams(Params, section="parasci.human_evaluation"):
    """The bootstrap behind the 95 % intervals, over pairs."""

    resamples: int = Field(1000, ge=1, description="draws behind each interval")
    seed: int = Field(0, ge=0)


def human_evaluation(
    ratings: Parts, rating_sheets: Parts, asked: RatingSheetParams, params: HumanEvaluationParams
) -> Outcomes:
    """Yield what people say of each rated pair, and the tables, as `ops.annotation.judged` does."""
    sent, of_rows = rating_sheets.read(), partial(tables, params=params)
    return judged.human_evaluation(HUMAN_EVALUATION, ratings, sent, QUESTIONNAIRES, asked, _rows, of_rows)


def tables(rows: Sequence[Row], ratings: pa.Table, params: HumanEvaluationParams) -> dict[str, Any]:
    """Return what all ratings say together, by question.

    `questions`: name, wording and scale, with the average `kappa` of raters against the majority of the
    others, how many `raters` it is of, and the `scores` of all pairs and by origin: rated pairs, raters and
    ratings, mean over all ratings with its 95 % interval over pairs, standard deviation (n - 1), and by value
    its ratings.
    """
    agreement = against_the_others(ratings).to_pylist()
    questions = [question for questionnaire in QUESTIONNAIRES for question in questionnaire.questions]
    return {"questions": [_question(question, rows, agreement, params) for question in questions]}


def _question(
    question: Question, rows: Sequence[Row], agreement: Iterable[Row], params: HumanEvaluationParams
) -> dict[str, Any]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["question"] == question.name:
            groups[ALL].append(row)
            groups[row["origin"]].append(row)
    names = [ALL, *sorted(groups.keys() - {ALL})]
    kappas = [row["kappa"] for row in agreement if row["question"] == question.name]
    known = [kappa for kappa in kappas if kappa is not None]
    return {
        **question.described(),
        "kappa": round(fmean(known), 6) if known else None,
        "raters": len(known),
        "scores": [_score(name, groups[name], question.scale.values, params) for name in names],
    }


def _score(
    name: str, rows: Sequence[Row], values: Iterable[str], params: HumanEvaluationParams
) -> dict[str, Any]:
    numbers = [_numbers(row["answers"]) for row in rows]
    given = [number for several in numbers for number in several]
    return {
        "origin": name,
        "rated": len(rows),
        "raters": len({answer["rater"] for row in rows for answer in row["answers"]}),
        "ratings": len(given),
        **mean_of_all(numbers, params.resamples, params.seed),
        "deviation": round(stdev(given), 6) if len(given) > 1 else None,
        "values": {value: given.count(float(value)) for value in values},
    }


def _rows(judged_rows: JudgedRows) -> Iterator[Row]:
    for row, vote in judged_rows:
        mean = fmean(_numbers(vote["answers"]))
        yield {
            **vote,
            **{name: row[name] for name in ("paraphrase_id", "origin", "sentence_1", "sentence_2")},
            "mean": mean,
            "consistency": mean if vote["question"] == "consistency" else None,
        }


def _numbers(answers: Iterable[Mapping[str, str]]) -> list[float]:
    return [float(answer["value"]) for answer in answers]
