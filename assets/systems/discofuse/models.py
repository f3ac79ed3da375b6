"""DiscoFuse, second half: models that fuse sentences, and what they and the examples are worth.

Belongs here: the datasets from balanced examples on. Not here: how these are made (discofuse.py), and how
anything is computed (ops/discofuse).
"""

from __future__ import annotations

import assets.systems.discofuse.datasets  # noqa: F401  a dataset is declared before what reads it
from assets.declare.child_runs import Trainings
from assets.declare.dataset import dataset
from assets.declare.expectations import among, between, identity, not_null, steady, text, unique, votes
from ops.discofuse.build.example import DISCOURSE_TYPES
from ops.discofuse.evaluation import human_evaluation as judging
from ops.discofuse.evaluation import rating_sheets as asking
from ops.discofuse.evaluation import scores as evaluating
from ops.discofuse.evaluation.questionnaires import QUESTIONNAIRES
from ops.discofuse.models import fusion_model as learning
from ops.discofuse.models import fusions as fusing
from ops.discofuse.models import transfer as transferring
from ops.models.seq2seq import served as seq2seq
from ops.models.training.checkpoints import CheckpointFolder
from ops.outcome import Outcomes
from ops.params import Strict
from ops.parts import Artifact, Parts
from ops.scores import DatasetScore


@dataset(
    group="discofuse",
    shape=learning.FUSION_MODEL,
    consumes="balanced",
    partitioned=False,
    measures=["source_tokens.length", "target_tokens.length"],
    trains=Trainings(seq2seq.KIND),
    expectations=[
        *identity("learnt"),
        *not_null("example_id", "set", "split", "discourse_type"),
        unique("set", "example_id"),
        among("split", "train", "validation", "test"),
        among("discourse_type", *DISCOURSE_TYPES),
        between("source_tokens.length", 1),
        between("target_tokens.length", 1),
        *steady(),
    ],
)
def fusion_model(
    balanced: Parts, params: learning.FusionModelParams, checkpoints: CheckpointFolder, strict: Strict
) -> Outcomes:
    """Models that fuse two sentences, one a domain and one of the mixture, and what each learnt from."""
    return learning.fusion_model(balanced, params, checkpoints, strict)


@dataset(
    group="discofuse",
    shape=fusing.FUSIONS,
    consumes="examples",
    partitioned=False,
    measures=["source.words", "prediction.words"],
    text_pair=("prediction", "target"),
    expectations=[
        *identity("fusion"),
        *not_null("example_id", "system", "domain", "balanced", "discourse_type", "source", "target"),
        unique("example_id", "system", "model"),
        among("system", "copy", "model"),
        *text("source", longest=6_000),
        *text("target", longest=6_000),
        *steady(),
    ],
)
def fusions(
    examples: Parts,
    balanced: Parts,
    fusion_model: Artifact,
    params: fusing.FusionParams,
    strict: Strict,
) -> Outcomes:
    """What every model, and the baseline that copies, makes of each test example."""
    return fusing.fusions(examples, balanced, fusion_model, params, strict)


@dataset(
    group="discofuse",
    shape=evaluating.EVALUATION,
    consumes="fusions",
    partitioned=False,
    measures=["sari", "keep", "add", "delete"],
    scores={name: DatasetScore(name, where="in_domain") for name in evaluating.METRICS},
    text_pair=("prediction", "target"),
    expectations=[
        *identity("score"),
        *not_null("fusion_id", "example_id", "system", "domain", "in_domain", "target"),
        unique("fusion_id"),
        *(between(name, 0, 1) for name in evaluating.METRICS),
        *steady(),
    ],
)
def evaluation(fusions: Parts, params: evaluating.EvaluationParams) -> Outcomes:
    """Exact and SARI of every fusion, its connective and pronouns: the paper's Tables 6, 7, 9, Figure 3."""
    return evaluating.evaluation(fusions, params)


@dataset(
    group="discofuse",
    shape=transferring.TRANSFER,
    consumes="fusion_pairs",
    partitioned=False,
    measures=["sari", "keep", "add", "delete"],
    scores={"sari": DatasetScore("sari", where="chosen")},
    trains=Trainings(seq2seq.KIND),
    text_pair=("prediction", "target"),
    expectations=[
        *identity("transferred"),
        *not_null("pair_id", "system", "chosen", "source", "target"),
        unique("pair_id", "system"),
        among("system", *transferring.SYSTEMS),
        *(between(name, 0, 1) for name in transferring.TABLE_10),
        *steady(),
    ],
)
def transfer(
    fusion_pairs: Parts,
    balanced: Parts,
    params: transferring.TransferParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """Whether learning from our examples first helps on a split-and-rephrase corpus: the paper's Table 10."""
    return transferring.transfer(fusion_pairs, balanced, params, checkpoints, strict)


@dataset(
    group="discofuse",
    shape=asking.RATING_SHEETS,
    consumes="examples",
    partitioned=False,
    expectations=[
        *identity("rated"),
        *not_null("questionnaire", "example_id", "domain", "sentence_1", "sentence_2", "asked"),
        among("questionnaire", *(questionnaire.name for questionnaire in QUESTIONNAIRES)),
        *text("sentence_1", longest=3_000),
        *text("sentence_2", longest=3_000),
        *steady(),
    ],
)
def rating_sheets(examples: Parts, fusions: Parts, params: asking.RatingSheetParams) -> Outcomes:
    """Examples and fusions for people to rate: are they understood, how to fuse, which is a person's."""
    return asking.rating_sheets(examples, fusions, params)


@dataset(
    group="discofuse",
    shape=judging.HUMAN_EVALUATION,
    consumes="ratings",
    partitioned=False,
    measures=["raters"],
    scores={"agreement": DatasetScore("agrees", "share", where="counted")},
    expectations=[
        *identity("judged"),
        *not_null("row_id", "questionnaire", "question", "example_id", "domain", "tie", "counted"),
        *votes(),
        *steady(),
    ],
)
def human_evaluation(
    ratings: Parts,
    rating_sheets: Parts,
    asked: asking.RatingSheetParams,
    params: judging.HumanEvaluationParams,
) -> Outcomes:
    """What people say of each rated example and fusion, with the paper's Tables 2, 5 and 8."""
    return judging.human_evaluation(ratings, rating_sheets, asked, params)
