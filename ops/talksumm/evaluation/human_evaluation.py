"""Human evaluation of summaries: a sample for people to rate, and the results.

Belongs here: which rows raters see, and the tables of their answers compared with the paper's numbers. Not
here: the questions (people.py), sheets, votes and agreement (ops/evaluation).

Lev et al. (2019), section 4.2: for 15 papers, presenters rated the summary of 30 sentences. For each sentence
they said whether they had considered it when preparing the talk; then they rated the quality of the summary
from 1 to 5. They had considered 73 % of the sentences. The mean quality is 3.73, with a standard deviation of
0.725.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean, stdev
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.ops.core.identity import made_of
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop, in_parts
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import sample
from silverloom.ops.evaluation.human_evaluation import (
    Judged,
    JudgedRows,
    answered,
    evaluate_ratings,
    numbers_of,
)
from silverloom.ops.evaluation.questionnaire import Question
from silverloom.ops.evaluation.table import with_files
from silverloom.ops.talksumm.evaluation.people import (
    OF_SENTENCES,
    OF_SUMMARIES,
    PAPER,
    PEOPLE,
    RATING_SHEETS,
    HumanEvaluationParams,
    RatingSheetParams,
)


def rating_sheets(summaries: Parts, alignments: Parts, talks: Parts, params: RatingSheetParams) -> Outcomes:
    """Yield the rows to rate, and the sheets; the units are the summaries.

    Summaries are dropped as `other_budget`, as `other_talk` (an earlier talk by id is about the same paper),
    or as `not_drawn`. Raises KeyError for a summary whose talk or sentences are missing.
    """
    months = dict(
        zip(*(talks.read(["id", "month"])[name].to_pylist() for name in ("id", "month")), strict=True)
    )
    of_budget = summaries.read(["id", "talk_id", "paper_id"], where=("budget", [params.budget]))
    first: dict[str, str] = {}
    for unit in of_budget.sort_by("talk_id").to_pylist():
        first.setdefault(unit["paper_id"], unit["talk_id"])
    rated = of_budget.filter(pc.is_in(of_budget["talk_id"], pa.array(sorted(first.values()), pa.string())))
    by_month = rated.append_column(
        "month", pa.array([months[talk] for talk in rated["talk_id"].to_pylist()], pa.string())
    )
    ids = sample(by_month, params.papers, params.seed, strata=["month"])["id"].to_pylist()
    drawn = summaries.read(where=("id", ids)).sort_by("id").to_pylist()
    wanted = [state for summary in drawn for state in summary["source_ids"]]
    aligned = alignments.read(["id", "text"], where=("id", wanted))
    texts = dict(zip(aligned["id"].to_pylist(), aligned["text"].to_pylist(), strict=True))
    kept = [row for summary in drawn for row in _rows(summary, months[summary["talk_id"]], texts)]
    taken = {*ids}

    def parts() -> Outcomes:
        yield Outcome.of(RATING_SHEETS, ids, kept)
        for part in summaries:
            dropped = [
                drop(unit, _reason(unit, params.budget, first), detail=unit["budget"])
                for unit in part.to_pylist()
                if unit["id"] not in taken
            ]
            yield Outcome.of(RATING_SHEETS, [unit["id"] for unit in dropped], [], dropped)

    yield from with_files(in_parts(parts()), RATING_SHEETS, lambda: PEOPLE.files(kept, params))


def tables(judged: Judged, params: HumanEvaluationParams) -> dict[str, Any]:
    """Return the results of all ratings, by question.

    `questions`: name, wording and scale; the numbers of papers, rows, raters and ratings; the mean over all
    ratings (for yes and no: the share of yes) with its 95 % interval over papers; the standard deviation (n -
    1; null for yes and no); for each value its ratings, their share, and the rows in which it has the
    majority; tied rows; and the values of the `paper`. If there are no ratings, counts are 0 and numbers
    null.
    """
    return {"questions": [_question(question, judged.rows, params) for question in PEOPLE.questions]}


def _question(question: Question, rows: Sequence[Row], params: HumanEvaluationParams) -> dict[str, Any]:
    own = [row for row in rows if row["question"] == question.name]
    papers: dict[str, list[Row]] = defaultdict(list)
    for row in own:
        papers[row["paper_id"]].append(row)
    answers = answered([papers[name] for name in sorted(papers)], params)
    if not question.scale.numeric:
        answers["deviation"] = None
    given = Counter(answer["value"] for row in own for answer in row["answers"])
    most = Counter(row["majority"] for row in own)
    return {
        **question.described(),
        "papers": len(papers),
        "rows": len(own),
        **answers,
        "values": [
            {
                "value": value,
                "ratings": given[value],
                "share": given[value] / answers["ratings"],
                "majorities": most[value],
            }
            for value in question.scale.values
            if own
        ],
        "ties": most[None],
        "paper": PAPER[question.name],
    }


def _said(judged: JudgedRows) -> Iterator[Row]:
    for row, vote in judged:
        numbers = numbers_of(vote["answers"])
        yield {
            "mean": fmean(numbers),
            "deviation": stdev(numbers) if len(numbers) > 1 else None,
            "sentence": row["questionnaire"] == OF_SENTENCES.name,
            "summary": row["questionnaire"] == OF_SUMMARIES.name,
        }


def _reason(unit: Row, budget: str, first: Mapping[str, str]) -> str:
    if unit["budget"] != budget:
        return "other_budget"
    return "not_drawn" if unit["talk_id"] == first[unit["paper_id"]] else "other_talk"


def _rows(summary: Row, month: str, texts: Mapping[str, str]) -> Iterator[Row]:
    """Yield a row for every sentence of a summary, then one for the whole summary."""
    shared = {name: summary[name] for name in ("pair_id", "paper_id", "paper_title")}
    shared |= {"summary_id": summary["id"], "month": month}
    for state, sentence, position in zip(
        summary["source_ids"], summary["sentence_ids"], summary["positions"], strict=True
    ):
        about = {"sentence_id": sentence, "position": position, "text": texts[state]}
        row = PEOPLE.sent(OF_SENTENCES, [summary], [summary["id"], sentence], **shared, **about)
        yield {**row, **made_of(row["id"], [summary["id"], state], row["licence"])}
    yield PEOPLE.sent(OF_SUMMARIES, [summary], [summary["id"]], **shared, text=summary["text"])


#: Yields the results for each rated row, and the tables; see `evaluate_ratings`.
human_evaluation = partial(evaluate_ratings, PEOPLE, _said, tables)
