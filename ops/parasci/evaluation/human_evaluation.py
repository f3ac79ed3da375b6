"""What people say of paraphrase pairs: the paper's consistency, and its Tables 4 and 5.

Belongs here: ratings of each pair, and their tables. Not here: what people are asked (rating_sheets.py),
which answers count, votes and agreement (ops/annotation), the paper's numbers (beside the page).

Dong et al. (2021), sections 5 and 6: scores are means over all raters and pairs; agreement is Cohen's kappa
of each rater against the majority of the others, on average.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

import pyarrow as pa
from pydantic import Field

from ops.annotation.agreement import against_the_others, pairwise
from ops.annotation.collected import aggregated, collected
from ops.annotation.questionnaire import Question
from ops.annotation.schemas import ANSWER, ANSWERS, VOTES
from ops.metrics.bootstrap import Floats, Interval, interval
from ops.outcome import Outcome, Outcomes, Row, Shape, columns
from ops.params import Params
from ops.parasci.evaluation.questionnaires import QUESTIONNAIRES
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

#: The file of the tables.
TABLE = "table.json"

#: What stands for all origins together.
ALL = "all"


class HumanEvaluationParams(Params, section="parasci.human_evaluation"):
    """The bootstrap behind the 95 % intervals, over pairs."""

    resamples: int = Field(1000, ge=1, description="draws behind each interval")
    seed: int = Field(0, ge=0)


def human_evaluation(ratings: Parts, rating_sheets: Parts, params: HumanEvaluationParams) -> Outcomes:
    """Yield what people say of each rated pair, and the tables; the units are the answers of filled sheets.

    Which count, and why others do not, is explained at `ops.annotation.collected.collected`.
    """
    answers, sent = ratings.read(), rating_sheets.read()
    found = collected(answers, sent, QUESTIONNAIRES)
    kept = [_row(*pair) for pair in aggregated(found.ratings, sent.to_pylist(), QUESTIONNAIRES)]
    content = json.dumps(tables(kept, found.ratings, params), indent=1, sort_keys=True)
    yield Outcome.of(
        HUMAN_EVALUATION,
        answers["id"].to_pylist(),
        kept,
        found.dropped,
        found.rejected,
        files={TABLE: content.encode()},
    )


def tables(rows: Sequence[Row], ratings: pa.Table, params: HumanEvaluationParams) -> dict[str, Any]:
    """Return what all ratings say together, and how far raters agree.

    `questions`: name, wording and scale, with the average `kappa` of raters against the majority of the
    others, how many `raters` it is of, and the `scores` of all pairs and by origin: rated pairs, raters and
    ratings, mean over all ratings with its 95 % interval over pairs, standard deviation (n - 1), and by value
    its ratings.
    `agreement` and `pairs` as ops.annotation.agreement gives them.
    """
    agreement = against_the_others(ratings).to_pylist()
    questions = [question for questionnaire in QUESTIONNAIRES for question in questionnaire.questions]
    return {
        "questions": [_question(question, rows, agreement, params) for question in questions],
        "agreement": agreement,
        "pairs": pairwise(ratings).to_pylist(),
    }


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
    sums = [(math.fsum(several), len(several)) for several in numbers]
    # The mean of all ratings, not of the pairs' means: a pair counts by how often it was rated.
    around = interval(sums, params.resamples, params.seed, of_sums=_ratio) if sums else None
    return {
        "origin": name,
        "rated": len(rows),
        "raters": len({answer["rater"] for row in rows for answer in row["answers"]}),
        "ratings": len(given),
        **(around._asdict() if around else dict.fromkeys(Interval._fields)),
        "deviation": round(stdev(given), 6) if len(given) > 1 else None,
        "values": {value: given.count(float(value)) for value in values},
    }


def _ratio(sums: Floats) -> Floats:
    return sums[:, 0] / sums[:, 1]


def _row(row: Mapping[str, Any], vote: Row) -> Row:
    mean = fmean(_numbers(vote["answers"]))
    return {
        **vote,
        **{name: row[name] for name in ("paraphrase_id", "origin", "sentence_1", "sentence_2")},
        "mean": mean,
        "consistency": mean if vote["question"] == "consistency" else None,
    }


def _numbers(answers: Iterable[Mapping[str, str]]) -> list[float]:
    return [float(answer["value"]) for answer in answers]
