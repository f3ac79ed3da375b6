"""What other bounds on documents would keep: the scores behind what-if pages.

Belongs here: one score for each document, by which any value of one bound can be counted. Not here: the
verdicts of the bounds in force (bounds.py).

Another bound changes which documents are compared for duplicates. Of documents with one text, the first that
passes stays, so at any value one document is kept if one of them passes: the one with the best score stands
for all. Near duplicates are those that were found among documents within the bounds in force.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ops.core.database import database, insert
from ops.core.joins import matches
from ops.core.parts import Parts
from ops.core.thresholds import SCORED, at_least
from ops.filters.bounds import DUPLICATE, JUDGED, REPEATS, Verdict, repeats_of, verdicts
from ops.filters.params import BoundParams

_TEXTS = ("title", "beginning")
_NEAR = pa.schema([("near_id", pa.string())])


def asked_language(scores: Parts, duplicates: Parts, params: BoundParams) -> Iterator[pa.Table]:
    """Yield documents with the score that `language` bounds."""
    return _asked(scores, duplicates, params, "language")


def asked_personal_data(scores: Parts, duplicates: Parts, params: BoundParams) -> Iterator[pa.Table]:
    """Yield documents with the score that `personal_data` bounds."""
    return _asked(scores, duplicates, params, "personal_data")


def asked_perplexity(scores: Parts, duplicates: Parts, params: BoundParams) -> Iterator[pa.Table]:
    """Yield documents with the score that `perplexity` bounds."""
    return _asked(scores, duplicates, params, "perplexity")


def asked_quality(scores: Parts, duplicates: Parts, params: BoundParams, name: str) -> Iterator[pa.Table]:
    """Yield documents with the score that a quality rule bounds."""
    return _asked(scores, duplicates, params, name)


def asked_similarity(scores: Parts, duplicates: Parts, params: BoundParams) -> Iterator[pa.Table]:
    """Yield documents with the score that `similarity` bounds."""
    ids = [part.read(["document_id"])["document_id"] for part in scores.parts]
    with scores.engine.scratch() as folder:
        repeated = matches(duplicates, "document_id", ids, folder / "duplicates", REPEATS)
        for part, repeats in zip(scores.parts, repeated, strict=True):
            table = part.read(_columns())
            found = verdicts(table, repeats_of(repeats), params)
            yield _scored(table, *_split(found, DUPLICATE))


def _asked(scores: Parts, duplicates: Parts, params: BoundParams, reason: str) -> Iterator[pa.Table]:
    """Yield documents by one bound: no score where another bound or another document always drops them."""
    repeats = pa.array(_repeats(scores, duplicates, params, reason), pa.string())
    for part in scores.parts:
        table = part.read(_columns())
        own, others = _split(verdicts(table, {}, params), reason)
        yield _scored(table, own, others & ~pc.is_in(table["document_id"], repeats).to_numpy())


def _repeats(scores: Parts, duplicates: Parts, params: BoundParams, reason: str) -> list[str]:
    """Return the documents that a duplicate stands for, at any value of the bound."""
    if params.similarity is None:
        return []
    with scores.engine.scratch() as scratch, database(scratch / "documents") as tables:
        insert(tables, "near", _NEAR.empty_table())
        for part in duplicates.parts:
            rows = part.read(list(REPEATS))
            near = pc.and_(pc.invert(rows["exact"]), pc.greater_equal(rows["similarity"], params.similarity))
            insert(tables, "near", pa.table([rows.filter(near)["document_id"]], _NEAR))
        best = ""
        for part in scores.parts:
            table = part.read([*JUDGED, "content"])
            own, others = _split(verdicts(table, {}, params), reason)
            best = "DESC" if own.rule is at_least else "ASC"
            columns = {
                "document_id": table["document_id"],
                "content": table["content"],
                "score": pa.chunked_array([_endless(own)]),
            }
            insert(tables, "documents", pa.table(columns).filter(pa.array(others)))
        if not best:
            return []
        query = f"""
            WITH placed AS (
                SELECT document_id, bool_or(near_id IS NOT NULL) OVER same AS near,
                    row_number() OVER (PARTITION BY content ORDER BY score {best}, document_id) AS place
                FROM documents LEFT JOIN near ON document_id = near_id WHERE content IS NOT NULL
                WINDOW same AS (PARTITION BY content)
            )
            SELECT document_id FROM placed WHERE near OR place > 1 ORDER BY document_id
        """  # noqa: S608
        return [name for (name,) in tables.sql(query).fetchall()]


def _columns() -> list[str]:
    return [*JUDGED, *_TEXTS]


def _split(found: list[Verdict], reason: str) -> tuple[Verdict, NDArray[np.bool_]]:
    """Return one bound's verdict, and which of N documents all others keep."""
    (own,) = (verdict for verdict in found if verdict.reason == reason)
    others: NDArray[np.bool_] = np.all([verdict.keeps for verdict in found if verdict is not own], axis=0)
    return own, others


def _endless(own: Verdict) -> NDArray[np.float64]:
    """Return N scores; a document without one is kept at any value."""
    endless = math.inf if own.rule is at_least else -math.inf
    return np.where(np.isnan(own.scores), endless, own.scores)


def _scored(table: pa.Table, own: Verdict, keeps: NDArray[np.bool_]) -> pa.Table:
    texts = pc.coalesce(table["title"], table["beginning"])
    return pa.table([table["document_id"], pa.array(_endless(own), mask=~keeps), texts], SCORED)
