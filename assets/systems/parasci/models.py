"""ParaSCI, second half: evaluation of PDBERT, and models that generate paraphrases.

Belongs here: the datasets that come after the pairs. Not here: how pairs are made (candidates.py, partial.py,
datasets.py), and the computation (ops/parasci).
"""

from __future__ import annotations

from functools import partial

from silverloom.assets.declare.dataset import AllParts, dataset
from silverloom.assets.declare.declaration import Trainings
from silverloom.assets.declare.expectations import between, text, unique
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.models.seq2seq.files import KIND as SEQ2SEQ
from silverloom.ops.models.training.checkpoints import CheckpointFolder
from silverloom.ops.parasci.dataset.filtered import FilterParams
from silverloom.ops.parasci.dataset.scored import ScoredParams
from silverloom.ops.parasci.dataset.scorer import ScorerParams
from silverloom.ops.parasci.evaluation.scores import EVALUATION, METRICS, EvaluationParams
from silverloom.ops.parasci.evaluation.scores import evaluation as evaluation_op
from silverloom.ops.parasci.generation.generated import GENERATED, GeneratedParams
from silverloom.ops.parasci.generation.generated import generated as generated_op
from silverloom.ops.parasci.generation.generator import (
    EXTERNAL_GENERATORS,
    GENERATOR,
    ExternalParams,
    GeneratorParams,
)
from silverloom.ops.parasci.generation.generator import external_generators as external_generators_op
from silverloom.ops.parasci.generation.generator import generator as generator_op
from silverloom.ops.parasci.partial.extractions import EXTRACTIONS, ExtractionParams
from silverloom.ops.parasci.partial.extractions import extractions as extractions_op
from silverloom.ops.parasci.partial.partial import PartialParams
from silverloom.ops.parasci.partial.pdbert import PdbertParams
from silverloom.ops.parasci.sentences import StatementParams


@dataset(
    group="parasci",
    shape=EXTRACTIONS,
    consumes="intra",
    partitioned=False,
    measures=["f1", "length_rate", "consistency"],
    scores={"f1": DatasetScore("f1"), "valuable": DatasetScore("valuable", "share")},
    text_pair=("part", "short"),
    expectations=[
        unique("pair_id", "system"),
        between("f1", -1.001, 1.001),
        between("length_rate", 0),
        *text("part", longest=20_000),
    ],
    one_task=True,
)
def extractions(
    intra: Parts,
    sentences: Parts,
    partial: Parts,
    params: ExtractionParams,
    model: PdbertParams,
    seeing: PartialParams,
    statements: StatementParams,
    scoring: ScoredParams,
    scorer: ScorerParams,
    filtering: FilterParams,
    strict: Strict,
) -> Outcomes:
    """Parts that PDBERT and the best clause extract, with BERTScore: the paper's Table 3."""
    return extractions_op(
        intra, sentences, partial, params, model, seeing, statements, scoring, scorer, filtering, strict
    )


_generators = partial(
    dataset,
    group="parasci",
    partitioned=False,
    measures=["source_tokens", "target_tokens"],
    trains=Trainings(SEQ2SEQ, "evaluation"),
    expectations=[
        unique("pair_id"),
        between("source_tokens", 0),
        between("target_tokens", 0),
    ],
    one_task=True,
)


@_generators(shape=GENERATOR, consumes="paraphrases")
def generator(
    paraphrases: Parts, params: GeneratorParams, checkpoints: CheckpointFolder, strict: Strict
) -> Outcomes:
    """A model that paraphrases sentences, with its training pairs."""
    return generator_op(paraphrases, params, checkpoints, strict)


@_generators(shape=EXTERNAL_GENERATORS, consumes="paraphrase_pairs")
def external_generators(
    paraphrase_pairs: Parts,
    params: GeneratorParams,
    external: ExternalParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """A paraphrase model for each external corpus, with its training pairs."""
    return external_generators_op(paraphrase_pairs, params, external, checkpoints, strict)


@dataset(
    group="parasci",
    shape=GENERATED,
    consumes="paraphrases",
    partitioned=False,
    measures=["source.words", "prediction.words"],
    text_pair=("prediction", "source"),
    expectations=[
        unique("pair_id", "system", "model"),
        *text("source", longest=20_000),
        *text("target", longest=20_000),
    ],
)
def generated(
    paraphrases: Parts,
    generator: Artifact,
    external_generators: Artifact,
    paraphrase_pairs: AllParts,
    params: GeneratedParams,
    external: ExternalParams,
    strict: Strict,
) -> Outcomes:
    """Paraphrases of the test sentences by every model and by the copy baseline."""
    return generated_op(
        paraphrases, generator, external_generators, paraphrase_pairs, params, external, strict
    )


@dataset(
    group="parasci",
    shape=EVALUATION,
    consumes="generated",
    partitioned=False,
    measures=list(METRICS),
    scores={name: DatasetScore(name, where="by_model") for name in METRICS},
    text_pair=("prediction", "target"),
    expectations=[
        unique("generated_id"),
        between("bleu", 0, 1),
        between("self_bleu", 0, 1),
        between("ibleu", -1, 1),
        between("bertscore", -1.001, 1.001),
        between("bert_ibleu", 0, 1),
        between("words", 0),
    ],
    one_task=True,
)
def evaluation(generated: Parts, params: EvaluationParams, scoring: ScoredParams, strict: Strict) -> Outcomes:
    """BLEU and length of every generated sentence (Table 6), Self-BLEU, iBLEU and BERT-iBLEU."""
    return evaluation_op(generated, params, scoring, strict)
