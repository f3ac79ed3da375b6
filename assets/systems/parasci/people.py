"""What people are asked about ParaSCI's pairs, and what they say.

Belongs here: rating sheets and the human evaluation. Not here: the pairs (datasets.py), how anything is
computed (ops/parasci/evaluation).
"""

from __future__ import annotations

import assets.sources
import assets.systems.parasci.datasets  # noqa: F401  a dataset is declared before what reads it
from assets.declare.dataset import dataset
from assets.declare.expectations import among, between, identity, not_null, steady, text, unique, votes
from ops.outcome import Outcomes
from ops.parasci.evaluation import human_evaluation as judging
from ops.parasci.evaluation import rating_sheets as asking
from ops.parasci.evaluation.questionnaires import QUESTIONNAIRES
from ops.parts import Parts
from ops.scores import DatasetScore

NAMES = [questionnaire.name for questionnaire in QUESTIONNAIRES]


@dataset(
    group="parasci",
    shape=asking.RATING_SHEETS,
    consumes="paraphrases",
    partitioned=False,
    expectations=[
        *identity("rated"),
        *not_null("questionnaire", "paraphrase_id", "origin"),
        unique("questionnaire", "paraphrase_id"),
        among("questionnaire", *NAMES),
        *text("sentence_1", longest=20_000),
        *text("sentence_2", longest=20_000),
        *steady(),
    ],
)
def rating_sheets(paraphrases: Parts, params: asking.RatingSheetParams) -> Outcomes:
    """Pairs of each origin for people to rate: do they mean the same, how do they differ."""
    return asking.rating_sheets(paraphrases, params)


@dataset(
    group="parasci",
    shape=judging.HUMAN_EVALUATION,
    consumes="ratings",
    partitioned=False,
    measures=["mean", "raters"],
    scores={"consistency": DatasetScore("consistency")},
    text_pair=("sentence_1", "sentence_2"),
    expectations=[
        *identity("judged"),
        *not_null("row_id", "question", "paraphrase_id", "origin", "mean", "tie"),
        *votes(),
        among("questionnaire", *NAMES),
        between("mean", 0, 10),
        *steady(),
    ],
)
def human_evaluation(
    ratings: Parts,
    rating_sheets: Parts,
    asked: asking.RatingSheetParams,
    params: judging.HumanEvaluationParams,
) -> Outcomes:
    """What people say of each rated pair: consistency, and the paper's Tables 4 and 5."""
    return judging.human_evaluation(ratings, rating_sheets, asked, params)
