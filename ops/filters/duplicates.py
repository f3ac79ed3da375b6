"""Which documents repeat others, over all partitions: exactly, or nearly by MinHash.

Belongs here: the hash of a text, candidates by locality-sensitive hashing, the groups that they form, and the
similarity at which a document joins a group with an earlier one. Not here: MinHash itself
(ops/text/minhash.py), the bound on similarity (bounds.py).

A group is a connected component of the pairs of documents whose similarity is at least the bound (Broder
1997). Pairs are joined from the most similar one down. Each document then joins a group with an earlier id
exactly once: a bound at or below that similarity drops it, a higher one keeps it. So one number per document
tells the effect of every bound.

Candidates are documents whose signatures have an equal band (Leskovec, Rajaraman and Ullman, "Mining of
Massive Datasets", chapter 3). Within a band, each document is compared only with the first document and with
the one before it, so that time grows with the number of documents and not with the square of a large group.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from silverloom.ops.core.database import database, insert
from silverloom.ops.core.identity import made_of, row_id
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, in_blocks, in_parts
from silverloom.ops.core.parts import Parts
from silverloom.ops.filters.bounds import JUDGED, passing
from silverloom.ops.filters.params import BoundParams
from silverloom.ops.filters.schemas import DUPLICATES
from silverloom.ops.text.words import fold

if TYPE_CHECKING:
    import duckdb

#: An estimate for two different texts stays below the similarity of two equal texts.
_NEARLY = 0.9999
_COLUMNS = ("document_id", "licence", "content", "signature")
_BANDS = pa.schema([("document_id", pa.string()), ("band", pa.int32()), ("hash", pa.uint64())])
_NEAR = pa.schema([("first", pa.string()), ("second", pa.string()), ("similarity", pa.float64())])
_REPEATS = pa.schema([("document", pa.int64()), ("first", pa.int64()), ("similarity", pa.float64())])
#: Rows that a query returns at a time.
_ROWS = 4096


class SimilarPair(NamedTuple):
    """The numbers of two documents, and their similarity, 0 to 1."""

    first: int
    second: int
    similarity: float


def content(text: str, place: str = "") -> str | None:
    """Return a hash of a visible text, with white space folded, and of its place: 128 bits of BLAKE2b.

    Returns None for an empty text, which repeats nothing.
    """
    folded = fold(text)
    if not folded:
        return None
    data = f"{place}\n{folded}".encode(errors="surrogatepass")
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def repeats(pairs: Iterable[SimilarPair], count: int) -> pa.Table:
    """Return `document`, `first` and `similarity` of each document that some bound would drop.

    Documents are numbers below `count`, in the order of their ids, and pairs come from the most similar one
    down; the module's docstring says how they are joined. Holds about 35 bytes per document.
    """
    parent, first, joined = array("q", range(count)), array("q", range(count)), array("d", [0.0]) * count

    def first_of(document: int) -> int:
        while (ancestor := parent[document]) != document:
            parent[document] = parent[ancestor]  # halve the path for later look-ups
            document = ancestor
        return document

    for similarity, equal in groupby(pairs, key=lambda pair: pair.similarity):
        fallen = array("q")
        for pair in equal:
            one, other = sorted((first_of(pair.first), first_of(pair.second)))
            if one != other:
                parent[other] = one
                fallen.append(other)
        for document in fallen:
            first[document], joined[document] = first_of(document), similarity
    repeated = np.flatnonzero(np.asarray(first) != np.arange(count))
    return pa.table([repeated, np.asarray(first)[repeated], np.asarray(joined)[repeated]], schema=_REPEATS)


def duplicates(scores: Parts, floor: float, bounds: BoundParams) -> Outcomes:
    """Yield the documents of all partitions that repeat another one, exactly or at `floor` or above.

    A document that another bound drops is never the first of one that passes. It is compared for its exact
    text alone, which tells what-if pages what another bound would keep. Near duplicates are found where the
    scores have signatures. The outcomes have no units: each document has its fate where it is filtered. The
    first one counts the pairs that were compared.
    """
    with scores.engine.scratch() as scratch, database(scratch / "documents") as tables:
        columns = list(dict.fromkeys([*_COLUMNS, *JUDGED]))
        read = (part.read(columns) for part in scores.parts)
        for table in chain([scores.schema.empty_table()], read):
            within = pa.array(passing(table, bounds))
            insert(tables, "documents", table.filter(within).select(_COLUMNS))
            insert(tables, "others", table.filter(pc.invert(within)).select(_COLUMNS))
            insert(tables, "bands", _bands(table.filter(within), floor))
        compared = _store_near(tables, floor)
        tables.execute(_NUMBERED)
        ((count,),) = tables.sql("SELECT count(*) FROM numbered").fetchall()
        tables.register("repeats", repeats(_ordered(tables), count))
        counted = Outcome.of(
            DUPLICATES, [], [], combinations={"pairs compared": compared} if compared else {}
        )
        rows = chain.from_iterable(map(_rows, tables.sql(_FOUND).to_arrow_reader(_ROWS)))
        yield from in_parts(
            chain([counted], (Outcome.of(DUPLICATES, [], block) for block in in_blocks(rows)))
        )


#: Documents that are in a pair of near duplicates, by number, in the order of their ids.
_NUMBERED = """
    CREATE TABLE numbered AS SELECT document_id, row_number() OVER (ORDER BY document_id) - 1 AS number
    FROM (SELECT first AS document_id FROM near UNION SELECT second FROM near)
