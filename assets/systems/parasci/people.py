"""The human evaluation of ParaSCI's pairs.

Belongs here: rating sheets and the human evaluation. Not here: the pairs (datasets.py), the computation
(ops/parasci/evaluation).
"""

from __future__ import annotations

from assets.declare.dataset import AllParts, dataset
from assets.declare.expectations import among, between, identity, not_null, steady, text, unique, votes
from ops.core.measures import DatasetScore
from ops.core.outcome import Outcomes
from ops.core.parts import Parts
from ops.crawl.options import CrawlPlace
from ops.evaluation.judge.judgements import JUDGEMENT, judgements_shape
from ops.evaluation.judge.judgements import judgements as judgements_op
from ops.evaluation.judge.params import JudgeParams
from ops.parasci.evaluation import people
from ops.parasci.evaluation.human_evaluation import human_evaluation as human_evaluation_op
from ops.parasci.evaluation.human_evaluation import rating_sheets as rating_sheets_op


@dataset(
    group="parasci",
    shape=people.RATING_SHEETS,
    consumes="paraphrases",
    partitioned=False,
    expectations=[
        *identity("rated"),
        *not_null("questionnaire", "paraphrase_id", "origin"),
        unique("questionnaire", "paraphrase_id"),
        among("questionnaire", *people.PEOPLE.names),
        *text("sentence_1", longest=20_000),
        *text("sentence_2", longest=20_000),
        *steady(),
    ],
    one_task=True,
)
def rating_sheets(
    paraphrases: Parts, paraphrase_pairs: AllParts, params: people.RatingSheetParams
) -> Outcomes:
    """Pairs of each origin for people to rate: whether they mean the same, and how they differ."""
    return rating_sheets_op(paraphrases, paraphrase_pairs, params)


@dataset(
    group="parasci",
    shape=judgements_shape(people.PEOPLE),
    consumes="rating_sheets",
    partitioned=False,
    expectations=[
        *identity("judgement"),
        *not_null(*JUDGEMENT),
        unique("row_id", "question"),
        among("questionnaire", *people.PEOPLE.names),
        *steady(),
    ],
)
def judgements(rating_sheets: Parts, params: JudgeParams, place: CrawlPlace) -> Outcomes:
    """Answers of a judge model to the same questions about the same rows, if a model is named."""
    return judgements_op(people.PEOPLE, rating_sheets, params, place)


@dataset(
    group="parasci",
    shape=people.HUMAN_EVALUATION,
    consumes="ratings",
    partitioned=False,
    measures=["mean", "raters"],
    scores={"consistency": DatasetScore("consistency")},
    text_pair=("sentence_1", "sentence_2"),
    expectations=[
        *identity("judged"),
        *not_null("row_id", "question", "paraphrase_id", "origin", "mean", "tie"),
        *votes(),
        among("questionnaire", *people.PEOPLE.names),
        between("mean", 0, 10),
        *steady(),
    ],
    one_task=True,
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
