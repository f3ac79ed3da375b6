"""Pairs of alike sentences: all of them, exactly, by blocks of a matrix product.

Belongs here: the comparison, its floor, and the row of a pair. Not here: which sentences are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ops.identity import joint_licence, row_id
from ops.outcome import Row

#: Rows of a block: 8 MB of cosines for a paper of 1,000 sentences.
_BLOCK = 1024

#: Embeddings have four decimals: as whole numbers their products are exact in float64, whatever the order of
#: the sum, so that no processor finds other pairs.
_SCALE = 10_000


class Similar(NamedTuple):
    """Pairs of rows (first < second) with their cosine, N each, in the order of the rows."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    cosine: NDArray[np.float64]


def similar_pairs(
    embeddings: NDArray[np.float32], groups: NDArray[np.int64], floor: float, block: int = _BLOCK
) -> Similar:
    """Return all pairs of N rows of different groups whose cosine is `floor` or more.

    `embeddings` is N x E, rows of length 1 with four decimals; `groups` has N numbers. Memory: `block` x N
    cosines. Raises ValueError for another number of groups than of rows.
    """
    if len(groups) != len(embeddings):
        raise ValueError(f"{len(embeddings)} embeddings and {len(groups)} groups")
    whole = _whole(embeddings)
    found = []
    for start in range(0, len(whole), block):
        cosines = whole[start : start + block] @ whole[start:].T
        cosines /= _SCALE**2
        alike = np.triu(cosines >= floor, 1)
        alike &= groups[start : start + block, None] != groups[None, start:]
        rows, columns = np.nonzero(alike)
        found.append((rows + start, columns + start, cosines[rows, columns]))
    if not found:
        return Similar(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    return Similar(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def cosines_of(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the cosines of N pairs of rows as `similar_pairs` does, N x E each."""
    cosines: NDArray[np.float64] = (_whole(first) * _whole(second)).sum(axis=1) / _SCALE**2
    return cosines


def _whole(embeddings: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.rint(embeddings.astype(np.float64) * _SCALE)


class Occurrence(NamedTuple):
    """A sentence (a row of `SENTENCES.kept`) in one of the places where it stands."""

    row: Row
    paper: str
    section: int
    role: str


def statements(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows of embedded sentences, with each embedding as a view of one matrix (float32).

    As numbers of Python the embeddings of a part would take eight times the memory.
    """
    rows: list[dict[str, Any]] = table.drop_columns(["embedding"]).to_pylist()
    values = pc.list_flatten(table["embedding"]).to_numpy()
    for row, embedding in zip(rows, values.reshape(len(rows), -1) if rows else [], strict=True):
        row["embedding"] = embedding
    return rows


def places(row: Row) -> Iterator[Occurrence]:
    """Yield the places where a sentence stands."""
    for mention in row["mentions"]:
        yield Occurrence(row, mention["paper_id"], mention["section"], mention["role"])


def embeddings_of(found: Sequence[Occurrence]) -> NDArray[np.float32]:
    """Return the embeddings of the sentences of N places, N x E."""
    return np.array([place.row["embedding"] for place in found], np.float32)


def candidate(origin: str, key: str, first: Occurrence, second: Occurrence, cosine: float) -> Row:
    """Return the row of a pair."""
    return {
        "id": row_id("candidate", origin, key, first.row["id"], second.row["id"]),
        "source_ids": list(dict.fromkeys([first.row["id"], second.row["id"]])),
        "licence": joint_licence([first.row["licence"], second.row["licence"]]),
        "key": key,
        "first_id": first.row["id"],
        "second_id": second.row["id"],
        "first_paper": first.paper,
        "second_paper": second.paper,
        "first_role": first.role,
        "second_role": second.role,
        "cosine": round(cosine, 6),
        "first": first.row["text"],
        "second": second.row["text"],
    }


def light(row: Row) -> Row:
    """Return a sentence without its embedding, as a dropped one is stored."""
    return {name: value for name, value in row.items() if name != "embedding"}
