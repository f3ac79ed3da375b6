"""ParaSCI (Dong et al., EACL 2021): paraphrase pairs of scientific sentences, within papers and across them.

Belongs here: the datasets from candidates to the released pairs. Not here: candidates (candidates.py,
partial.py), models that learn from the pairs (models.py), how anything is computed (ops/parasci).
"""

from __future__ import annotations

import assets.systems.parasci.candidates
import assets.systems.parasci.partial  # noqa: F401  a dataset is declared before what reads it
from assets.declare.dataset import dataset
from assets.declare.expectations import (
    Expectation,
    among,
    between,
    identity,
    not_null,
    steady,
    text,
    unique,
)
from assets.declare.release_files import file_columns
from assets.declare.thresholds import Threshold
from ops import release as publishing
from ops import thresholds as rules
from ops.core.splits import SPLITS
from ops.outcome import Outcomes
from ops.params import Strict
from ops.parasci.coarse import CoarseParams
from ops.parasci.dataset import paraphrases as filtering
from ops.parasci.dataset import release as releasing
from ops.parasci.dataset import scored as scoring
from ops.parasci.dataset import statistics as counting
from ops.parasci.dataset import threshold_scores as asking
from ops.parasci.schemas import PARAPHRASES, RELEASED, SCORED, STATISTICS
from ops.parts import FilesFolder, Parts
from ops.scores import DatasetScore

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
            rules.at_least,
            scoring.cosines,
            values=(0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95),
            meaning="cosine of two sentences of a paper",
            units="pairs within papers",
            counted=scoring.within_papers,
        ),
        Threshold(
            scoring.ScoredParams,
            "confidence",
            rules.at_least,
            scoring.confidences,
            values=(0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9),
            meaning="confidence of PDBERT in a part",
            units="parts of sentences",
            counted=scoring.parts_of_sentences,
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
    params: scoring.ScoredParams,
    strict: Strict,
) -> Outcomes:
    """Every candidate once, with BERTScore and PLR, whatever methods found it."""
    return scoring.scored(intra, definitions, citations, partial, coarse, params, strict)


@dataset(
    group="parasci",
    shape=PARAPHRASES,
    consumes="scored",
    partitioned=False,
    measures=[*SCORES, "first_words", "second_words"],
    scores={name: DatasetScore(name) for name in SCORES},
    thresholds=[
        Threshold(
            filtering.ParaphraseParams,
            "origins.*.f1",
            rules.above,
            asking.scores_f1,
            values=(0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9),
            meaning="BERTScore F1 of a pair",
            units="pairs",
        ),
        Threshold(
            filtering.ParaphraseParams,
            "origins.*.length_rate",
            rules.below,
            asking.scores_length_rate,
            values=(0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
            meaning="PLR of a pair",
            units="pairs",
        ),
        Threshold(
            filtering.ParaphraseParams,
            "self_bleu",
            rules.at_most,
            asking.scores_self_bleu,
            values=(15, 30, 45, 60, 75, 90, 100),
            meaning="Self-BLEU of a pair",
            units="pairs",
        ),
        Threshold(
            filtering.ParaphraseParams,
            "shared_words",
            rules.at_least,
            asking.scores_shared_words,
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
)
def paraphrases(scored: Parts, params: filtering.ParaphraseParams) -> Outcomes:
    """Candidates that are paraphrases by the thresholds of their origin, split by cluster."""
    return filtering.paraphrases(scored, params)


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
)
def statistics(paraphrases: Parts, scored: Parts) -> Outcomes:
    """How many pairs, how long, how different: the paper's Table 2, with its values beside ours."""
    return counting.statistics(paraphrases, scored)


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
    return releasing.released(paraphrases, files)


@dataset(
    group="parasci",
    shape=publishing.shape(PARAPHRASES),
    consumes="paraphrases",
    partitioned=False,
    measures=["rows", "bytes"],
    expectations=file_columns(),
)
def release_files(paraphrases: Parts, files: FilesFolder, params: publishing.ReleaseParams) -> Outcomes:
    """The pairs as Parquet files."""
    return publishing.release_files(paraphrases, files, params)
