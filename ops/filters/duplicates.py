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
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ops.core.database import database, insert
from ops.core.identity import row_id
from ops.core.outcome import Outcome, Outcomes
from ops.core.parts import Parts
from ops.filters.bounds import JUDGED, passing
from ops.filters.params import BoundParams
from ops.filters.schemas import DUPLICATES

if TYPE_CHECKING:
    import duckdb

#: An estimate for two different texts stays below the similarity of two equal texts.
_NEARLY = 0.9999
_COLUMNS = ("document_id", "licence", "content", "signature")
_BANDS = pa.schema([("document_id", pa.string()), ("band", pa.int32()), ("hash", pa.uint64())])
_PAIRS = 4096


class SimilarPair(NamedTuple):
    """The ids of two documents, and their similarity, 0 to 1."""

    first: str
    second: str
    similarity: float


class Repeat(NamedTuple):
    """A document, the first of the group that it joins, and the similarity at which it joins."""

    document: str
    first: str
    similarity: float


def content(text: str, place: str = "") -> str | None:
    """Return a hash of a text, with white space folded, and of its place: 128 bits of BLAKE2b.

    Returns None for an empty text, which repeats nothing.
    """
    folded = " ".join(text.split())
    if not folded:
        return None
    data = f"{place}\n{folded}".encode(errors="surrogatepass")
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def repeats(pairs: Iterable[SimilarPair]) -> list[Repeat]:
    """Return each document that some bound would drop, sorted by id; the module's docstring says how.

    Equal pairs, and the same pair in both orders, count once.
    """
    first: dict[str, str] = {}

    def first_of(document: str) -> str:
        while (found := first.get(document, document)) != document:
            first[document] = first.get(found, found)  # halve the path for later look-ups
            document = found
        return document

    found: list[Repeat] = []
    ordered = sorted(pairs, key=lambda pair: -pair.similarity)
    for similarity, equal in groupby(ordered, key=lambda pair: pair.similarity):
        fallen = []
        for pair in equal:
            one, other = sorted((first_of(pair.first), first_of(pair.second)))
            if one != other:
                first[other] = one
                fallen.append(other)
        found += [Repeat(document, first_of(document), similarity) for document in fallen]
    return sorted(found)


def duplicates(scores: Parts, floor: float, bounds: BoundParams) -> Outcomes:
    """Yield the documents of all partitions that repeat another one, exactly or at `floor` or above.

    A document that another bound drops is never the first of one that passes. It is compared for its exact
    text alone, which tells what-if pages what another bound would keep. Near duplicates are found where the
    scores have signatures. The outcome has no units: each document has its fate where it is filtered. It
    counts the pairs that were compared.
    """
    with scores.engine.scratch() as scratch, database(scratch / "documents") as tables:
        columns = list(dict.fromkeys([*_COLUMNS, *JUDGED]))
        read = (part.read(columns) for part in scores.parts)
        for table in chain([scores.schema.empty_table()], read):
            within = pa.array(passing(table, bounds))
            insert(tables, "documents", table.filter(within).select(_COLUMNS))
            insert(tables, "others", table.filter(pc.invert(within)).select(_COLUMNS))
            insert(tables, "bands", _bands(table.filter(within), floor))
        compared = 0
        exact, near = list(_exact(tables)), list[SimilarPair]()
        for first, second, similarity in _compared(tables):
            compared += len(first)
            chosen = np.flatnonzero(similarity >= floor)
            near += [SimilarPair(first[place], second[place], float(similarity[place])) for place in chosen]
        dropped = [Repeat(document, first, 1.0) for document, first in tables.sql(_DROPPED).fetchall()]
        same = {repeat.document for repeat in [*repeats(exact), *dropped]}
        found = sorted([*repeats([*exact, *near]), *dropped])
        licences = _licences(tables, [repeat.document for repeat in found])
    rows = [
        {
            "id": row_id("duplicate", repeat.document),
            "source_ids": [repeat.document, repeat.first],
            "licence": licences[repeat.document],
            "document_id": repeat.document,
            "first_id": repeat.first,
            "similarity": repeat.similarity,
            "exact": repeat.document in same,
        }
        for repeat in found
    ]
    yield Outcome.of(DUPLICATES, [], rows, combinations={"pairs compared": compared} if compared else {})


#: Documents that other bounds drop, with the first one of the same text: one that passes, if there is any.
_DROPPED = """
    WITH passing AS (
        SELECT content, min(document_id) AS first_passing FROM documents
        WHERE content IS NOT NULL GROUP BY content
    )
    SELECT document_id, coalesce(first_passing, min(document_id) OVER (PARTITION BY content)) AS first
    FROM others LEFT JOIN passing USING (content) WHERE content IS NOT NULL
    QUALIFY first <> document_id
"""


def _exact(tables: duckdb.DuckDBPyConnection) -> Iterator[SimilarPair]:
    query = """
        SELECT min(document_id) OVER (PARTITION BY content) AS first, document_id FROM documents
        WHERE content IS NOT NULL QUALIFY first <> document_id
    """
    for first, second in tables.sql(query).fetchall():
        yield SimilarPair(first, second, 1.0)


def _compared(
    tables: duckdb.DuckDBPyConnection,
) -> Iterator[tuple[list[str], list[str], NDArray[np.float64]]]:
    """Yield pairs of documents that share a band, with the similarity of their signatures, to 4 places."""
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
        ORDER BY one, other
    """
    for batch in tables.sql(query).to_arrow_reader(_PAIRS):
        one, other = (_matrix(batch.column(place)) for place in (2, 3))
        similarity = np.minimum((one == other).mean(axis=1), _NEARLY).round(4)
        yield batch.column(0).to_pylist(), batch.column(1).to_pylist(), similarity


def _bands(scores: pa.Table, floor: float) -> pa.Table:
    """Return a hash of every band of every signature; datasketch chooses their number by the floor."""
    signed = scores.filter(pc.is_valid(scores["signature"])).combine_chunks()
    if not len(signed):
        return _BANDS.empty_table()
    signatures = _matrix(signed["signature"].chunk(0))
    bands, rows = _shape_of_bands(floor, signatures.shape[1])
    odd = np.random.default_rng(1).integers(0, 2**63, rows, np.uint64) * np.uint64(2) + np.uint64(1)
    found = signatures[:, : bands * rows].reshape(-1, bands, rows).astype(np.uint64)
    hashes = (found * odd).sum(axis=2, dtype=np.uint64)
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


def _licences(tables: duckdb.DuckDBPyConnection, documents: list[str]) -> dict[str, str]:
    tables.register("wanted", pa.table({"wanted_id": pa.array(documents, pa.string())}))
    query = """
        SELECT document_id, licence FROM (
            SELECT document_id, licence FROM documents UNION ALL SELECT document_id, licence FROM others
        ) JOIN wanted ON document_id = wanted_id
    """
    return dict(tables.sql(query).fetchall())
