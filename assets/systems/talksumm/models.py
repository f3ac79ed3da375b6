"""TalkSumm, second half: models trained on the silver summaries, and what they and the summaries are worth.

Belongs here: the datasets from training sets and summaries on. Not here: how these are made (talksumm.py),
and how anything is computed (ops/talksumm).
"""

from __future__ import annotations

import assets.systems.talksumm.datasets  # noqa: F401  a dataset is declared before what reads it
from assets.declare.child_runs import Trainings
from assets.declare.dataset import dataset
from assets.declare.expectations import (
    among,
    between,
    equal,
    identity,
    none,
    not_null,
    steady,
    text,
    texts,
    unique,
    votes,
)
from ops.models.extractors import served as extractors
from ops.models.training.checkpoints import CheckpointFolder
from ops.outcome import Outcomes
from ops.params import Strict
from ops.parts import Artifact, Parts
from ops.scores import DatasetScore
from ops.talksumm.evaluation import gold_papers as gold
from ops.talksumm.evaluation import human_evaluation as judging
from ops.talksumm.evaluation import rating_sheets as asking
from ops.talksumm.evaluation import scores as evaluating
from ops.talksumm.evaluation import system_summaries as summarising
from ops.talksumm.evaluation.questionnaires import QUESTIONNAIRES
from ops.talksumm.models import extractor as extracting


@dataset(
    group="talksumm",
    shape=gold.GOLD_PAPERS,
    consumes="human_summaries",
    partitioned=False,
    measures=["sentences.length", "labels.items", "references.length"],
    scores={
        "labelled": DatasetScore("labels.items", "share"),
        "references": DatasetScore("references.length"),
    },
    expectations=[
        *identity("gold"),
        *not_null("paper_id", "document", "split"),
        unique("paper_id"),
        among("split", "train", "validation", "test"),
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
        *steady(),
    ],
)
def gold_papers(
    human_summaries: Parts, papers: Parts, sentences: Parts, params: gold.GoldPaperParams
) -> Outcomes:
    """Papers that people summarised, with greedy labels: what summarisers are judged on, split by paper."""
    return gold.gold_papers(human_summaries, papers, sentences, params)


@dataset(
    group="talksumm",
    shape=extracting.EXTRACTOR,
    consumes="training_sets",
    partitioned=False,
    measures=["agreement", "sentences", "positions.length"],
    trains=Trainings(extractors.KIND),
    scores={
        "agreement": DatasetScore("agreement"),
        "agreement_of_chosen": DatasetScore("agreement", where="chosen"),
    },
    expectations=[
        *identity("extraction"),
        *not_null("example_id", "paper_id", "architecture", "set", "split"),
        unique("architecture", "set", "example_id"),
        between("agreement", 0, 1),
        between("positions.length", 1, None, "warning"),
        *none("positions.items.repeats"),
        between("positions.items.least", 0),
        *steady(),
    ],
)
def extractor(
    training_sets: Parts,
    gold_papers: Parts,
    params: extracting.ExtractorParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """Extractive summarisers, one a training set and architecture, and what each chooses of its examples."""
    return extracting.extractor(training_sets, gold_papers, params, checkpoints, strict)


@dataset(
    group="talksumm",
    shape=summarising.SYSTEM_SUMMARIES,
    consumes="gold_papers",
    partitioned=False,
    measures=["words", "sentences.length"],
    scores={"words": DatasetScore("words")},
    expectations=[
        *identity("summary"),
        *not_null("gold_id", "paper_id", "system"),
        unique("gold_id", "system", "model"),
        between("words", 0, None),
        between("words", 10, None, "warning"),
        equal("text.words", "words"),
        *none("positions.items.repeats", "positions.items.descents"),
        *text("text", longest=50_000),
        *steady(),
    ],
)
def system_summaries(
    gold_papers: Parts, extractor: Artifact, params: summarising.SystemSummaryParams, strict: Strict
) -> Outcomes:
    """A summary of every test paper by every system: Only and Hybrid of each extractor, and the baselines."""
    return summarising.system_summaries(gold_papers, extractor, params, strict)


@dataset(
    group="talksumm",
    shape=evaluating.EVALUATION,
    consumes="system_summaries",
    partitioned=False,
    measures=["rouge2_f", "rouge3_f", "rougeSU4_f"],
    scores={name: DatasetScore(name, where="only") for name in evaluating.TABLE_2},
    text_pair=("text", "reference"),
    expectations=[
        *identity("score"),
        *not_null("summary_id", "gold_id", "system", "text", "reference"),
        unique("summary_id"),
        between("references", 1),
        *(between(name, 0, 1) for name in evaluating.SCORES),
        *steady(),
    ],
)
def evaluation(system_summaries: Parts, gold_papers: Parts, params: evaluating.EvaluationParams) -> Outcomes:
    """ROUGE of every summary against those of people; the paper's Table 2 with intervals and paired tests."""
    return evaluating.evaluation(system_summaries, gold_papers, params)


@dataset(
    group="talksumm",
    shape=asking.RATING_SHEETS,
    consumes="summaries",
    partitioned=False,
    measures=["text.words"],
    expectations=[
        *identity("rated"),
        *not_null("questionnaire", "summary_id", "paper_id", "month", "text"),
        among("questionnaire", *(questionnaire.name for questionnaire in QUESTIONNAIRES)),
        between("position", 0),
        *text("text", longest=50_000),
        *steady(),
    ],
)
def rating_sheets(
    summaries: Parts, alignments: Parts, talks: Parts, params: asking.RatingSheetParams
) -> Outcomes:
    """Sentences and summaries of a sample of talks, to be rated by people, and the sheets to fill in."""
    return asking.rating_sheets(summaries, alignments, talks, params)


@dataset(
    group="talksumm",
    shape=judging.HUMAN_EVALUATION,
    consumes="ratings",
    partitioned=False,
    measures=["mean", "raters"],
    scores={
        "considered": DatasetScore("mean", where="sentence"),
        "quality": DatasetScore("mean", where="summary"),
    },
    expectations=[
        *identity("judged"),
        *not_null("row_id", "question", "summary_id", "paper_id", "text", "mean", "tie"),
        *votes(),
        between("mean", 0, 5),
        between("deviation", 0),
        *text("text", longest=50_000),
        *steady(),
    ],
)
def human_evaluation(
    ratings: Parts,
    rating_sheets: Parts,
    asked: asking.RatingSheetParams,
    params: judging.HumanEvaluationParams,
) -> Outcomes:
    """What people say of each rated sentence and summary, with the tables of the paper's section 4.2."""
    return judging.human_evaluation(ratings, rating_sheets, asked, params)
