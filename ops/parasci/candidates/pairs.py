"""Pairs of similar sentences: within a paper, and the code that all comparisons share.

Belongs here: comparing all pairs exactly, by blocks of a matrix product, or only the neighbours from an
index; the floor and the row of a pair; the coarse filter, PLR, embeddings from parasci/sentences. Not
here: which sections of a paper are compared (sentences.py), pairs within groups (groups.py), the threshold,
which a later step applies.

Dong et al. (2021), 4.1.1: six kinds of sections; "as information is hardly repeated in the same section, we
exclude the comparison between sentences in the same section". A pair within a paper whose cosine reaches the
coarse threshold is a candidate as two whole sentences. Section 4.1.2: definitions and citances must also pass
it.

The formula of PLR is lost in the text version of the paper. Here PLR is the difference of two lengths in
words divided by the shorter length: 0 means equal lengths, and "under 1" means under twice as long.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import Field

from silverloom.ops.core.identity import made_from_several
from silverloom.ops.core.joins import matches
from silverloom.ops.core.outcome import Outcome, Row, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.models.encoder import Embed
from silverloom.ops.parasci.schemas import CANDIDATES
from silverloom.ops.parasci.sentences import StatementParams


class CoarseParams(Params, section="parasci.coarse"):
    """The coarse threshold; it is valid only for the encoder of `parasci.sentences`."""

    cosine: float = Field(
        0.68,
        ge=-1,
        le=1,
        description="least cosine of a candidate",
        json_schema_extra={"paper": "0.931, of mean BERT vectors"},
    )


#: Cosines in a block: 64 MB.
_BLOCK = 2**23

#: Rows in one query of an index.
_AT_ONCE = 4096

#: Embeddings have four decimals. Scaled to whole numbers, their products are exact in float64 in any order of
#: summation, so that all processors find the same pairs.
_SCALE = 10_000


_YEAR = re.compile(r"\d{4}")


class Similar(NamedTuple):
    """N pairs of rows (first < second) with their cosines, in the order of the rows."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    cosine: NDArray[np.float64]


class Occurrence(NamedTuple):
    """One occurrence of a sentence (a row of `SENTENCES.kept`)."""

    row: Row
    paper: str
    section: int
    role: str
    source: str
    doi: str | None


class IntraParams(Params, section="parasci.intra"):
    """Which pairs are stored."""

    floor: float = Field(0.5, ge=-1, le=1, description="a pair of a lower cosine is not stored")


def length_rate(first: int, second: int) -> float:
    """Return PLR of two lengths in words. Raises ValueError for a length of 0."""
    if min(first, second) < 1:
        raise ValueError("a sentence without words has no length rate")
    return abs(first - second) / min(first, second)


def stored_embeddings(sentences: Parts, texts: Iterable[Collection[str]], folder: Path) -> Parts:
    """Return a part for each of N sets of texts: the rows of parasci/sentences that `looked_up` reads."""
    return matches(sentences, "text", texts, folder, ["text", "embedding"])


def looked_up(sentences: pa.Table, texts: Collection[str], embed: Embed) -> Embed:
    """Return a function that embeds n texts as n x E, like `embed`, but only computes new texts.

    `texts` may be among the sentences, of which `text` and `embedding` are read. Holds the embeddings of the
    sentences found in memory: 1.5 KB each (384 numbers).
    """
    table = sentences.filter(pc.is_in(sentences["text"], pa.array(sorted(texts), pa.string())))
    values = pc.list_flatten(table["embedding"]).to_numpy()
    rows = values.reshape(table.num_rows, -1) if table.num_rows else []
    stored: dict[str, NDArray[np.float32]] = dict(zip(table["text"].to_pylist(), rows, strict=True))

    def embedded(asked: Sequence[str]) -> NDArray[np.float32]:
        if not asked:
            return embed(asked)
        new = list(dict.fromkeys(text for text in asked if text not in stored))
        known = stored | dict(zip(new, embed(new), strict=True)) if new else stored
        return np.stack([known[text] for text in asked])

    return embedded


