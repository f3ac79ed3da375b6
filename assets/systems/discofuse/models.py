"""DiscoFuse, second half: models that fuse sentences, and the evaluation of models and examples.

Belongs here: the datasets from balanced examples on. Not here: how these are made (datasets.py), and the
computation (ops/discofuse).
"""

from __future__ import annotations

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.declaration import Trainings
from silverloom.assets.declare.expectations import among, between, text, unique
from silverloom.assets.people import judgements as judgements_of
from silverloom.assets.people import ratings, sheets
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.discofuse.evaluation import people
from silverloom.ops.discofuse.evaluation.human_evaluation import human_evaluation as human_evaluation_op
from silverloom.ops.discofuse.evaluation.human_evaluation import rating_sheets as rating_sheets_op
from silverloom.ops.discofuse.evaluation.scores import EVALUATION, METRICS, EvaluationParams
from silverloom.ops.discofuse.evaluation.scores import evaluation as evaluation_op
from silverloom.ops.discofuse.models.fusion_model import FUSION_MODEL, FusionModelParams
from silverloom.ops.discofuse.models.fusion_model import fusion_model as fusion_model_op
from silverloom.ops.discofuse.models.fusions import FUSIONS, FusionParams
from silverloom.ops.discofuse.models.fusions import fusions as fusions_op
from silverloom.ops.discofuse.models.transfer import SYSTEMS, TABLE_10, TRANSFER, TransferParams
from silverloom.ops.discofuse.models.transfer import transfer as transfer_op
from silverloom.ops.discofuse.rules.rule import DISCOURSE_TYPES
from silverloom.ops.models.seq2seq.files import KIND as SEQ2SEQ
from silverloom.ops.models.training.checkpoints import CheckpointFolder


@dataset(
    group="discofuse",
    shape=FUSION_MODEL,
    consumes="balanced",
    partitioned=False,
    measures=["source_tokens.length", "target_tokens.length"],
    trains=Trainings(SEQ2SEQ, "evaluation"),
    expectations=[
        unique("set", "example_id"),
        among("discourse_type", *DISCOURSE_TYPES),
        between("source_tokens.length", 1),
        between("target_tokens.length", 1),
    ],
    one_task=True,
)
def fusion_model(
    balanced: Parts, params: FusionModelParams, checkpoints: CheckpointFolder, strict: Strict
) -> Outcomes:
    """Models that fuse two sentences, one for each domain and one for the mixture."""
    return fusion_model_op(balanced, params, checkpoints, strict)


@dataset(
    group="discofuse",
    shape=FUSIONS,
    consumes="examples",
    partitioned=False,
    measures=["source.words", "prediction.words"],
    text_pair=("prediction", "target"),
    expectations=[
        unique("example_id", "system", "model"),
        *text("source", longest=6_000),
        *text("target", longest=6_000),
    ],
)
def fusions(
    examples: Parts,
    balanced: Parts,
    fusion_model: Artifact,
    params: FusionParams,
    strict: Strict,
) -> Outcomes:
    """Fusions of held-out examples by every model and by the copy baseline."""
    return fusions_op(examples, balanced, fusion_model, params, strict)


@dataset(
    group="discofuse",
    shape=EVALUATION,
    consumes="fusions",
    partitioned=False,
    measures=["sari", "keep", "add", "delete"],
    scores={name: DatasetScore(name, where="in_domain") for name in METRICS},
    text_pair=("prediction", "target"),
    expectations=[
        unique("fusion_id"),
        *(between(name, 0, 1) for name in METRICS),
    ],
)
def evaluation(fusions: Parts, params: EvaluationParams) -> Outcomes:
    """Exact match and SARI of every fusion: the paper's Tables 6, 7 and 9, and Figure 3."""
    return evaluation_op(fusions, params)


@dataset(
    group="discofuse",
    shape=TRANSFER,
    consumes="fusion_pairs",
    partitioned=False,
    measures=["sari", "keep", "add", "delete"],
    scores={"sari": DatasetScore("sari", where="chosen")},
    trains=Trainings(SEQ2SEQ, "transfer", ("system",)),
    text_pair=("prediction", "target"),
    expectations=[
        unique("pair_id", "system"),
        among("system", *SYSTEMS),
        *(between(name, 0, 1) for name in TABLE_10),
    ],
    one_task=True,
)
def transfer(
    fusion_pairs: Parts,
    balanced: Parts,
    params: TransferParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """Transfer to a split-and-rephrase corpus, with and without pretraining: the paper's Table 10."""
    return transfer_op(fusion_pairs, balanced, params, checkpoints, strict)


@sheets(
    "discofuse",
    people.PEOPLE,
    "examples",
    expectations=[*text("sentence_1", longest=3_000), *text("sentence_2", longest=3_000)],
    shape=people.RATING_SHEETS,
)
def rating_sheets(examples: Parts, fusions: Parts, params: people.RatingSheetParams) -> Outcomes:
    """Examples and fusions for people to rate: whether they are clear, and which one a person wrote."""
    return rating_sheets_op(examples, fusions, params)


judgements = judgements_of("discofuse", people.PEOPLE)


@ratings(
    "discofuse",
    people.PEOPLE,
    shape=people.HUMAN_EVALUATION,
    measures=["raters"],
    scores={"agreement": DatasetScore("agrees", "share", where="counted")},
)
def human_evaluation(
    ratings: Parts,
    rating_sheets: Parts,
    judgements: Parts,
    asked: people.RatingSheetParams,
    params: people.HumanEvaluationParams,
) -> Outcomes:
    """Ratings of examples and fusions by people, with the paper's Tables 2 to 5 and 8."""
    return human_evaluation_op(ratings, rating_sheets, asked, params, judgements)
