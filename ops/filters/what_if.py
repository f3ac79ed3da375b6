"""What other bounds on documents would keep: the scores behind what-if pages.

Belongs here: one score for each document, by which any value of one bound can be counted. Not here: the
verdicts of the bounds in force (bounds.py).

Equal texts have equal scores, so another bound keeps one of them or none. Near duplicates are those that were
found among documents within the bounds in force.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from silverloom.ops.core.joins import matches
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import SCORED, at_least
from silverloom.ops.filters.bounds import DUPLICATE, JUDGED, REPEATS, repeats_of, verdicts
from silverloom.ops.filters.params import BoundParams


def asked_language(scores: Parts, duplicates: Parts, params: BoundParams) -> Iterator[pa.Table]:
    """Yield documents with the score that `language` bounds."""
    return _asked(scores, duplicates, params, "language")


def asked_personal_data(scores: Parts, duplicates: Parts, params: BoundParams) -> Iterator[pa.Table]:
    """Yield documents with the score that `personal_data` bounds."""
    return _asked(scores, duplicates, params, "personal_data")


def asked_similarity(scores: Parts, duplicates: Parts, params: BoundParams) -> Iterator[pa.Table]:
    """Yield documents with the score that `similarity` bounds."""
    return _asked(scores, duplicates, params, DUPLICATE)


def asked_quality(scores: Parts, duplicates: Parts, params: BoundParams, name: str) -> Iterator[pa.Table]:
    """Yield documents with the score that a quality rule bounds."""
    return _asked(scores, duplicates, params, name)


def _asked(scores: Parts, duplicates: Parts, params: BoundParams, reason: str) -> Iterator[pa.Table]:
    """Yield documents by one bound: null where another bound drops them, infinite if they have no score."""
    ids = [part.read(["document_id"])["document_id"] for part in scores.parts]
    with scores.engine.scratch() as folder:
        repeated = matches(duplicates, "document_id", ids, folder / "duplicates", REPEATS)
        for part, repeats in zip(scores.parts, repeated, strict=True):
            table = part.read(list(dict.fromkeys([*JUDGED, "title", "beginning"])))
            all_verdicts = verdicts(table, repeats_of(repeats), params)
            (own,) = (verdict for verdict in all_verdicts if verdict.reason == reason)
            lost = np.any([~other.keeps for other in all_verdicts if other is not own], axis=0)
            endless = math.inf if own.rule is at_least else -math.inf
            asked = np.where(np.isnan(own.scores), endless, own.scores)
            texts = pc.coalesce(table["title"], table["beginning"])
            yield pa.table([table["document_id"], pa.array(asked, mask=lost), texts], SCORED)
