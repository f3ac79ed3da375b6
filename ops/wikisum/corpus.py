"""Which candidates become references of an article: not clones, not duplicates, and about its title.

Belongs here: thresholds on stored scores, and near-duplicates. Not here: the scores (references.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Literal

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import Outcome, Row, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import at_least, at_most, scored
from silverloom.ops.wikisum.clones import repeated
from silverloom.ops.wikisum.schemas import CORPUS
from silverloom.ops.wikisum.topic import topic_score

#: The kinds of references in a corpus: one kind, or both.
COMBINED, CITATIONS, SEARCH = "combined", "citations", "search"
CorpusName = Literal["combined", "citations", "search"]


class CorpusParams(Params, section="wikisum.corpus"):
    """Which candidates are kept."""

    clone_recall: float = Field(
        0.15,
        ge=0,
        le=1,
        description="a page that holds more of a section is a clone; the paper counts words",
        json_schema_extra={"paper": "0.5"},
    )
    clones_among: tuple[Literal["citations", "search"], ...] = Field(
        ("search",), description="where clones are removed", json_schema_extra={"paper": "search"}
    )
    title_similarity: float = Field(
        0.08,
        ge=0,
        le=1,
        description="of a result of the local index with the title, less half of that with another article "
        "that it was found for; what has less is dropped; 0: no floor "
        "(docs/reports/wikisum-real-articles.md). What a search engine found is trusted, as in the paper "
        "(section 3)",
        json_schema_extra={"paper": "0"},
    )
    soft_404: Literal["dropped", "kept"] = Field(
        "dropped",
        description="pages that say that there is no page",
        json_schema_extra={"paper": "kept"},
    )
    near_duplicates: float = Field(
        0.9, gt=0, le=1, description="similarity of pages of which the first stays; needs permutations above"
    )


def corpus(references: pa.Table, params: CorpusParams) -> Outcome:
    """Return the candidates of one part that are kept; the others are dropped.

    `clone`: it contains more of a section than the threshold, and its kind is checked for clones; a page that
    is also cited stays as a cited page. `other_topic`: only the local index found it, and it is not similar
    to the title, or more to another one. `soft_404`: it says that there is no page. `near_duplicate`: it
    nearly repeats an earlier reference of the article.
    """
    units = references.to_pylist()
    without_floor = params.model_copy(update={"title_similarity": 0})
    kept: list[Row] = []
    dropped: list[Row] = []
    for _, group in groupby(units, key=lambda unit: str(unit["article_id"])):
        taken: list[tuple[Row, Row]] = []
        for unit in group:
            cited, searched = _stays(unit, params)
            if unit["soft_404"] and params.soft_404 == "dropped":
                dropped.append(drop(unit, "soft_404"))
            elif cited or searched:
                identity = made_from(unit, "corpus")
                taken.append((unit, {**unit, **identity, "cited": cited, "searched": searched}))
            elif any(_stays(unit, without_floor)):
                dropped.append(drop(unit, "other_topic", _topic(unit)))
            else:
                dropped.append(drop(unit, "clone", unit["clone_recall"]))
        repeats = _repeated([unit for unit, _ in taken], params)
        for index, (unit, row) in enumerate(taken):
            if index in repeats:
                first, similarity = repeats[index]
                detail = f"as {taken[first][0]['page_id']}"
                dropped.append(drop(unit, "near_duplicate", round(similarity, 6), detail))
            else:
                kept.append(row)
    return Outcome.of(CORPUS, [unit["id"] for unit in units], kept, dropped)


def is_compared(unit: Row, params: CorpusParams) -> bool:
    """Return whether a candidate is of a kind that is checked for clones."""
    return (unit["cited"] and CITATIONS in params.clones_among) or (
        bool(unit["hits"]) and SEARCH in params.clones_among
    )


def recalls(references: Parts, params: CorpusParams) -> Iterator[pa.Table]:
    """Yield the candidates with the score that `params.clone_recall` bounds."""
    for table in references:
        yield _scored(
            table, params, "clone_recall", itemgetter("clone_recall"), -1.0, 1.0, kept_score=float("-inf")
        )


def similarities(references: Parts, params: CorpusParams) -> Iterator[pa.Table]:
    """Yield the candidates with the score that `params.title_similarity` bounds."""
    for table in references:
        yield _scored(table, params, "title_similarity", _topic, float("inf"), 0, kept_score=float("inf"))


def _scored(
    table: pa.Table,
    params: CorpusParams,
    name: str,
    score: Callable[[Row], float | None],
    never: float,
    always: float,
    kept_score: float,
) -> pa.Table:
    """Return candidates with the score that the param `name` bounds.

    The param keeps no candidate at the value `never` and every candidate at `always`. A candidate that is
    kept at both values has the score `kept_score`. One that is kept at neither, is a duplicate or says that
    there is no page has a null score.
    """
    strict, lenient = (params.model_copy(update={name: value}) for value in (never, always))
    dropped = corpus(table, params).dropped.to_pylist()
    lost = {row["id"] for row in dropped if row["reason"] in ("near_duplicate", "soft_404")}
    return scored(
        (
            unit["id"],
            None
            if unit["id"] in lost or not any(_stays(unit, lenient))
            else kept_score
            if any(_stays(unit, strict))
            else score(unit),
            unit["title"] or unit["address"],
        )
        for unit in table.to_pylist()
    )


def _topic(unit: Row) -> float | None:
    return topic_score(unit["title_similarity"], unit["rival_similarity"])


def _stays(unit: Row, params: CorpusParams) -> tuple[bool, bool]:
    """Return whether a candidate is kept as a cited page, and whether it is kept as a search result."""
    clone = not at_most(unit["clone_recall"], params.clone_recall)
    topic = _topic(unit)
    return (
        unit["cited"] and not (clone and CITATIONS in params.clones_among),
        bool(unit["hits"])
        and not (clone and SEARCH in params.clones_among)
        and (topic is None or bool(at_least(topic, params.title_similarity))),
    )


def _repeated(units: Sequence[Row], params: CorpusParams) -> dict[int, tuple[int, float]]:
    signatures = [unit["signature"] for unit in units]
    if not all(signatures):
        return {}
    return repeated(signatures, params.near_duplicates)
