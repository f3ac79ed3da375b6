"""ParaSCI (Dong et al., EACL 2021): paraphrase pairs of scientific sentences, within papers and across them.

Belongs here: the datasets from candidates to the released pairs. Not here: candidates (candidates.py,
partial.py), models that learn from the pairs (models.py), how anything is computed (ops/parasci).
"""

from __future__ import annotations

from assets.declare.dataset import dataset
from assets.declare.declaration import Threshold
from assets.declare.expectations import (
    Expectation,
    among,
    between,
    file_columns,
    identity,
    not_null,
    steady,
    text,
    unique,
)
from ops.core.measures import DatasetScore
from ops.core.outcome import Outcomes
from ops.core.params import Strict
from ops.core.parts import FilesFolder, Parts
from ops.core.release import ReleaseParams, shape
from ops.core.release import release_files as release_files_op
from ops.core.sampling import SPLITS
from ops.core.thresholds import above, at_least, at_most, below
from ops.parasci.candidates.pairs import CoarseParams
from ops.parasci.dataset.paraphrases import ParaphraseParams
from ops.parasci.dataset.paraphrases import paraphrases as paraphrases_op
from ops.parasci.dataset.release import released as released_op
from ops.parasci.dataset.scored import ScoredParams, confidences, cosines, parts_of_sentences, within_papers
from ops.parasci.dataset.scored import scored as scored_op
from ops.parasci.dataset.statistics import statistics as statistics_op
from ops.parasci.dataset.threshold_scores import (
    scores_f1,
    scores_length_rate,
    scores_self_bleu,
    scores_shared_words,
)
from ops.parasci.schemas import PARAPHRASES, RELEASED, SCORED, STATISTICS

ORIGINS = ("citations", "definitions", "intra", "partial")

#: What thresholds are asked of.
SCORES = ("f1", "length_rate", "self_bleu", "shared_words")


def scored_columns() -> list[Expectation]:
    """Expect what every scored pair is."""
    return [
        *not_null("first", "second", "cosine", "precision", "recall", "f1"),
        *not_null("length_rate", "self_bleu", "shared_words", "truncated"),
        unique("first", "second"),
        between("f1", -1.001, 1.001),
        between("length_rate", 0),
        between("self_bleu", 0, 100),
        between("shared_words", 0, 1),
        between("origins.length", 1, len(ORIGINS)),
        between("keys.length", 1),
        *text("first", longest=20_000),
        *text("second", longest=20_000),
        *steady(),
    ]


@dataset(
    group="parasci",
    shape=SCORED,
    consumes="intra",
    partitioned=False,
    measures=["cosine", *SCORES],
    scores={name: DatasetScore(name) for name in SCORES},
    thresholds=[
        Threshold(
            CoarseParams,
            "cosine",
            at_least,
            cosines,
            values=(0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95),
            meaning="cosine of two sentences of a paper",
            units="pairs within papers",
            counted=within_papers,
        ),
        Threshold(
            ScoredParams,
            "confidence",
            at_least,
            confidences,
            values=(0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9),
            meaning="confidence of PDBERT in a part",
            units="parts of sentences",
            counted=parts_of_sentences,
        ),
    ],
    text_pair=("first", "second"),
    expectations=[*identity("scored"), *scored_columns()],
)
def scored(
    intra: Parts,
    definitions: Parts,
    citations: Parts,
    partial: Parts,
    coarse: CoarseParams,
    params: ScoredParams,
    strict: Strict,
) -> Outcomes:
    """Every candidate once, with BERTScore and PLR, whatever methods found it."""
    return scored_op(intra, definitions, citations, partial, coarse, params, strict)


@dataset(
    group="parasci",
    shape=PARAPHRASES,
    consumes="scored",
    partitioned=False,
    measures=[*SCORES, "first_words", "second_words"],
    scores={name: DatasetScore(name) for name in SCORES},
    thresholds=[
        Threshold(
            ParaphraseParams,
            "origins.*.f1",
            above,
            scores_f1,
            values=(0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9),
            meaning="BERTScore F1 of a pair",
            units="pairs",
        ),
        Threshold(
            ParaphraseParams,
            "origins.*.length_rate",
            below,
            scores_length_rate,
            values=(0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
            meaning="PLR of a pair",
            units="pairs",
        ),
        Threshold(
            ParaphraseParams,
            "self_bleu",
            at_most,
            scores_self_bleu,
            values=(15, 30, 45, 60, 75, 90, 100),
            meaning="Self-BLEU of a pair",
            units="pairs",
        ),
        Threshold(
            ParaphraseParams,
            "shared_words",
            at_least,
            scores_shared_words,
            values=(0.0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.5),
            meaning="share of the content words of a pair that both sentences have",
            units="pairs",
        ),
    ],
    text_pair=("first", "second"),
    expectations=[
        *identity("paraphrase"),
        *scored_columns(),
        *not_null("origin", "cluster", "split"),
        among("origin", *ORIGINS),
        among("split", *SPLITS),
    ],
    one_task=True,
)
def paraphrases(scored: Parts, params: ParaphraseParams) -> Outcomes:
    """Candidates that are paraphrases by the thresholds of their origin, split by cluster."""
    return paraphrases_op(scored, params)


@dataset(
    group="parasci",
    shape=STATISTICS,
    consumes="paraphrases",
    partitioned=False,
    measures=["pairs", "words", "characters", "self_bleu"],
    expectations=[
        *identity("statistic"),
        *not_null("name", "pairs", "words", "characters", "self_bleu", "published"),
        unique("name"),
        between("self_bleu", 0, 100),
        *steady(),
    ],
    one_task=True,
)
def statistics(paraphrases: Parts, scored: Parts) -> Outcomes:
    """How many pairs, how long, how different: the paper's Table 2, with its values beside ours."""
    return statistics_op(paraphrases, scored)


@dataset(
    group="parasci",
    shape=RELEASED,
    consumes="paraphrases",
    partitioned=False,
    measures=["pairs"],
    expectations=[
        *identity("released"),
        *not_null("split", "source_file", "target_file"),
        unique("split"),
        among("split", *SPLITS),
        between("pairs", 1),
        *steady(),
    ],
)
def released(paraphrases: Parts, files: FilesFolder) -> Outcomes:
    """The pairs as files of sources and targets for each split, which datasets.load_dataset reads, too."""
    return released_op(paraphrases, files)


@dataset(
    group="parasci",
    shape=shape(PARAPHRASES),
    consumes="paraphrases",
    partitioned=False,
    measures=["rows", "bytes"],
    expectations=file_columns(),
)
def release_files(paraphrases: Parts, files: FilesFolder, params: ReleaseParams) -> Outcomes:
    """The pairs as Parquet files."""
    return release_files_op(paraphrases, files, params)
