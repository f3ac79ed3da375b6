"""Pairs within a paper: what authors say in one section and again in another.

Belongs here: which sections are compared. Not here: the comparison (pairs.py), and the threshold, which a
later step applies.

Dong et al. (2021), 4.1.1: six kinds of sections; "as information is hardly repeated in the same section, we
exclude the comparison between sentences in the same section".
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
from pydantic import Field

from ops.outcome import Outcome, Row, drop
from ops.params import Params
from ops.parasci.candidates.pairs import (
    Occurrence,
    candidate,
    embeddings_of,
    light,
    places,
    similar_pairs,
    statements,
)
from ops.parasci.schemas import CANDIDATES
from ops.parse import roles

#: The paper's Abstract, Introduction, Background, Discussion, Preamble, Conclusion.
ROLES = (
    roles.ABSTRACT, roles.INTRODUCTION, roles.BACKGROUND, roles.DISCUSSION, roles.PREAMBLE, roles.CONCLUSION,
)  # fmt: skip


class IntraParams(Params, section="parasci.intra"):
    """Which sections are compared, and from where on a pair is stored."""

    roles: tuple[str, ...] = Field(ROLES, min_length=1, description="of the sections that are compared")
    floor: float = Field(0.5, ge=-1, le=1, description="a pair of a lower cosine is not stored")


def intra(sentences: pa.Table, params: IntraParams) -> Outcome:
    """Return the pairs within the papers of one part of parasci/sentences; a sentence in none is dropped.

    Reasons: `section` (it stands in none of the kinds), `one_section` (its papers have one section of these,
    or none), `unlike` (nothing reaches the floor). `combinations` count the compared pairs. A
    paper's sentences are in one part.
    """
    units = statements(sentences)
    of_paper: dict[str, dict[tuple[str, int], Occurrence]] = defaultdict(dict)
    for unit in units:
        for place in places(unit):
            if place.role in params.roles and place.section >= 0:
                of_paper[place.paper].setdefault((unit["id"], place.section), place)
    papers = {paper: list(found.values()) for paper, found in of_paper.items()}
    counts: Counter[str] = Counter()
    kept: dict[str, Row] = {}
    compared: set[str] = set()
    for paper, found in papers.items():
        _, sections = np.unique([place.section for place in found], return_inverse=True)
        several = len(found) ** 2 - int((np.bincount(sections) ** 2).sum())
        if not several:
            continue
        counts["compared"] += several // 2
        compared |= {place.row["id"] for place in found}
        for first, second, cosine in zip(
            *similar_pairs(embeddings_of(found), sections, params.floor), strict=True
        ):
            if found[first].row["id"] == found[second].row["id"]:
                counts["identical"] += 1
                continue
            row = candidate("intra", paper, found[first], found[second], float(cosine))
            kept.setdefault(row["id"], row)
    used = {source for row in kept.values() for source in row["source_ids"]}
    eligible = {place.row["id"] for found in papers.values() for place in found}
    dropped = [
        drop(light(unit), _reason(unit["id"], eligible, compared)) for unit in units if unit["id"] not in used
    ]
    return Outcome.of(
        CANDIDATES, [unit["id"] for unit in units], list(kept.values()), dropped, combinations=counts
    )


def _reason(sentence: str, eligible: set[str], compared: set[str]) -> str:
    if sentence not in eligible:
        return "section"
    return "unlike" if sentence in compared else "one_section"
