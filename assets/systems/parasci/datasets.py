"""ParaSCI (Dong et al., EACL 2021): paraphrase pairs of scientific sentences, within papers and across them.

Belongs here: the datasets from candidates to the released pairs. Not here: candidates (candidates.py,
partial.py), models trained on the pairs (models.py), the computation (ops/parasci).
"""

from __future__ import annotations

from functools import partial

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.declaration import Threshold
from silverloom.assets.declare.expectations import (
    Expectation,
    between,
    file_columns,
    text,
    unique,
)
from silverloom.assets.filters import filter_examples
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import FilesFolder, Parts
from silverloom.ops.core.release import ReleaseParams, shape
from silverloom.ops.core.release import release_files as release_files_op
from silverloom.ops.core.thresholds import at_least, at_most, below
from silverloom.ops.parasci.candidates.pairs import CoarseParams
from silverloom.ops.parasci.dataset.filtered import FilterParams
from silverloom.ops.parasci.dataset.filtered import filtered as filtered_op
from silverloom.ops.parasci.dataset.near_misses import NearMissParams
from silverloom.ops.parasci.dataset.near_misses import near_misses as near_misses_op
from silverloom.ops.parasci.dataset.paraphrases import CleanParams, ParaphraseParams
from silverloom.ops.parasci.dataset.paraphrases import paraphrases as paraphrases_op
from silverloom.ops.parasci.dataset.release import documents
from silverloom.ops.parasci.dataset.release import released as released_op
from silverloom.ops.parasci.dataset.scored import (
    ScoredParams,
    confidences,
    cosines,
    parts_of_sentences,
    within_papers,
)
from silverloom.ops.parasci.dataset.scored import scored as scored_op
from silverloom.ops.parasci.dataset.scorer import ScorerParams
from silverloom.ops.parasci.dataset.statistics import statistics as statistics_op
from silverloom.ops.parasci.dataset.threshold_scores import (
    scores_consistency,
    scores_length_rate,
    scores_self_bleu,
    scores_well_formed,
)
from silverloom.ops.parasci.schemas import (
    FILTERED,
    NEAR_MISSES,
    ORIGINS,
    PARAPHRASES,
    RELEASED,
    SCORED,
    STATISTICS,
)

#: The scores that thresholds bound.
SCORES = ("consistency", "length_rate", "self_bleu", "well_formed")

#: The features from which consistency is predicted.
FEATURES = ("least", "weakest", "numbers", "negation", "names", "direction", "covered_words")


def scored_columns() -> list[Expectation]:
    """Expectations about every scored pair."""
    return [
        unique("first", "second"),
        between("f1", -1.001, 1.001),
        between("length_rate", 0),
        between("self_bleu", 0, 100),
        between("well_formed", 0, 1),
        *(between(name, -1.001, 1.001) for name in FEATURES),
        between("origins.length", 1, len(ORIGINS)),
        between("keys.length", 1),
        *text("first", longest=20_000),
        *text("second", longest=20_000),
    ]


@dataset(
    group="parasci",
    shape=SCORED,
    consumes="intra",
    partitioned=False,
    measures=["cosine", "f1", *SCORES, *FEATURES],
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
    text_pair=("second", "first"),
    expectations=scored_columns(),
)
def scored(
    intra: Parts,
    definitions: Parts,
    citations: Parts,
    partial: Parts,
    coarse: CoarseParams,
    params: ScoredParams,
    scorer: ScorerParams,
    strict: Strict,
) -> Outcomes:
    """Every candidate pair once, with its features and its predicted consistency rating."""
    return scored_op(intra, definitions, citations, partial, coarse, params, scorer, strict)


