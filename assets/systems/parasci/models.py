"""ParaSCI, second half: what PDBERT and models that paraphrase are worth.

Belongs here: the datasets behind the pairs. Not here: how pairs are made (candidates.py, partial.py,
datasets.py), and how anything is computed (ops/parasci).
"""

from __future__ import annotations

import assets.systems.parasci.datasets  # noqa: F401  a dataset is declared before what reads it
from assets.declare.child_runs import Trainings
from assets.declare.dataset import AllParts, dataset
from assets.declare.expectations import among, between, identity, not_null, steady, text, unique
from ops.models.seq2seq import served as seq2seq
from ops.models.training.checkpoints import CheckpointFolder
from ops.outcome import Outcomes
from ops.params import Strict
from ops.parasci.coarse import CoarseParams
from ops.parasci.dataset.paraphrases import ParaphraseParams
from ops.parasci.dataset.scored import ScoredParams
from ops.parasci.generation import evaluation as evaluating
from ops.parasci.generation import generated as writing
from ops.parasci.generation import generator as learning
from ops.parasci.partial import extractions as extracting
from ops.parasci.partial.partial import PartialParams
from ops.parasci.sentences import StatementParams
from ops.parts import Artifact, Parts
from ops.scores import DatasetScore


@dataset(
    group="parasci",
    shape=extracting.EXTRACTIONS,
    consumes="intra",
    partitioned=False,
    measures=["f1", "length_rate"],
    scores={"f1": DatasetScore("f1"), "valuable": DatasetScore("valuable", "share")},
    text_pair=("part", "short"),
    expectations=[
        *identity("extraction"),
        *not_null("pair_id", "system", "short", "long", "part", "f1", "length_rate", "valuable"),
        unique("pair_id", "system"),
        among("system", extracting.CLAUSE, extracting.MODEL),
        between("f1", -1.001, 1.001),
        between("length_rate", 0),
        *text("part", longest=20_000),
        *steady(),
    ],
)
def extractions(
    intra: Parts,
    sentences: Parts,
    partial: Parts,
    params: extracting.ExtractionParams,
    coarse: CoarseParams,
    seeing: PartialParams,
    statements: StatementParams,
    scoring: ScoredParams,
    filtering: ParaphraseParams,
    strict: Strict,
) -> Outcomes:
    """What PDBERT and the best clause take from the same sentences, with BERTScore: the paper's Table 3."""
    return extracting.extractions(
        intra, sentences, partial, params, coarse, seeing, statements, scoring, filtering, strict
    )


@dataset(
    group="parasci",
    shape=learning.GENERATOR,
    consumes="paraphrases",
    partitioned=False,
    measures=["source_tokens", "target_tokens"],
    trains=Trainings(seq2seq.KIND),
    expectations=[
        *identity("learnt"),
        *not_null("pair_id", "split", "origin", "source_tokens", "target_tokens"),
        unique("pair_id"),
        among("split", "train", "validation", "test"),
        between("source_tokens", 0),
        between("target_tokens", 0),
        *steady(),
    ],
)
def generator(
    paraphrases: Parts, params: learning.GeneratorParams, checkpoints: CheckpointFolder, strict: Strict
) -> Outcomes:
    """A model that paraphrases sentences, and what each pair is to it."""
    return learning.generator(paraphrases, params, checkpoints, strict)


@dataset(
    group="parasci",
    shape=learning.EXTERNAL_GENERATORS,
    consumes="paraphrase_pairs",
    partitioned=False,
    measures=["source_tokens", "target_tokens"],
    trains=Trainings(seq2seq.KIND),
    expectations=[
        *identity("learnt"),
        *not_null("pair_id", "split", "origin", "source_tokens", "target_tokens"),
        unique("pair_id"),
        among("split", "train", "validation", "test"),
        between("source_tokens", 0),
        between("target_tokens", 0),
        *steady(),
    ],
)
def external_generators(
    paraphrase_pairs: Parts,
    params: learning.GeneratorParams,
    external: learning.ExternalParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """A model that paraphrases for each corpus of pairs of others, and what each pair is to it."""
    return learning.external_generators(paraphrase_pairs, params, external, checkpoints, strict)


@dataset(
    group="parasci",
    shape=writing.GENERATED,
    consumes="paraphrases",
    partitioned=False,
    measures=["source.words", "prediction.words"],
    text_pair=("prediction", "source"),
    expectations=[
        *identity("generated"),
        *not_null("pair_id", "system", "origin", "test_set", "source", "target", "prediction"),
        unique("pair_id", "system", "model"),
        among("system", writing.COPY, writing.MODEL),
        *text("source", longest=20_000),
        *text("target", longest=20_000),
        *steady(),
    ],
)
def generated(
    paraphrases: Parts,
    generator: Artifact,
    external_generators: Artifact,
    paraphrase_pairs: AllParts,
    params: writing.GeneratedParams,
    external: learning.ExternalParams,
    strict: Strict,
) -> Outcomes:
    """What the models, and the baseline that copies, write for each sentence of the test splits."""
    return writing.generated(
        paraphrases, generator, external_generators, paraphrase_pairs, params, external, strict
    )


@dataset(
    group="parasci",
    shape=evaluating.EVALUATION,
    consumes="generated",
    partitioned=False,
    measures=["bleu", "self_bleu", "ibleu", "words"],
    scores={name: DatasetScore(name, where="by_model") for name in evaluating.METRICS},
    text_pair=("prediction", "target"),
    expectations=[
        *identity("score"),
        *not_null("generated_id", "pair_id", "system", "by_model", *evaluating.METRICS),
        unique("generated_id"),
        between("bleu", 0, 1),
        between("self_bleu", 0, 1),
        between("ibleu", -1, 1),
        between("words", 0),
        *steady(),
    ],
)
def evaluation(generated: Parts, params: evaluating.EvaluationParams) -> Outcomes:
    """BLEU, Self-BLEU, iBLEU and length of every generated sentence: the paper's Table 6."""
    return evaluating.evaluation(generated, params)
