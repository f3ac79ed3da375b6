"""The human evaluation of ParaSCI's pairs.

Belongs here: rating sheets and the human evaluation. Not here: the pairs (datasets.py), the computation
(ops/parasci/evaluation).
"""

from __future__ import annotations

from silverloom.assets.declare.dataset import AllParts
from silverloom.assets.declare.expectations import between, text, unique
from silverloom.assets.people import judgements as judgements_of
from silverloom.assets.people import ratings, sheets
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.parts import Parts
from silverloom.ops.parasci.evaluation import people
from silverloom.ops.parasci.evaluation.human_evaluation import human_evaluation as human_evaluation_op
from silverloom.ops.parasci.evaluation.human_evaluation import rating_sheets as rating_sheets_op


@sheets(
    "parasci",
    people.PEOPLE,
    "paraphrases",
    expectations=[
        unique("questionnaire", "paraphrase_id"),
        *text("sentence_1", longest=20_000),
        *text("sentence_2", longest=20_000),
    ],
    shape=people.RATING_SHEETS,
)
def rating_sheets(
    paraphrases: Parts, paraphrase_pairs: AllParts, params: people.RatingSheetParams
) -> Outcomes:
    """Pairs of each origin for people to rate: whether they mean the same, and how they differ."""
    return rating_sheets_op(paraphrases, paraphrase_pairs, params)


judgements = judgements_of("parasci", people.PEOPLE)


@ratings(
    "parasci",
    people.PEOPLE,
    expectations=[between("mean", 0, 10)],
    shape=people.HUMAN_EVALUATION,
    measures=["mean", "raters"],
    scores={"consistency": DatasetScore("consistency")},
    text_pair=("sentence_2", "sentence_1"),
)
def human_evaluation(
    ratings: Parts,
    rating_sheets: Parts,
    judgements: Parts,
    asked: people.RatingSheetParams,
    params: people.HumanEvaluationParams,
) -> Outcomes:
    """Ratings of pairs by people: consistency, and the paper's Tables 4 and 5."""
    return human_evaluation_op(ratings, rating_sheets, asked, params, judgements)
