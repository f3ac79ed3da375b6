"""What people say of the summaries: the human evaluation of the paper.

Belongs here: ratings of each row, and their tables beside the paper's numbers. Not here: what people are
asked (rating_sheets.py), votes and agreement (ops/annotation).

Lev et al. (2019), section 4.2: the presenters of 15 papers considered 73 % of the sentences when preparing
their talks; the quality of the summaries is 3.73 on average, with a standard deviation of 0.725.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean, stdev
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from ops.annotation import judged
from ops.annotation.agreement import means
from ops.annotation.judged import JudgedRows, mean_of_all
from ops.annotation.questionnaire import Questionnaire
from ops.annotation.schemas import ANSWER, ANSWERS, VOTES
from ops.outcome import TEXT, TITLE, Outcomes, Row, Shape, columns
from ops.params import Params
from ops.parts import Parts
from ops.talksumm.evaluation.questionnaires import OF_SENTENCES, OF_SUMMARIES, QUESTIONNAIRES
from ops.talksumm.evaluation.rating_sheets import RatingSheetParams

_TEXT, _REAL, _BOOL = pa.string(), pa.float64(), pa.bool_()

#: Section 4.2, by question; of yes and no the mean is the share of yes.
PAPER = {"considered": {"mean": 0.73, "deviation": None}, "quality": {"mean": 3.73, "deviation": 0.725}}

_YES_NO = {"yes": 1.0, "no": 0.0}
HUMAN_EVALUATION = Shape(
    unit=ANSWERS.kept,
    kept=columns(
        ("row_id", _TEXT, "row of talksumm/rating_sheets"),
        ("questionnaire", _TEXT, "its name"),
        ("question", _TEXT, "considered (of a sentence), or quality (of a summary)"),
        ("summary_id", _TEXT, "row of talksumm/summaries"),
        ("paper_id", _TEXT, "row of sources/papers"),
        ("paper_title", _TEXT, "as the paper's source has it", TITLE),
        ("text", _TEXT, "what was rated", TEXT),
        *VOTES,
        ("mean", _REAL, "of all answers; yes counts 1, no 0"),
        ("deviation", _REAL, "standard deviation of the answers (n - 1); null below two"),
        ("sentence", _BOOL, "whether a sentence was rated"),
        ("summary", _BOOL, "whether a whole summary was rated"),
        ("answers", pa.list_(ANSWER), "by rater"),
    ),
)


class HumanEvaluationParams(Params, section="talksumm.human_evaluation"):
    """The bootstrap behind the 95 % intervals, over papers."""

    resamples: int = Field(1000, ge=1, description="draws behind each interval")
    seed: int = Field(0, ge=0)


def human_evaluation(
    ratings: Parts, rating_sheets: Parts, asked: RatingSheetParams, params: HumanEvaluationParams
) -> Outcomes:
    """Yield what people say of each rated row, and the tables, as `ops.annotation.judged` does."""
    sent, of_rows = rating_sheets.read(), partial(tables, params=params)
    return judged.human_evaluation(HUMAN_EVALUATION, ratings, sent, QUESTIONNAIRES, asked, _rows, of_rows)


def tables(rows: Sequence[Row], ratings: pa.Table, params: HumanEvaluationParams) -> dict[str, Any]:
    """Return what all ratings say together, by question.

    `questions`: name, wording and scale; papers, rows, raters and ratings that it has; mean over all ratings
    (of yes and no the share of yes) with the ends of its 95 % interval over papers, and standard deviation
    (n - 1; none of yes and no); by value its ratings, their share, and the rows that it has the majority of;
    tied rows; and the `paper` itself. Without ratings the counts are 0 and the numbers null.
    """
    questions = [
        {**question.described(), **_answered(question.name, questionnaire, rows, ratings, params)}
        for questionnaire in QUESTIONNAIRES
        for question in questionnaire.questions
    ]
    return {"questions": questions}


def _answered(
    name: str,
    questionnaire: Questionnaire,
    rows: Sequence[Row],
    ratings: pa.Table,
    params: HumanEvaluationParams,
) -> dict[str, Any]:
    own = [row for row in rows if row["question"] == name]
    papers: dict[str, list[float]] = defaultdict(list)
    for row in own:
        papers[row["paper_id"]] += _numbers(row["answers"])
    # The question as a whole, then each of its values.
    found_means = means(ratings.filter(pc.equal(ratings["question"], name)), questionnaire).to_pylist()
    most = Counter(row["majority"] for row in own)
    return {
        "papers": len(papers),
        "rows": len(own),
        "raters": len({answer["rater"] for row in own for answer in row["answers"]}),
        "ratings": sum(row["raters"] for row in own),
        **mean_of_all((papers[name] for name in sorted(papers)), params.resamples, params.seed),
        "deviation": found_means[0]["deviation"] if found_means else None,
        "values": [
            {
                "value": row["value"],
                "ratings": row["ratings"],
                "share": row["share"],
                "majorities": most[row["value"]],
            }
            for row in found_means[1:]
        ],
        "ties": most[None],
        "paper": PAPER[name],
    }


def _rows(judged_rows: JudgedRows) -> Iterator[Row]:
    for row, vote in judged_rows:
        numbers = _numbers(vote["answers"])
        yield {
            **vote,
            **{name: row[name] for name in ("summary_id", "paper_id", "paper_title", "text")},
            "mean": fmean(numbers),
            "deviation": stdev(numbers) if len(numbers) > 1 else None,
            "sentence": row["questionnaire"] == OF_SENTENCES.name,
            "summary": row["questionnaire"] == OF_SUMMARIES.name,
        }


def _numbers(answers: Sequence[Row]) -> list[float]:
    """Return answers as numbers: yes is 1, no 0."""
    values = [answer["value"] for answer in answers]
    return [_YES_NO[value] if value in _YES_NO else float(value) for value in values]
