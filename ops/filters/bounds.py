"""Decide which documents are within the bounds.

Belongs here: the order in which bounds apply. Not here: computing scores (documents.py, duplicates.py), what
other bounds would keep (what_if.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from silverloom.ops.core.thresholds import ThresholdRule, at_least, at_most, below
from silverloom.ops.filters.params import BoundParams
from silverloom.ops.filters.personal_data import MASKS
from silverloom.ops.filters.quality import RULES

#: The reasons for dropping a document with the same, or nearly the same, text as another one.
DUPLICATE, NEAR_DUPLICATE = "duplicate", "near_duplicate"

#: The columns of scores that bounds are asked of.
JUDGED = ("document_id", "language", "language_score", *MASKS, *RULES)

#: The columns of duplicates that are read.
REPEATS = ("document_id", "first_id", "similarity", "exact")


@dataclass(frozen=True)
class Verdict:
    """The verdict of one bound on each of N documents."""

    reason: str
    rule: ThresholdRule
    scores: NDArray[np.float64]
    """NaN for a document without a score."""
    keeps: NDArray[np.bool_]


def verdicts(
    scores: pa.Table, repeated: Mapping[str, Mapping[str, object]], params: BoundParams
) -> list[Verdict]:
    """Return the verdict of every bound on N documents, in the order in which they apply.

    `repeated` are rows of duplicates by document. Duplicates come last: only documents within the other
    bounds were compared.
    """
    personal = np.sum([_numbers(scores, name) for name in MASKS], axis=0)
    repetitions = [repeated.get(name) for name in scores["document_id"].to_pylist()]
    similarity = np.array([row["similarity"] if row else math.nan for row in repetitions], np.float64)
    asked = [
        ("language", at_least, _numbers(scores, "language_score"), params.language),
        ("personal_data", at_most, personal, params.personal_data),
        *((name, at_least, _numbers(scores, name), bound) for name, bound in params.at_least.items()),
        *((name, at_most, _numbers(scores, name), bound) for name, bound in params.at_most.items()),
        (DUPLICATE, below, similarity, params.similarity),
    ]
    return [_verdict(reason, rule, values, bound) for reason, rule, values, bound in asked]


def passing(scores: pa.Table, params: BoundParams) -> NDArray[np.bool_]:
    """Return which of N documents are within all bounds but that of duplicates."""
    keep: NDArray[np.bool_] = np.all([verdict.keeps for verdict in verdicts(scores, {}, params)], axis=0)
    return keep


def _verdict(reason: str, rule: ThresholdRule, scores: NDArray[np.float64], bound: float | None) -> Verdict:
    unasked = np.isnan(scores)
    keeps = np.ones(len(scores), bool) if bound is None else unasked | rule(scores, bound)
    return Verdict(reason, rule, scores, keeps)


def _numbers(scores: pa.Table, name: str) -> NDArray[np.float64]:
    numbers: NDArray[np.float64] = (
        scores[name].cast(pa.float64()).to_numpy(zero_copy_only=False).astype(np.float64)
    )
    return numbers


def repeats_of(duplicates: pa.Table) -> dict[str, Mapping[str, object]]:
    """Return the rows of duplicates by the document that repeats another one."""
    return {row["document_id"]: row for row in duplicates.select(list(REPEATS)).to_pylist()}
