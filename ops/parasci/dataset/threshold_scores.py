"""The scores that each threshold is applied to, to show what other values would keep.

Belongs here: the scores behind what-if pages. Not here: applying the thresholds (filtered.py).

A pair that passes by another of its methods is kept at any threshold of this one; a pair above the Self-BLEU
limit, or below that of well-formedness, which all methods share, is always dropped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import SCORED, at_least, at_most, below
from silverloom.ops.parasci.dataset.filtered import FilterParams, limits_of

#: The columns of `scores_of_both`; infinitely good values for pairs that are kept anyway.
BOTH = pa.schema([("consistency", pa.float64()), ("length_rate", pa.float64())])

_COLUMNS = ("id", "first", "second", "origins", "consistency", "length_rate", "self_bleu", "well_formed")


def scores_consistency(scored: Parts, params: FilterParams, name: str) -> Iterator[pa.Table]:
    """Yield the pairs with the score for an origin's threshold `consistency`.

    A pair that another threshold drops has no score.
    """
    for table, pairs in _judged(scored, params, name):
        asked = pairs.by_method & below(pairs.length_rate, limits_of(params, name).length_rate)
        yield _scored(table, pairs.consistency, asked, pairs.kept_anyway, math.inf)


def scores_length_rate(scored: Parts, params: FilterParams, name: str) -> Iterator[pa.Table]:
    """Yield the pairs with the score for an origin's threshold `length_rate`.

    A pair that another threshold drops has no score.
    """
    for table, pairs in _judged(scored, params, name):
        asked = pairs.by_method & at_least(pairs.consistency, limits_of(params, name).consistency)
        yield _scored(table, pairs.length_rate, asked, pairs.kept_anyway, -math.inf)


def scores_self_bleu(scored: Parts, params: FilterParams) -> Iterator[pa.Table]:
    """Yield the pairs with the score for the threshold `self_bleu`.

    A pair that another threshold drops has no score.
    """
    for part in scored.parts:
        table = part.read(_COLUMNS)
        sound = at_least(table["well_formed"].to_numpy(), params.well_formed)
        asked = _kept_by(table, params, params.origins) & sound
        yield _scored(table, table["self_bleu"].to_numpy(), asked, np.zeros(len(table), bool), 0)


def scores_well_formed(scored: Parts, params: FilterParams) -> Iterator[pa.Table]:
    """Yield the pairs with the score for the threshold `well_formed`.

    A pair that another threshold drops has no score.
    """
    for part in scored.parts:
        table = part.read(_COLUMNS)
        bounded = at_most(table["self_bleu"].to_numpy(), params.self_bleu)
        asked = _kept_by(table, params, params.origins) & bounded
        yield _scored(table, table["well_formed"].to_numpy(), asked, np.zeros(len(table), bool), 0)


def scores_of_both(scored: Parts, params: FilterParams, name: str) -> Iterator[pa.Table]:
    """Yield both scores, as BOTH, of the pairs that one method found and that pass all other thresholds."""
    for _, pairs in _judged(scored, params, name):
        consistency = np.where(pairs.kept_anyway, math.inf, pairs.consistency)[pairs.by_method]
        length_rate = np.where(pairs.kept_anyway, -math.inf, pairs.length_rate)[pairs.by_method]
        yield pa.table([consistency, length_rate], BOTH)


@dataclass(frozen=True)
class _Judged:
    """For each of N pairs: its scores, whether the method found it, whether another method keeps it."""

    consistency: NDArray[np.float64]
    length_rate: NDArray[np.float64]
    by_method: NDArray[np.bool_]
    kept_anyway: NDArray[np.bool_]


def _judged(scored: Parts, params: FilterParams, name: str) -> Iterator[tuple[pa.Table, _Judged]]:
    for part in scored.parts:
        table = part.read(_COLUMNS)
        consistency, length_rate = (table[column].to_numpy() for column in ("consistency", "length_rate"))
        kept_anyway = _kept_by(table, params, params.origins.keys() - {name})
        bounded: NDArray[np.bool_] = at_most(table["self_bleu"].to_numpy(), params.self_bleu)
        bounded = bounded & at_least(table["well_formed"].to_numpy(), params.well_formed)
        by_method = found_by(table["origins"], name)
        yield table, _Judged(consistency, length_rate, by_method & bounded, kept_anyway & bounded)


def _kept_by(table: pa.Table, params: FilterParams, names: Iterable[str]) -> NDArray[np.bool_]:
    """Return for each pair whether it passes the thresholds of one of these methods."""
    passed = np.zeros(len(table), bool)
    consistency, length_rate = (table[column].to_numpy() for column in ("consistency", "length_rate"))
    for name in names:
        limits = limits_of(params, name)
        passes = at_least(consistency, limits.consistency) & below(length_rate, limits.length_rate)
        passed |= found_by(table["origins"], name) & passes
    return passed


def found_by(origins: pa.ChunkedArray, name: str) -> NDArray[np.bool_]:
    """Return for each of N pairs whether its list of methods contains this method."""
    contains = np.zeros(len(origins), bool)
    start = 0
    for lists in origins.chunks:  # a single array of strings holds at most 2 GiB
        of_name = pc.equal(pc.list_flatten(lists), name)
        contains[start + pc.list_parent_indices(lists).filter(of_name).to_numpy()] = True
        start += len(lists)
    return contains


def _scored(
    table: pa.Table,
    scores: NDArray[np.float64],
    asked: NDArray[np.bool_],
    kept_anyway: NDArray[np.bool_],
    endless: float,
) -> pa.Table:
    masked_scores = pa.array(np.where(kept_anyway, endless, scores), mask=~(asked | kept_anyway))
    texts = pc.binary_join_element_wise(table["first"], table["second"], " | ")
    return pa.table([table["id"], masked_scores, texts], SCORED)
