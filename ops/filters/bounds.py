"""Decide which documents are within the bounds, and what other bounds would keep.

Belongs here: the order in which bounds apply, and the scores behind what-if pages. Not here: computing scores
(documents.py, duplicates.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ops.core.joins import matches
from ops.core.parts import Parts
from ops.core.thresholds import SCORED, ThresholdRule, at_least, at_most, below
from ops.filters.params import BoundParams
from ops.filters.personal_data import MASKS
from ops.filters.quality import RULES

#: The reasons for dropping a document with the same, or nearly the same, text as another one.
DUPLICATE, NEAR_DUPLICATE = "duplicate", "near_duplicate"

#: The columns of scores that bounds are asked of.
JUDGED = ("document_id", "language", "language_score", "perplexity", *MASKS, *RULES)

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
    found = [repeated.get(name) for name in scores["document_id"].to_pylist()]
    similarity = np.array([row["similarity"] if row else math.nan for row in found], np.float64)
    asked = [
        ("language", at_least, _numbers(scores, "language_score"), params.language),
        ("personal_data", at_most, personal, params.personal_data),
        ("perplexity", at_most, _numbers(scores, "perplexity"), params.perplexity),
        *((name, at_least, _numbers(scores, name), bound) for name, bound in params.at_least.items()),
        *((name, at_most, _numbers(scores, name), bound) for name, bound in params.at_most.items()),
        (DUPLICATE, below, similarity, params.similarity),
    ]
    return [_verdict(reason, rule, values, bound) for reason, rule, values, bound in asked]


def passing(scores: pa.Table, params: BoundParams) -> NDArray[np.bool_]:
    """Return which of N documents are within all bounds but that of duplicates."""
    kept: NDArray[np.bool_] = np.all([verdict.keeps for verdict in verdicts(scores, {}, params)], axis=0)
    return kept


def _verdict(reason: str, rule: ThresholdRule, scores: NDArray[np.float64], bound: float | None) -> Verdict:
    unasked = np.isnan(scores)
    keeps = np.ones(len(scores), bool) if bound is None else unasked | rule(scores, bound)
    return Verdict(reason, rule, scores, keeps)


def _numbers(scores: pa.Table, name: str) -> NDArray[np.float64]:
    found: NDArray[np.float64] = (
        scores[name].cast(pa.float64()).to_numpy(zero_copy_only=False).astype(np.float64)
    )
    return found


def repeats_of(duplicates: pa.Table) -> dict[str, Mapping[str, object]]:
    """Return the rows of duplicates by the document that repeats another one."""
    return {row["document_id"]: row for row in duplicates.select(list(REPEATS)).to_pylist()}


def asked_language(scores: Parts, duplicates: Parts, params: BoundParams) -> Iterator[pa.Table]:
    """Yield documents with the score that `language` bounds."""
    return _asked(scores, duplicates, params, "language")


def asked_personal_data(scores: Parts, duplicates: Parts, params: BoundParams) -> Iterator[pa.Table]:
    """Yield documents with the score that `personal_data` bounds."""
    return _asked(scores, duplicates, params, "personal_data")


def asked_similarity(scores: Parts, duplicates: Parts, params: BoundParams) -> Iterator[pa.Table]:
    """Yield documents with the score that `similarity` bounds."""
    return _asked(scores, duplicates, params, DUPLICATE)


def asked_perplexity(scores: Parts, duplicates: Parts, params: BoundParams) -> Iterator[pa.Table]:
    """Yield documents with the score that `perplexity` bounds."""
    return _asked(scores, duplicates, params, "perplexity")


def asked_quality(scores: Parts, duplicates: Parts, params: BoundParams, name: str) -> Iterator[pa.Table]:
    """Yield documents with the score that a quality rule bounds."""
    return _asked(scores, duplicates, params, name)


def _asked(scores: Parts, duplicates: Parts, params: BoundParams, reason: str) -> Iterator[pa.Table]:
    """Yield documents by one bound: null where another bound drops them, infinite if they have no score."""
    ids = [part.read(["document_id"])["document_id"] for part in scores.parts]
    read = list(dict.fromkeys([*JUDGED, "title", "beginning"]))
    with scores.engine.scratch() as folder:
        repeated = matches(duplicates, "document_id", ids, folder / "duplicates", REPEATS)
        for part, repeats in zip(scores.parts, repeated, strict=True):
            table = part.read(read)
            found = verdicts(table, repeats_of(repeats), params)
            (own,) = (verdict for verdict in found if verdict.reason == reason)
            lost = np.any([~other.keeps for other in found if other is not own], axis=0)
            endless = math.inf if own.rule is at_least else -math.inf
            asked = np.where(np.isnan(own.scores), endless, own.scores)
            texts = pc.coalesce(table["title"], table["beginning"])
            yield pa.table([table["document_id"], pa.array(asked, mask=lost), texts], SCORED)