def similar_pairs(
    embeddings: NDArray[np.float32], groups: NDArray[np.int64], floor: float, block: int = _BLOCK
) -> Similar:
    """Return all pairs of N rows from different groups whose cosine is at least `floor`.

    `embeddings` is N x E, rows of unit length with four decimals; `groups` has N numbers. Holds `block`
    cosines and the pairs in memory. Raises ValueError if the numbers of groups and rows differ.
    """
    return _joined(list(similar_blocks(embeddings, groups, floor, block)))


def similar_blocks(
    embeddings: NDArray[np.float32], groups: NDArray[np.int64], floor: float, block: int = _BLOCK
) -> Iterator[Similar]:
    """Yield the pairs of `similar_pairs`, a block of rows at a time."""
    if len(groups) != len(embeddings):
        raise ValueError(f"{len(embeddings)} embeddings and {len(groups)} groups")
    whole = _whole(embeddings)
    rows_at_once = max(1, block // max(1, len(whole)))
    for start in range(0, len(whole), rows_at_once):
        cosines = whole[start : start + rows_at_once] @ whole[start:].T
        cosines /= _SCALE**2
        alike = np.triu(cosines >= floor, 1)
        alike &= groups[start : start + rows_at_once, None] != groups[None, start:]
        rows, columns = np.nonzero(alike)
        yield Similar(rows + start, columns + start, cosines[rows, columns])


def neighbour_blocks(
    embeddings: NDArray[np.float32], groups: NDArray[np.int64], floor: float, neighbours: int
) -> Iterator[Similar]:
    """Yield pairs like `similar_blocks`, but only of rows with their approximate nearest neighbours.

    The index is a graph of near neighbours (HNSW: Malkov and Yashunin 2018) and misses some pairs; the
    cosines of those that it finds are exact. The time per row grows only with the logarithm of N.
    """
    from usearch.index import Index

    index = Index(ndim=embeddings.shape[1], metric="cos", dtype="f32")
    index.add(np.arange(len(embeddings)), embeddings, threads=1)
    for start in range(0, len(embeddings), _AT_ONCE):
        rows = np.arange(start, min(start + _AT_ONCE, len(embeddings)))
        # One more, because the nearest neighbour is the row itself.
        nearest: Any = index.search(embeddings[rows], neighbours + 1, threads=1)
        near = np.atleast_2d(nearest.keys).astype(np.int64)
        # The result for a single row has as many columns as neighbours; for several rows some may be empty.
        counts = nearest.counts if len(rows) > 1 else np.array([near.shape[1]])
        there = np.arange(near.shape[1])[None, :] < counts[:, None]
        first, second = np.repeat(rows, there.sum(1)), near[there]
        pairs = np.unique(np.sort(np.stack([first, second], axis=1), axis=1), axis=0)
        pairs = pairs[groups[pairs[:, 0]] != groups[pairs[:, 1]]]
        cosines = cosines_of(embeddings[pairs[:, 0]], embeddings[pairs[:, 1]])
        alike = cosines >= floor
        yield Similar(pairs[alike, 0], pairs[alike, 1], cosines[alike])


def most_alike(blocks: Iterable[Similar], most: int) -> Similar:
    """Return the `most` distinct pairs with the greatest cosines, in the order of the rows.

    Ties go to the first rows. Holds `most` pairs and a block in memory.
    """
    similar = _joined([])
    for block in blocks:
        if len(similar.cosine) >= most:
            block = _at(block, block.cosine >= similar.cosine.min())
        similar = _joined([similar, block])
        pairs = np.stack([similar.first, similar.second], axis=1)
        similar = _at(similar, np.unique(pairs, axis=0, return_index=True)[1])
        if len(similar.cosine) > most:
            best = np.lexsort((similar.second, similar.first, -similar.cosine))[:most]
            similar = _at(similar, np.sort(best))
    return similar


def cosines_of(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the cosines of N pairs of rows (N x E each), computed as in `similar_pairs`."""
    cosines: NDArray[np.float64] = (_whole(first) * _whole(second)).sum(axis=1) / _SCALE**2
    return cosines


def statements(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows of embedded sentences, with each embedding as a view of one matrix (float32).

    As Python numbers, the embeddings of a part would take eight times the memory.
    """
    rows: list[dict[str, Any]] = table.drop_columns(["embedding"]).to_pylist()
    values = pc.list_flatten(table["embedding"]).to_numpy()
    for row, embedding in zip(rows, values.reshape(len(rows), -1) if rows else [], strict=True):
        row["embedding"] = embedding
    return rows


def places(row: Row) -> Iterator[Occurrence]:
    """Yield the occurrences of a sentence."""
    for mention in row["mentions"]:
        told = (mention[name] for name in ("paper_id", "section", "role", "source", "doi"))
        yield Occurrence(row, *told)


def embeddings_of(occurrences: Sequence[Occurrence]) -> NDArray[np.float32]:
    """Return the embeddings of the sentences of N occurrences (N x E)."""
    return np.array([place.row["embedding"] for place in occurrences], np.float32)


def candidate(origin: str, key: str, first: Occurrence, second: Occurrence, cosine: float) -> Row:
    """Return the row of a pair."""
    return {
        **made_from_several(
            [first.row, second.row], "candidate", origin, key, first.row["id"], second.row["id"]
        ),
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
        **known_of("first", first),
        **known_of("second", second),
    }


def known_of(side: str, place: Occurrence) -> Row:
    """Return the columns of a side of a pair, besides its text."""
    year = _YEAR.match(place.row["month"] or "")
    return {
        f"{side}_printed": place.row["printed"],
        f"{side}_source": place.source,
        f"{side}_area": place.row["area"],
        f"{side}_year": int(year[0]) if year else None,
        f"{side}_doi": place.doi,
        f"{side}_well_formed": place.row["well_formed"],
    }


def light(row: Row) -> Row:
    """Return a sentence without its embedding, the form in which dropped sentences are stored."""
    return {name: value for name, value in row.items() if name != "embedding"}


def intra(sentences: pa.Table, params: IntraParams, within: StatementParams) -> Outcome:
    """Return the pairs within the papers of one part of parasci/sentences; drop sentences in no pair.

    Reasons: `section` (it is in no section of the `roles`), `one_section` (its papers have at most one such
    section), `unlike` (no pair reaches the floor). `combinations` count the compared pairs. All sentences of
    a paper are in one part.
    """
    units = statements(sentences)
    of_paper: dict[str, dict[tuple[str, int], Occurrence]] = defaultdict(dict)
    for unit in units:
        for place in places(unit):
            if within.compares(place.role, place.section):
                of_paper[place.paper].setdefault((unit["id"], place.section), place)
    papers = {paper: list(occurrences.values()) for paper, occurrences in of_paper.items()}
    counts: Counter[str] = Counter()
    by_id: dict[str, Row] = {}
    compared: set[str] = set()
    for paper, occurrences in papers.items():
        _, sections = np.unique([place.section for place in occurrences], return_inverse=True)
        several = len(occurrences) ** 2 - int((np.bincount(sections) ** 2).sum())
        if not several:
            continue
        counts["compared"] += several // 2
        compared |= {place.row["id"] for place in occurrences}
        for first, second, cosine in zip(
            *similar_pairs(embeddings_of(occurrences), sections, params.floor), strict=True
        ):
            if occurrences[first].row["id"] == occurrences[second].row["id"]:
                counts["identical"] += 1
                continue
            row = candidate("intra", paper, occurrences[first], occurrences[second], float(cosine))
            by_id.setdefault(row["id"], row)
    used = {source for row in by_id.values() for source in row["source_ids"]}
    eligible = {place.row["id"] for occurrences in papers.values() for place in occurrences}
    dropped = [
        drop(light(unit), _reason(unit["id"], eligible, compared)) for unit in units if unit["id"] not in used
    ]
    return Outcome.of(
        CANDIDATES, [unit["id"] for unit in units], list(by_id.values()), dropped, combinations=counts
    )


def _joined(blocks: Sequence[Similar]) -> Similar:
    none = Similar(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    return Similar(*(np.concatenate(parts) for parts in zip(none, *blocks, strict=True)))


def _at(pairs: Similar, places: NDArray[Any]) -> Similar:
    return Similar(*(values[places] for values in pairs))


def _whole(embeddings: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.rint(embeddings.astype(np.float64) * _SCALE)


def _reason(sentence: str, eligible: set[str], compared: set[str]) -> str:
    if sentence not in eligible:
        return "section"
    return "unlike" if sentence in compared else "one_section"
