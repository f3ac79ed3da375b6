"""TalkSumm, second half: models trained on the silver summaries, and the evaluation of models and summaries.

Belongs here: the datasets from training sets and summaries on. Not here: how these are made (datasets.py),
and the computation (ops/talksumm).
"""

from __future__ import annotations

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.declaration import Trainings
from silverloom.assets.declare.expectations import (
    between,
    equal,
    none,
    text,
    texts,
    unique,
)
from silverloom.assets.people import judgements as judgements_of
from silverloom.assets.people import ratings, sheets
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.models.training.checkpoints import CheckpointFolder
from silverloom.ops.talksumm.evaluation import people
from silverloom.ops.talksumm.evaluation.gold_papers import GOLD_PAPERS, GoldPaperParams
from silverloom.ops.talksumm.evaluation.gold_papers import gold_papers as gold_papers_op
from silverloom.ops.talksumm.evaluation.human_evaluation import human_evaluation as human_evaluation_op
from silverloom.ops.talksumm.evaluation.human_evaluation import rating_sheets as rating_sheets_op
from silverloom.ops.talksumm.evaluation.scores import EVALUATION, SCORES, TABLE_2, EvaluationParams
from silverloom.ops.talksumm.evaluation.scores import evaluation as evaluation_op
from silverloom.ops.talksumm.evaluation.system_summaries import SYSTEM_SUMMARIES, SystemSummaryParams
from silverloom.ops.talksumm.evaluation.system_summaries import system_summaries as system_summaries_op
from silverloom.ops.talksumm.extractors.files import KIND
from silverloom.ops.talksumm.models import EXTRACTOR, ExtractorParams
from silverloom.ops.talksumm.models import extractor as extractor_op


@dataset(
    group="talksumm",
    shape=GOLD_PAPERS,
    consumes="human_summaries",
    partitioned=False,
    measures=["sentences.length", "labels.items", "references.length"],
    scores={
        "labelled": DatasetScore("labels.items", "share"),
        "references": DatasetScore("references.length"),
    },
    expectations=[
        unique("paper_id"),
        between("sentences.length", 1),
        equal("sentences.length", "labels.length"),
        equal("sentences.length", "roles.length"),
        equal("sentences.length", "sections.length"),
        equal("sentences.length", "gains.length"),
        *none("sections.items.descents", "references.id.repeats"),
        between("labels.items.least", 0, 1),
        between("labels.items.greatest", 1, 1, "warning"),
        between("references.length", 1),
        *texts("sentences.items", longest=3_000),
    ],
    one_task=True,
)
def gold_papers(human_summaries: Parts, papers: Parts, sentences: Parts, params: GoldPaperParams) -> Outcomes:
    """Papers with summaries by people and greedy labels, to tune and test summarisers on."""
    return gold_papers_op(human_summaries, papers, sentences, params)


@dataset(
    group="talksumm",
    shape=EXTRACTOR,
    consumes="training_sets",
    partitioned=False,
    measures=["agreement", "sentences", "positions.length"],
    trains=Trainings(KIND, "evaluation"),
    scores={
        "agreement": DatasetScore("agreement"),
        "agreement_of_chosen": DatasetScore("agreement", where="chosen"),
    },
    expectations=[
        unique("architecture", "set", "example_id"),
        between("agreement", 0, 1),
        between("positions.length", 1, None, "warning"),
        *none("positions.items.repeats"),
        between("positions.items.least", 0),
    ],
    one_task=True,
)
def extractor(
    training_sets: Parts,
    gold_papers: Parts,
    params: ExtractorParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """Extractive summarisers for each training set and architecture, with the sentences that each selects."""
    return extractor_op(training_sets, gold_papers, params, checkpoints, strict)


@dataset(
    group="talksumm",
    shape=SYSTEM_SUMMARIES,
    consumes="gold_papers",
    partitioned=False,
    measures=["words", "sentences.length"],
    scores={"words": DatasetScore("words")},
    expectations=[
        unique("gold_id", "system", "model"),
        between("words", 0, None),
        between("words", 10, None, "warning"),
        equal("text.words", "words"),
        *none("positions.items.repeats", "positions.items.descents"),
        *text("text", longest=50_000),
    ],
)
def system_summaries(
    gold_papers: Parts, extractor: Artifact, params: SystemSummaryParams, strict: Strict
) -> Outcomes:
    """Summaries of the test papers by every system: Only and Hybrid of each extractor, and the baselines."""
    return system_summaries_op(gold_papers, extractor, params, strict)


@dataset(
    group="talksumm",
    shape=EVALUATION,
    consumes="system_summaries",
    partitioned=False,
    measures=["rouge2_f", "rouge3_f", "rougeSU4_f"],
    scores={name: DatasetScore(name, where="only") for name in TABLE_2},
    text_pair=("text", "reference"),
    expectations=[
        unique("summary_id"),
        between("references", 1),
        *(between(name, 0, 1) for name in SCORES),
    ],
    one_task=True,
)
def evaluation(system_summaries: Parts, gold_papers: Parts, params: EvaluationParams) -> Outcomes:
    """ROUGE of every summary against those by people: the paper's Table 2, with intervals and tests."""
    return evaluation_op(system_summaries, gold_papers, params)


@sheets(
    "talksumm",
    people.PEOPLE,
    "summaries",
    expectations=[between("position", 0), *text("text", longest=50_000)],
    shape=people.RATING_SHEETS,
    measures=["text.words"],
)
def rating_sheets(
    summaries: Parts, alignments: Parts, talks: Parts, params: people.RatingSheetParams
) -> Outcomes:
    """Sentences and summaries of a sample of talks for people to rate, with the sheets to fill in."""
    return rating_sheets_op(summaries, alignments, talks, params)


judgements = judgements_of("talksumm", people.PEOPLE)


@ratings(
    "talksumm",
    people.PEOPLE,
    expectations=[between("mean", 0, 5), between("deviation", 0), *text("text", longest=50_000)],
    shape=people.HUMAN_EVALUATION,
    measures=["mean", "raters"],
    scores={
        "considered": DatasetScore("mean", where="sentence"),
        "quality": DatasetScore("mean", where="summary"),
    },
)
def human_evaluation(
    ratings: Parts,
    rating_sheets: Parts,
    judgements: Parts,
    asked: people.RatingSheetParams,
    params: people.HumanEvaluationParams,
) -> Outcomes:
    """Ratings of sentences and summaries by people, with the tables of the paper's section 4.2."""
    return human_evaluation_op(ratings, rating_sheets, asked, params, judgements)
