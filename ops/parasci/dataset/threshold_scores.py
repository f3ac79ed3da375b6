"""Scored pairs by what the thresholds of one origin are asked of: what other values would keep.

Belongs here: the scores behind what-if pages. Not here: applying the thresholds (paraphrases.py).

A pair that another of its methods keeps is kept whatever these thresholds are; one that the bounds of all
methods drop, Self-BLEU and shared words, is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ops.core.parts import Parts
from ops.core.thresholds import SCORED, above, at_least, at_most, below
from ops.parasci.dataset.paraphrases import ParaphraseParams, limits_of

#: The columns of `scores_of_both`: F1 and PLR, infinite to the good side where the pair is kept anyway.
BOTH = pa.schema([("f1", pa.float64()), ("length_rate", pa.float64())])

_COLUMNS = ("id", "first", "second", "origins", "f1", "length_rate", "self_bleu", "shared_words")


def scores_f1(scored: Parts, params: ParaphraseParams, name: str) -> Iterator[pa.Table]:
    """Yield the pairs by what `f1` of one origin is asked of; no score where another threshold drops them."""
    for table, pairs in _judged(scored, params, name):
        asked = pairs.found & below(pairs.length_rate, limits_of(params, name).length_rate)
        yield _scored(table, pairs.f1, asked, pairs.kept_anyway, math.inf)


def scores_length_rate(scored: Parts, params: ParaphraseParams, name: str) -> Iterator[pa.Table]:
    """Yield the pairs by what `length_rate` of one origin is asked of; no score where another drops them."""
    for table, pairs in _judged(scored, params, name):
        asked = pairs.found & above(pairs.f1, limits_of(params, name).f1)
        yield _scored(table, pairs.length_rate, asked, pairs.kept_anyway, -math.inf)


def scores_self_bleu(scored: Parts, params: ParaphraseParams) -> Iterator[pa.Table]:
    """Yield the pairs by what `self_bleu` is asked of, without a score where others drop them."""
    for part in scored.parts:
        table = part.read(_COLUMNS)
        asked = _kept_by(table, params, params.origins) & _shares_words(table, params)
        yield _scored(table, table["self_bleu"].to_numpy(), asked, np.zeros(len(table), bool), 0)


def scores_shared_words(scored: Parts, params: ParaphraseParams) -> Iterator[pa.Table]:
    """Yield the pairs by what `shared_words` is asked of, without a score where others drop them."""
    for part in scored.parts:
        table = part.read(_COLUMNS)
        asked = _kept_by(table, params, params.origins) & _is_distinct(table, params)
        yield _scored(table, table["shared_words"].to_numpy(), asked, np.zeros(len(table), bool), 0)


def scores_of_both(scored: Parts, params: ParaphraseParams, name: str) -> Iterator[pa.Table]:
    """Yield F1 and PLR of the pairs that one method found, as BOTH: of those within the other bounds."""
    for _, pairs in _judged(scored, params, name):
        f1 = np.where(pairs.kept_anyway, math.inf, pairs.f1)[pairs.found]
        length_rate = np.where(pairs.kept_anyway, -math.inf, pairs.length_rate)[pairs.found]
        yield pa.table([f1, length_rate], BOTH)


@dataclass(frozen=True)
class _Judged:
    """Of each of N pairs: its scores, whether the method found it, whether another one keeps it."""

    f1: NDArray[np.float64]
    length_rate: NDArray[np.float64]
    found: NDArray[np.bool_]
    kept_anyway: NDArray[np.bool_]


def _judged(scored: Parts, params: ParaphraseParams, name: str) -> Iterator[tuple[pa.Table, _Judged]]:
    for part in scored.parts:
        table = part.read(_COLUMNS)
        f1, length_rate = (table[column].to_numpy() for column in ("f1", "length_rate"))
        kept_anyway = _kept_by(table, params, params.origins.keys() - {name})
        bounded = _is_distinct(table, params) & _shares_words(table, params)
        found = found_by(table["origins"], name)
        yield table, _Judged(f1, length_rate, found & bounded, kept_anyway & bounded)


def _is_distinct(table: pa.Table, params: ParaphraseParams) -> NDArray[np.bool_]:
    distinct: NDArray[np.bool_] = at_most(table["self_bleu"].to_numpy(), params.self_bleu)
    return distinct


def _shares_words(table: pa.Table, params: ParaphraseParams) -> NDArray[np.bool_]:
    shares: NDArray[np.bool_] = at_least(table["shared_words"].to_numpy(), params.shared_words)
    return shares


def _kept_by(table: pa.Table, params: ParaphraseParams, names: Iterable[str]) -> NDArray[np.bool_]:
    """Return of each pair whether it passes the thresholds of one of these methods."""
    kept = np.zeros(len(table), bool)
    f1, length_rate = (table[column].to_numpy() for column in ("f1", "length_rate"))
    for name in names:
        limits = limits_of(params, name)
        passes = above(f1, limits.f1) & below(length_rate, limits.length_rate)
        kept |= found_by(table["origins"], name) & passes
    return kept


def found_by(origins: pa.ChunkedArray, name: str) -> NDArray[np.bool_]:
    """Return of each of N pairs, given as lists of methods, whether one of them is this."""
    found = np.zeros(len(origins), bool)
    start = 0
    for lists in origins.chunks:  # one array of strings ends at 2 GiB
        of_name = pc.equal(pc.list_flatten(lists), name)
        found[start + pc.list_parent_indices(lists).filter(of_name).to_numpy()] = True
        start += len(lists)
    return found


def _scored(
    table: pa.Table,
    scores: NDArray[np.float64],
    asked: NDArray[np.bool_],
    kept_anyway: NDArray[np.bool_],
    endless: float,
) -> pa.Table:
    found = pa.array(np.where(kept_anyway, endless, scores), mask=~(asked | kept_anyway))
    texts = pc.binary_join_element_wise(table["first"], table["second"], " | ")
    return pa.table([table["id"], found, texts], SCORED)
