"""The human evaluation of paraphrase pairs: a sample of each origin for people to rate, and their ratings.

Belongs here: which pairs raters see, and the paper's consistency and Tables 4 and 5 from their answers. Not
here: the questions (people.py), sheets, votes and agreement (ops/evaluation), the paper's numbers (next to
the page).

Dong et al. (2021), sections 5 and 6: three people rate every pair; phenomena are counted in 100 pairs of each
dataset. Raters see two sentences in an order drawn by the seed, and neither scores nor origin. Scores are
means over all raters and pairs. Agreement is the average Cohen's kappa of each rater against the majority of
the others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from ops.core.outcome import Outcome, Outcomes, Row, drop
from ops.core.parts import Parts
from ops.core.sampling import drawn, sample_each
from ops.evaluation.agreement import against_the_others
from ops.evaluation.human_evaluation import Judged, JudgedRows, answered, evaluate_ratings, numbers_of
from ops.evaluation.questionnaire import Question, Questionnaire
from ops.parasci.evaluation.people import (
    PAIRS,
    PEOPLE,
    PHENOMENA,
    RATING_SHEETS,
    HumanEvaluationParams,
    RatingSheetParams,
)

#: The name for all origins together.
ALL = "all"


def rating_sheets(paraphrases: Parts, params: RatingSheetParams) -> Outcomes:
    """Yield the rows to be rated, part by part, and the sheets; the units are the pairs.

    Reason: `not_drawn`. The smaller of the two samples of an origin is a subset of the larger one.
    """
    known = ["id", "origin"]
    asked = [
        (questionnaire, set(sample_each(paraphrases.tables(known), "origin", size, params.seed)))
        for questionnaire, size in ((PAIRS, params.pairs), (PHENOMENA, params.phenomena))
    ]
    rows: list[Row] = []
    for part in paraphrases:
        units = part.to_pylist()
        kept = [
            _row(unit, questionnaire, params.seed)
            for unit in units
            for questionnaire, ids in asked
            if unit["id"] in ids
        ]
        taken = {row["paraphrase_id"] for row in kept}
        dropped = [drop(unit, "not_drawn") for unit in units if unit["id"] not in taken]
        rows += kept
        yield Outcome.of(RATING_SHEETS, part["id"].to_pylist(), kept, dropped)
    yield Outcome.of(RATING_SHEETS, [], [], files=PEOPLE.files(rows, params))


def tables(judged: Judged, params: HumanEvaluationParams) -> dict[str, Any]:
    """Return the results of all ratings, by question.

    Each of `questions` has its name, wording and scale, the average `kappa` of raters against the majority of
    the others, the number of `raters` in that average, and `scores` for all pairs and by origin: the numbers
    of rated pairs, raters and ratings, the mean over all ratings with its 95 % interval over pairs, the
    standard deviation (n - 1), and the number of ratings by value.
    """
    agreement = against_the_others(judged.ratings).to_pylist()
    questions = [_question(question, judged.rows, agreement, params) for question in PEOPLE.questions]
    return {"questions": questions}


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
    found = answered([[row] for row in rows], params)
    given = Counter(answer["value"] for row in rows for answer in row["answers"])
    deviation = found["deviation"]
    return {
        "origin": name,
        "rated": len(rows),
        **found,
        "deviation": None if deviation is None else round(deviation, 6),
        "values": {value: given[value] for value in values},
    }


def _said(judged: JudgedRows) -> Iterator[Row]:
    for _, vote in judged:
        mean = fmean(numbers_of(vote["answers"]))
        yield {"mean": mean, "consistency": mean if vote["question"] == "consistency" else None}


def _row(pair: Row, questionnaire: Questionnaire, seed: int) -> Row:
    sides = ("first", "second") if drawn(seed, "order", pair["id"])[0] % 2 else ("second", "first")
    return PEOPLE.sent(
        questionnaire,
        [pair],
        [pair["id"]],
        paraphrase_id=pair["id"],
        origin=pair["origin"],
        sentence_1=pair[sides[0]],
        sentence_2=pair[sides[1]],
    )


#: Yields the ratings of each rated row, and the tables, as `evaluate_ratings` does.
human_evaluation = partial(evaluate_ratings, PEOPLE, _said, tables)