@dataset(
    group="parasci",
    shape=FILTERED,
    consumes="scored",
    partitioned=False,
    measures=[*SCORES, "surplus"],
    scores={name: DatasetScore(name) for name in SCORES},
    thresholds=[
        Threshold(
            FilterParams,
            "origins.*.consistency",
            at_least,
            scores_consistency,
            values=(2.5, 3.0, 3.25, 3.5, 3.75, 4.0, 4.25, 4.5),
            meaning="predicted consistency of a pair",
            units="pairs",
        ),
        Threshold(
            FilterParams,
            "origins.*.length_rate",
            below,
            scores_length_rate,
            values=(0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
            meaning="PLR of a pair",
            units="pairs",
        ),
        Threshold(
            FilterParams,
            "self_bleu",
            at_most,
            scores_self_bleu,
            values=(15, 30, 45, 60, 75, 90, 100),
            meaning="Self-BLEU of a pair",
            units="pairs",
        ),
        Threshold(
            FilterParams,
            "well_formed",
            at_least,
            scores_well_formed,
            values=(0.0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9),
            meaning="probability that both sentences are well-formed",
            units="pairs",
        ),
    ],
    text_pair=("second", "first"),
    expectations=[
        *scored_columns(),
        between("surplus", 0),
    ],
)
def filtered(scored: Parts, params: FilterParams) -> Outcomes:
    """Candidate pairs that pass the thresholds of their origin."""
    return filtered_op(scored, params)


@dataset(
    group="parasci",
    shape=PARAPHRASES,
    consumes="filtered",
    partitioned=False,
    measures=[*SCORES, "first_words", "second_words"],
    scores={name: DatasetScore(name) for name in SCORES},
    text_pair=("second", "first"),
    expectations=scored_columns(),
    one_task=True,
)
def paraphrases(filtered: Parts, params: ParaphraseParams) -> Outcomes:
    """A sample of the filtered pairs with enough variety in wording, divided by cluster into splits."""
    return paraphrases_op(filtered, params)


clean_paraphrases = filter_examples(
    "parasci", "paraphrases", PARAPHRASES, ("first", "second"), CleanParams, partitioned=False
)


@dataset(
    group="parasci",
    shape=NEAR_MISSES,
    consumes="scored",
    partitioned=False,
    measures=["shortfall", *SCORES],
    text_pair=("second", "first"),
    expectations=[
        *scored_columns(),
        between("shortfall", 0),
    ],
    one_task=True,
)
def near_misses(
    scored: Parts,
    paraphrases: Parts,
    params: NearMissParams,
    filtering: FilterParams,
    splitting: ParaphraseParams,
) -> Outcomes:
    """Pairs below the thresholds of predicted consistency, as negatives; no person checked them."""
    return near_misses_op(scored, paraphrases, params, filtering, splitting)


@dataset(
    group="parasci",
    shape=STATISTICS,
    consumes="paraphrases",
    partitioned=False,
    measures=["pairs", "words", "characters", "self_bleu"],
    expectations=[
        unique("name"),
        between("self_bleu", 0, 100),
    ],
    one_task=True,
)
def statistics(paraphrases: Parts, scored: Parts) -> Outcomes:
    """Number, length and variety of the pairs: the paper's Table 2, with its values and ours."""
    return statistics_op(paraphrases, scored)


@dataset(
    group="parasci",
    shape=RELEASED,
    consumes="paraphrases",
    partitioned=False,
    measures=["pairs"],
    expectations=[
        unique("split"),
        between("pairs", 1),
    ],
)
def released(paraphrases: Parts, near_misses: Parts, files: FilesFolder) -> Outcomes:
    """Pairs as source and target files for each split, in a layout that datasets.load_dataset reads."""
    return released_op(paraphrases, near_misses, files)


@dataset(
    group="parasci",
    shape=shape(PARAPHRASES),
    consumes="paraphrases",
    partitioned=False,
    measures=["rows", "bytes"],
    expectations=file_columns(),
)
def release_files(paraphrases: Parts, papers: Parts, files: FilesFolder, params: ReleaseParams) -> Outcomes:
    """Pairs as Parquet files."""
    named = partial(documents, papers)
    return release_files_op(paraphrases, files, params, beside=named, pair=("first", "second"))
