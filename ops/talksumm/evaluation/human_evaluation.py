"""What people say of the summaries: the human evaluation of the paper.

Belongs here: ratings of each row, and their tables beside the paper's numbers. Not here: what people are
asked (rating_sheets.py), votes and agreement (ops/annotation).

Lev et al. (2019), section 4.2: the presenters of 15 papers considered 73 % of the sentences when preparing
their talks; the quality of the summaries is 3.73 on average, with a standard deviation of 0.725.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from ops.annotation.agreement import against_the_others, means, pairwise
from ops.annotation.collected import aggregated, collected
from ops.annotation.questionnaire import Questionnaire
from ops.annotation.schemas import ANSWER, ANSWERS, VOTES
from ops.metrics.bootstrap import Floats, Interval, interval
from ops.outcome import TEXT, TITLE, Outcome, Outcomes, Row, Shape, columns
from ops.params import Params
from ops.parts import Parts
from ops.talksumm.evaluation.questionnaires import OF_SENTENCES, OF_SUMMARIES, QUESTIONNAIRES

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

#: The file of the tables.
TABLE = "table.json"


class HumanEvaluationParams(Params, section="talksumm.human_evaluation"):
    """The bootstrap behind the 95 % intervals, over papers."""

    resamples: int = Field(1000, ge=1, description="draws behind each interval")
    seed: int = Field(0, ge=0)


def human_evaluation(ratings: Parts, rating_sheets: Parts, params: HumanEvaluationParams) -> Outcomes:
    """Yield what people say of each rated row, and the tables; the units are the answers of filled sheets.

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
    """Return what all ratings say together, by question, and how far raters agree.

    `questions`: name, wording and scale; papers, rows, raters and ratings that it has; mean over all ratings
    (of yes and no the share of yes) with the ends of its 95 % interval over papers, and standard deviation
    (n - 1; none of yes and no); by value its ratings, their share, and the rows that it has the majority of;
    tied rows; and the `paper` itself. Without ratings the counts are 0 and the numbers null. `agreement`: of
    each rater with the majority of all others; `pairs`: of every two raters.
    """
    questions = [
        {**question.described(), **_answered(question.name, questionnaire, rows, ratings, params)}
        for questionnaire in QUESTIONNAIRES
        for question in questionnaire.questions
    ]
    agreement = against_the_others(ratings).to_pylist()
    return {"questions": questions, "agreement": agreement, "pairs": pairwise(ratings).to_pylist()}


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
    sums = [(math.fsum(numbers), len(numbers)) for _, numbers in sorted(papers.items())]
    # The mean of all ratings, not of the papers' means: a paper counts by how often it was rated.
    around = interval(sums, params.resamples, params.seed, of_sums=_ratio) if sums else None
    # The question as a whole, then each of its values.
    found_means = means(ratings.filter(pc.equal(ratings["question"], name)), questionnaire).to_pylist()
    most = Counter(row["majority"] for row in own)
    return {
        "papers": len(papers),
        "rows": len(own),
        "raters": len({answer["rater"] for row in own for answer in row["answers"]}),
        "ratings": sum(row["raters"] for row in own),
        **(around._asdict() if around else dict.fromkeys(Interval._fields)),
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


def _ratio(sums: Floats) -> Floats:
    return sums[:, 0] / sums[:, 1]


def _row(row: Row, vote: Row) -> Row:
    numbers = _numbers(vote["answers"])
    return {
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