"""

#: Every document that repeats another one. Those with the text of an earlier one are in no pair. For those
#: that other bounds drop, the first is one that passes, if there is any.
_FOUND = """
    WITH equal AS (
        SELECT document_id, licence, min(document_id) OVER (PARTITION BY content) AS first
        FROM documents WHERE content IS NOT NULL
    ), passing AS (
        SELECT content, min(document_id) AS first_passing FROM documents
        WHERE content IS NOT NULL GROUP BY content
    ), dropped AS (
        SELECT document_id, licence,
            coalesce(first_passing, min(document_id) OVER (PARTITION BY content)) AS first
        FROM others LEFT JOIN passing USING (content) WHERE content IS NOT NULL
    )
    SELECT document_id, licence, first, 1.0::DOUBLE AS similarity, true AS exact
    FROM (FROM equal UNION ALL FROM dropped) WHERE first <> document_id
    UNION ALL
    SELECT a.document_id, licence, b.document_id, similarity, false FROM repeats
    JOIN numbered a ON a.number = document JOIN numbered b ON b.number = repeats.first
    JOIN documents d ON d.document_id = a.document_id
    ORDER BY document_id
"""


def _rows(batch: pa.RecordBatch) -> list[Row]:
    return [
        {
            **made_of(
                row_id("duplicate", duplicate["document_id"]),
                [duplicate["document_id"], duplicate["first"]],
                duplicate["licence"],
            ),
            "document_id": duplicate["document_id"],
            "first_id": duplicate["first"],
            "similarity": duplicate["similarity"],
            "exact": duplicate["exact"],
        }
        for duplicate in batch.to_pylist()
    ]


def _store_near(tables: duckdb.DuckDBPyConnection, floor: float) -> int:
    """Compare documents that share a band by their signatures; store similar ones, and count all pairs.

    Similarities are rounded to 4 places.
    """
    query = """
        WITH one_a_text AS (
            SELECT document_id, signature FROM documents WHERE signature IS NOT NULL
            QUALIFY row_number() OVER (PARTITION BY content ORDER BY document_id) = 1
        ), placed AS (
            SELECT document_id,
                first_value(document_id) OVER same AS first, lag(document_id) OVER same AS former
            FROM bands JOIN one_a_text USING (document_id)
            WINDOW same AS (PARTITION BY band, hash ORDER BY document_id)
        ), pairs AS (
            SELECT first AS one, document_id AS other FROM placed WHERE first <> document_id
            UNION SELECT former, document_id FROM placed WHERE former IS NOT NULL
        )
        SELECT one, other, a.signature, b.signature FROM pairs
        JOIN documents a ON a.document_id = one JOIN documents b ON b.document_id = other
    """
    insert(tables, "near", _NEAR.empty_table())
    compared = 0
    for batch in tables.cursor().sql(query).to_arrow_reader(_ROWS):
        one, other = (_matrix(batch.column(place)) for place in (2, 3))
        similarity = np.minimum((one == other).mean(axis=1), _NEARLY).round(4)
        pairs = pa.table([batch.column(0), batch.column(1), similarity], schema=_NEAR)
        insert(tables, "near", pairs.filter(pa.array(similarity >= floor)))
        compared += len(batch)
    return compared


def _ordered(tables: duckdb.DuckDBPyConnection) -> Iterator[SimilarPair]:
    query = """
        SELECT a.number, b.number, similarity FROM near
        JOIN numbered a ON a.document_id = first JOIN numbered b ON b.document_id = second
        ORDER BY similarity DESC
    """
    for batch in tables.sql(query).to_arrow_reader(_ROWS):
        yield from map(SimilarPair, *(column.to_pylist() for column in batch.columns))


def _bands(scores: pa.Table, floor: float) -> pa.Table:
    """Return a hash of every band of every signature; datasketch chooses their number by the floor."""
    signed = scores.filter(pc.is_valid(scores["signature"])).combine_chunks()
    if not len(signed):
        return _BANDS.empty_table()
    signatures = _matrix(signed["signature"].chunk(0))
    bands, rows = _shape_of_bands(floor, signatures.shape[1])
    odd = np.random.default_rng(1).integers(0, 2**63, rows, np.uint64) * np.uint64(2) + np.uint64(1)
    banded = signatures[:, : bands * rows].reshape(-1, bands, rows).astype(np.uint64)
    hashes = (banded * odd).sum(axis=2, dtype=np.uint64)
    names = signed["document_id"].take(pa.array(np.repeat(np.arange(len(signed)), bands)))
    numbers = np.tile(np.arange(bands, dtype=np.int32), len(signed))
    return pa.table([names, numbers, hashes.ravel()], schema=_BANDS)


@cache
def _shape_of_bands(floor: float, size: int) -> tuple[int, int]:
    from datasketch import MinHashLSH

    chosen = MinHashLSH(threshold=floor, num_perm=size)
    return int(chosen.b), int(chosen.r)


def _matrix(signatures: pa.ListArray) -> NDArray[np.uint32]:
    """Return N signatures of K numbers as an array (N x K)."""
    numbers: NDArray[np.uint32] = signatures.flatten().to_numpy().reshape(len(signatures), -1)
    return numbers
