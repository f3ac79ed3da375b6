"""What people say of leads: the paper's Tables 5 and 6.

Belongs here: ratings of each lead, means by system with Welch's t-test, and preferences by pair. Not here:
what people are asked (rating_sheets.py), votes and agreement (ops/annotation).

Liu et al. (2018), section 5.3 and appendix A.3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import pyarrow as pa
from pydantic import Field

from ops.annotation import judged
from ops.annotation.judged import JudgedRows
from ops.annotation.schemas import ANSWER, ANSWERS, VOTES
from ops.metrics.bootstrap import interval
from ops.outcome import TITLE, Outcomes, Row, Shape, columns
from ops.params import Params
from ops.parts import Parts
from ops.wikisum.evaluation.questionnaires import QUALITY, QUESTIONNAIRES
from ops.wikisum.evaluation.rating_sheets import RatingSheetParams

_TEXT = pa.string()

HUMAN_EVALUATION = Shape(
    unit=ANSWERS.kept,
    kept=columns(
        ("row_id", _TEXT, "row of wikisum/rating_sheets"),
        ("questionnaire", _TEXT, "its name"),
        ("question", _TEXT, "one of five about a lead, or preferred, of two"),
        ("article_id", _TEXT, "row of sources/articles"),
        ("title", _TEXT, "of the article", TITLE),
        ("system", _TEXT, "whose lead was rated; null of two"),
        ("system_a", _TEXT, "whose lead was A; null of one"),
        ("system_b", _TEXT, "whose lead was B; null of one"),
        *VOTES,
        ("mean", pa.float64(), "of all answers: 1 to 5, or -2 (A much better) to 2"),
        ("answers", pa.list_(ANSWER), "by rater"),
    ),
)

_OF_ROW = ("article_id", "title", "system", "system_a", "system_b")
_DIGITS = 6


class HumanEvaluationParams(Params, section="wikisum.human_evaluation"):
    """The bootstrap over articles, and when a difference counts."""

    significant: float = Field(0.001, gt=0, lt=1, description="p of Welch's t-test below which it does")
    resamples: int = Field(1000, ge=1, description="draws behind each 95 % interval")
    seed: int = Field(0, ge=0)


class WelchTest(NamedTuple):
    """Welch's two-sided t-test of two means; null where it has no value."""

    t: float | None
    degrees: float | None
    p: float | None


def welch(first: Sequence[float], second: Sequence[float]) -> WelchTest:
    """Return the test of two samples whose variances may differ (Welch 1947).

    It has no value for a sample of fewer than two, nor where no sample varies.
    """
    from scipy.stats import ttest_ind

    if min(len(first), len(second)) < 2 or len({*first}) == len({*second}) == 1:
        return WelchTest(None, None, None)
    found = ttest_ind(first, second, equal_var=False)
    return WelchTest(*(round(float(value), _DIGITS) for value in (found.statistic, found.df, found.pvalue)))


def human_evaluation(
    ratings: Parts, rating_sheets: Parts, asked: RatingSheetParams, params: HumanEvaluationParams
) -> Outcomes:
    """Yield what people say of each rated row, and the tables, as `ops.annotation.judged` does."""

    def of_rows(rows: Sequence[Row], _: pa.Table) -> dict[str, Any]:
        return tables(rows, asked, params)

    sent = rating_sheets.read()
    return judged.human_evaluation(HUMAN_EVALUATION, ratings, sent, QUESTIONNAIRES, asked, _rows, of_rows)


def tables(rows: Sequence[Row], asked: RatingSheetParams, params: HumanEvaluationParams) -> dict[str, Any]:
    """Return Tables 5 and 6; a lead counts by the mean of its raters.

    `quality`, a row a system in the order of params: `articles`, and by question `mean`, `low`, `high` (95 %
    over articles), `ratings`, and, of all but the first system, `test` against that: t, degrees, p and
    whether it is `significant`. `preference`, a row a pair: articles, ratings, those that prefer `first`,
    `second` and `neither`, and the `ratio` of second to first, null where nobody prefers the first.
    """
    return {
        "quality": list(_quality(rows, asked.systems, params)),
        "preference": [_preference(rows, pair) for pair in asked.pairs],
    }


def _quality(
    rows: Iterable[Row], systems: Sequence[str], params: HumanEvaluationParams
) -> Iterator[dict[str, Any]]:
    rated: dict[tuple[str | None, str], list[Row]] = defaultdict(list)
    for row in rows:
        rated[row["system"], row["question"]].append(row)
    questions = [question.name for question in QUALITY.questions]
    for name in systems:
        articles = {row["article_id"] for question in questions for row in rated[name, question]}
        scores = {
            question: _answered(leads, rated[systems[0], question] if name != systems[0] else None, params)
            for question in questions
            if (leads := rated[name, question])
        }
        yield {"system": name, "articles": len(articles), "scores": scores}


def _answered(
    leads: Sequence[Row], reference: Sequence[Row] | None, params: HumanEvaluationParams
) -> dict[str, Any]:
    """Return the mean answer about the leads of a system, and its test against the leads of another."""
    means = [row["mean"] for row in leads]
    around = interval(means, params.resamples, params.seed)._asdict()
    found = {**around, "ratings": sum(row["raters"] for row in leads), "test": None}
    if reference is not None:
        test = welch(means, [row["mean"] for row in reference])
        significant = test.p is not None and test.p < params.significant
        found["test"] = {**test._asdict(), "significant": significant}
    return found


def _preference(rows: Iterable[Row], pair: tuple[str, str]) -> dict[str, Any]:
    first, second = pair
    own = [row for row in rows if {row["system_a"], row["system_b"]} == {first, second}]
    # Above 0 the lead on the second's side is preferred.
    values = [
        int(answer["value"]) * (1 if row["system_b"] == second else -1)
        for row in own
        for answer in row["answers"]
    ]
    prefer_first, prefer_second = sum(value < 0 for value in values), sum(value > 0 for value in values)
    return {
        "first": first,
        "second": second,
        "articles": len(own),
        "ratings": len(values),
        "prefer_first": prefer_first,
        "prefer_second": prefer_second,
        "neither": len(values) - prefer_first - prefer_second,
        "ratio": round(prefer_second / prefer_first, _DIGITS) if prefer_first else None,
    }


def _rows(judged_rows: JudgedRows) -> Iterator[Row]:
    for row, vote in judged_rows:
        mean = fmean(float(answer["value"]) for answer in vote["answers"])
        yield {**vote, **{name: row[name] for name in _OF_ROW}, "mean": mean}
