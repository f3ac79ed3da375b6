"""How certain a mean over items is, and whether one system is significantly better than another.

Belongs here: bootstrap intervals and the paired test, over scores of items. Not here: the scores themselves.

Results are rounded to six decimals and draws come from PCG64, so that the bytes are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]

#: Maps S x K sums over items to S scores of the corpus.
OfSums: TypeAlias = Callable[[Floats], Floats]

#: How many values are drawn at once, so that memory does not grow with the corpus.
_DRAWN = 1 << 20


class Interval(NamedTuple):
    """A score of a corpus, and the ends of its interval."""

    mean: float
    low: float
    high: float


class Comparison(NamedTuple):
    """How much higher the first of two systems scores, the ends of that difference's interval, and p."""

    difference: float
    low: float
    high: float
    p: float


def interval(
    items: ArrayLike,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    of_sums: OfSums | None = None,
) -> Interval:
    """Return the mean of N scores with its percentile bootstrap interval over items.

    Efron and Tibshirani (1993), chapter 13: the quantiles of the means of `resamples` samples of N items,
    drawn with replacement. The items are assumed to be independent. The interval always contains the mean.

    `of_sums` is for a score that is not a mean (corpus BLEU): items are then N x K counts, and it maps S x K
    sums of them to S scores. Raises ValueError without items, for a score that is not finite, for fewer than
    one resample, and for a confidence outside (0, 1).
    """
    rows = _rows(items, resamples, confidence)
    score = of_sums or _mean_of(len(rows))
    [observed] = score(rows.sum(axis=0, keepdims=True))
    scores = np.concatenate([score(sums) for [sums] in _resampled([rows], resamples, seed)])
    return Interval(*_around(float(observed), scores, confidence))


def paired_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    of_sums: OfSums | None = None,
) -> Comparison:
    """Test whether two systems differ, by their scores on the same N items.

    Paired bootstrap (Koehn 2004, "Statistical significance tests for machine translation evaluation",
    section 4): both systems are scored on the same `resamples` samples of N items, drawn with replacement.
    Koehn calls a system better with confidence 1 - p if it wins on all but a share p of the samples. Here p
    is two-sided: twice the share of samples on which the system that wins less often wins or ties, at most 1.
    One is added to both counts of the share (Davison and Hinkley 1997, section 4.2), so that p is never 0.
    Systems with equal scores have p = 1. Swapping the systems flips the sign of the difference and leaves p
    unchanged.

    `of_sums` is as in `interval`. Raises ValueError as `interval` does, and for different numbers of items.
    """
    rows = [_rows(items, resamples, confidence) for items in (first, second)]
    if rows[0].shape != rows[1].shape:
        raise ValueError(
            f"a paired test needs scores of the same items: {rows[0].shape} against {rows[1].shape}"
        )
    score = of_sums or _mean_of(len(rows[0]))
    ours, theirs = (float(score(items.sum(axis=0, keepdims=True))[0]) for items in rows)
    blocks = [
        score(first_sums) - score(second_sums)
        for first_sums, second_sums in _resampled(rows, resamples, seed)
    ]
    # Six decimals: a difference that comes only from rounding counts as a tie.
    differences = np.concatenate(blocks).round(6)
    behind = min(np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0))
    p = min(1.0, 2 * (int(behind) + 1) / (resamples + 1))
    return Comparison(*_around(ours - theirs, differences, confidence), round(p, 6))


def _rows(items: ArrayLike, resamples: int, confidence: float) -> Floats:
    rows = np.asarray(items, np.float64)
    rows = rows[:, np.newaxis] if rows.ndim == 1 else rows
    if not len(rows):
        raise ValueError("there are no items: nothing is known about their mean")
    broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(broken):
        raise ValueError(f"item {broken[0]} has no finite score: {rows[broken[0]].tolist()}")
    if resamples < 1 or not 0 < confidence < 1:
        raise ValueError(f"give resamples >= 1 and 0 < confidence < 1, not {resamples} and {confidence}")
    return rows


def _mean_of(items: int) -> OfSums:
    return lambda sums: sums[:, 0] / items


def _resampled(systems: list[Floats], resamples: int, seed: int) -> Iterator[list[Floats]]:
    """Yield sums over resampled items, S resamples at a time: S x K per system, from the same draws."""
    generator = np.random.Generator(np.random.PCG64(seed))
    items, width = systems[0].shape
    step = max(1, _DRAWN // (items * width))
    for start in range(0, resamples, step):
        draws = generator.integers(0, items, (min(step, resamples - start), items))
        yield [rows[draws].sum(axis=1) for rows in systems]


def _around(observed: float, scores: Floats, confidence: float) -> tuple[float, float, float]:
    tail = (1 - confidence) / 2
    low, high = np.quantile(scores, (tail, 1 - tail)).round(6).tolist()
    mean = round(observed, 6)
    return mean, min(low, mean), max(high, mean)
