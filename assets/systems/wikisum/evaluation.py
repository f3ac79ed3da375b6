"""WikiSum, last part: what the leads of models and rankers are worth.

Belongs here: the datasets from what was written on. Not here: the models (models.py), and how anything is
computed (ops/wikisum/evaluation).
"""

from __future__ import annotations

import assets.systems.wikisum.models  # noqa: F401  a dataset is declared before what reads it
from assets.declare.dataset import dataset
from assets.declare.expectations import among, between, identity, not_null, steady, text, unique, votes
from ops.outcome import Outcomes
from ops.params import Strict
from ops.parts import Artifact, Parts
from ops.scores import DatasetScore
from ops.wikisum.evaluation import human_evaluation as judging
from ops.wikisum.evaluation import rating_sheets as asking
from ops.wikisum.evaluation import scores as evaluating
from ops.wikisum.evaluation.questionnaires import QUESTIONNAIRES
from ops.wikisum.splits import SplitParams


@dataset(
    group="wikisum",
    shape=evaluating.EVALUATION,
    consumes="ranked",
    partitioned=False,
    measures=["prediction.words", "rougeL_f"],
    scores={"rougeL_f": DatasetScore("rougeL_f", where="chosen")},
    text_pair=("prediction", "target"),
    expectations=[
        *identity("score"),
        *not_null("article_id", "title", "system", "model", "ranker", "corpus", "chosen", "target"),
        unique("article_id", "system", "model"),
        between("length", 1),
        between("nats", 0),
        *(between(name, 0, 1) for name in evaluating.SCORES),
        *text("target", longest=1_000_000),
        *steady(),
    ],
)
def evaluation(
    ranked: Parts,
    articles: Parts,
    grid: Artifact,
    learned_ranker: Artifact,
    splits: SplitParams,
    params: evaluating.EvaluationParams,
    strict: Strict,
) -> Outcomes:
    """The scores of every model of the grid and of extraction alone: Tables 3, 4 and 7, Figures 2 and 3."""
    return evaluating.evaluation(ranked, articles, grid, learned_ranker, splits, params, strict)


@dataset(
    group="wikisum",
    shape=asking.RATING_SHEETS,
    consumes="evaluation",
    partitioned=False,
    expectations=[
        *identity("rated"),
        *not_null("questionnaire", "article_id", "title"),
        among("questionnaire", *(questionnaire.name for questionnaire in QUESTIONNAIRES)),
        *steady(),
    ],
)
def rating_sheets(evaluation: Parts, params: asking.RatingSheetParams) -> Outcomes:
    """Leads for people to rate: by the five questions of DUC, and two side by side."""
    return asking.rating_sheets(evaluation, params)


@dataset(
    group="wikisum",
    shape=judging.HUMAN_EVALUATION,
    consumes="ratings",
    partitioned=False,
    measures=["mean", "raters"],
    expectations=[
        *identity("judged"),
        *not_null("row_id", "questionnaire", "question", "article_id", "mean", "tie"),
        *votes(),
        between("mean", -2, 5),
        *steady(),
    ],
)
def human_evaluation(
    ratings: Parts,
    rating_sheets: Parts,
    asked: asking.RatingSheetParams,
    params: judging.HumanEvaluationParams,
) -> Outcomes:
    """What people say of each rated lead, with the paper's Tables 5 and 6."""
    return judging.human_evaluation(ratings, rating_sheets, asked, params)
