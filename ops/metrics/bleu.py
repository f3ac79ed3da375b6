"""BLEU, by sacrebleu (Post 2018), with the signature of its variant.

Belongs here: corpus and sentence BLEU, the counts for the bootstrap, and Self-BLEU of pairs. sacrebleu is
loaded when the first score is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.metrics.bootstrap import Floats, OfSums
from silverloom.ops.metrics.fusion import listed

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

#: sacrebleu's tokenisers that work without a download; "none" splits at white space.
Tokenizer: TypeAlias = Literal["13a", "none", "intl", "char"]
#: sacrebleu's smoothing; "add-k" adds 1 to counts of n-grams longer than 1.
Smoothing: TypeAlias = Literal["exp", "none", "floor", "add-k"]

LONGEST = 4


class Bleu(NamedTuple):
    """BLEU of a corpus: `score` and the precisions of 1- to 4-grams, in 0..1, with their ingredients."""

    score: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    predicted_tokens: int
    reference_tokens: int
    signature: str


def bleu(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    tokenize: Tokenizer = "13a",
    lowercase: bool = False,
    smooth: Smoothing = "exp",
) -> Bleu:
    """Return corpus BLEU of N predictions, item i against `references[i]` (one or more each).

    The defaults are sacrebleu's. Tables print the score times 100. Raises ValueError for lists of different
    length, for no items, and for an item without references.
    """
    streams = list(zip_longest(*_aligned(predictions, references)))
    metric = _metric(tokenize, lowercase, smooth)
    score = metric.corpus_score(list(predictions), streams)
    return Bleu(
        score.score / 100,
        tuple(precision / 100 for precision in score.precisions),
        score.bp,
        score.sys_len,
        score.ref_len,
        str(metric.get_signature()),
    )


def sentence_bleu(
    prediction: str,
    references: Sequence[str],
    tokenize: Tokenizer = "13a",
    lowercase: bool = False,
    smooth: Smoothing = "exp",
) -> float:
    """Return BLEU in 0..1 of one prediction, over the n-gram lengths that it has (effective order)."""
    metric = _metric(tokenize, lowercase, smooth, effective_order=True)
    return float(metric.sentence_score(prediction, list(listed(references))).score) / 100


def self_bleu(sources: Sequence[str], targets: Sequence[str]) -> float:
    """Return the mean of `self_bleus` in 0..100; low if pairs differ in words. Raises as `bleu` does."""
    return float(self_bleus(sources, targets).mean() * 100)


def self_bleus(sources: Sequence[str], targets: Sequence[str]) -> Floats:
    """Return the BLEU-4 in 0..1 of each of N targets against its source.

    This is sentence BLEU over space-separated tokens, with 1 added to the counts of n-grams longer than 1
    (Lin and Och 2004, ORANGE). Dong et al. (2021), section 3.3, do not name their variant. This one has a
    mean of 26.8 on their released ACL pairs, for which they report 26.52. Raises as `bleu` does.
    """
    counts = bleu_counts(targets, [[source] for source in sources], tokenize="none")
    target_tokens, source_tokens, matches, totals = np.split(
        counts.astype(np.float64), [1, 2, 2 + LONGEST], 1
    )
    matches[:, 1:] += 1
    totals[:, 1:] += 1
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(matches > 0, np.log(matches / totals), -np.inf).mean(axis=1)
        brevity = np.minimum(0.0, 1 - source_tokens / target_tokens)[:, 0]
    return np.where(target_tokens[:, 0] > 0, np.exp(logs + brevity), 0.0)


def bleu_counts(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    tokenize: Tokenizer = "13a",
    lowercase: bool = False,
) -> NDArray[np.int64]:
    """Return N x 10 counts: tokens of prediction and closest reference, matching n-grams (4), n-grams (4).

    `bootstrap.interval` and `paired_bootstrap` take them, together with `bleu_of_sums`, for corpus BLEU.
    Raises as `bleu` does.
    """
    metric = _metric(tokenize, lowercase, "none", effective_order=True)
    statistics_of_items = [
        metric.sentence_score(prediction, list(its_own))
        for prediction, its_own in zip(predictions, _aligned(predictions, references), strict=True)
    ]
    return np.array(
        [
            [statistics.sys_len, statistics.ref_len, *statistics.counts, *statistics.totals]
            for statistics in statistics_of_items
        ],
        np.int64,
    )


def bleu_of_sums(smooth: Smoothing = "exp") -> OfSums:
    """Return a function that computes BLEU in 0..1 from each of S sums (S x 10) of `bleu_counts`."""
    from sacrebleu.metrics.bleu import BLEU

    def scores(sums: Floats) -> Floats:
        percentages = [
            BLEU.compute_bleu(
                correct=row[2 : 2 + LONGEST],
                total=row[2 + LONGEST :],
                sys_len=row[0],
                ref_len=row[1],
                smooth_method=smooth,
            ).score
            for row in sums.astype(np.int64).tolist()
        ]
        return np.array(percentages) / 100

    return scores


def _aligned(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions and references of {len(references)} items")
    if not predictions:
        raise ValueError("there are no items: the BLEU of nothing is not known")
    return [listed(reference) for reference in references]


def _metric(tokenize: Tokenizer, lowercase: bool, smooth: Smoothing, effective_order: bool = False) -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    # force: no warning about texts that look tokenised; the tokeniser was chosen on purpose.
    return BLEU(
        lowercase=lowercase,
        force=True,
        tokenize=tokenize,
        smooth_method=smooth,
        effective_order=effective_order,
    )
