"""WikiSum, last part: the evaluation of leads by models and rankers.

Belongs here: the datasets that evaluate written leads. Not here: the models (models.py), and the computation
(ops/wikisum/evaluation).
"""

from __future__ import annotations

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.expectations import between, text, unique
from silverloom.assets.people import judgements as judgements_of
from silverloom.assets.people import ratings, sheets
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.wikisum.evaluation import people
from silverloom.ops.wikisum.evaluation.human_evaluation import human_evaluation as human_evaluation_op
from silverloom.ops.wikisum.evaluation.human_evaluation import rating_sheets as rating_sheets_op
from silverloom.ops.wikisum.evaluation.scores import EVALUATION, SCORES, EvaluationParams
from silverloom.ops.wikisum.evaluation.scores import evaluation as evaluation_op
from silverloom.ops.wikisum.schemas import SplitParams


@dataset(
    group="wikisum",
    shape=EVALUATION,
    consumes="ranked",
    partitioned=False,
    measures=["prediction.words", "rougeL_f"],
    scores={"rougeL_f": DatasetScore("rougeL_f", where="chosen")},
    text_pair=("prediction", "target"),
    expectations=[
        unique("article_id", "system", "model"),
        between("length", 1),
        between("nats", 0),
        *(between(name, 0, 1) for name in SCORES),
        *text("target", longest=1_000_000),
    ],
)
def evaluation(
    ranked: Parts,
    articles: Parts,
    grid: Artifact,
    learned_ranker: Artifact,
    splits: SplitParams,
    params: EvaluationParams,
    strict: Strict,
) -> Outcomes:
    """Scores of every model of the grid, and of extraction alone: Tables 3, 4 and 7, Figures 2 and 3."""
    return evaluation_op(ranked, articles, grid, learned_ranker, splits, params, strict)


@sheets("wikisum", people.PEOPLE, "evaluation", shape=people.RATING_SHEETS)
def rating_sheets(evaluation: Parts, params: people.RatingSheetParams) -> Outcomes:
    """Leads for people to rate: by the five questions of DUC, and two leads side by side."""
    return rating_sheets_op(evaluation, params)


judgements = judgements_of("wikisum", people.PEOPLE)


@ratings(
    "wikisum",
    people.PEOPLE,
    expectations=[between("mean", -2, 5)],
    shape=people.HUMAN_EVALUATION,
    measures=["mean", "raters"],
)
def human_evaluation(
    ratings: Parts,
    rating_sheets: Parts,
    judgements: Parts,
    asked: people.RatingSheetParams,
    params: people.HumanEvaluationParams,
) -> Outcomes:
    """Ratings of leads by people, with the paper's Tables 5 and 6."""
    return human_evaluation_op(ratings, rating_sheets, asked, params, judgements)
