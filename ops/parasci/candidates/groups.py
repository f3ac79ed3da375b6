"""Pairs across papers: sentences that define one term, or cite one paper.

Belongs here: the groups, their bounds, and their pairs. Not here: terms (definitions), marks (marks.py), the
comparison (pairs.py).

Dong et al. (2021), 4.1.2. A group of n sentences has n(n-1)/2 pairs: of one that has more than a bound some
sentences are drawn, so that a paper cited 10,000 times does not make 50 million pairs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isqrt
from typing import Any

import numpy as np
from pydantic import Field

from ops.core.sampling import drawn
from ops.outcome import Outcome, Outcomes, Row, drop
from ops.params import Params
from ops.parasci.candidates.pairs import (
    Occurrence,
    candidate,
    embeddings_of,
    light,
    similar_pairs,
    statements,
)
from ops.parasci.schemas import CANDIDATES
from ops.parts import Parts

#: Says of a mention of a sentence in which groups it is.
Keys = Callable[[Row, Row], Iterable[str]]


class GroupParams(Params):
    """How much of a group is compared, and from where on a pair is stored."""

    floor: float = Field(0.5, ge=-1, le=1, description="a pair of a lower cosine is not stored")
    largest: int = Field(2_000, ge=1, description="pairs of a group that are compared at most")
    seed: int = Field(0, ge=0, description="another one draws other sentences of a large group")


class DefinitionParams(GroupParams, section="parasci.definitions"):
    """Groups of sentences that define one term."""


class CitationParams(GroupParams, section="parasci.citations"):
    """Groups of sentences that cite one paper."""


def definitions(sentences: Parts, passages: Parts, params: DefinitionParams) -> Outcomes:
    """Yield pairs of sentences that define one term in papers of one subject area.

    Units are the sentences of papers; reasons: `no_definition`, `alone` (no other paper defines the term),
    `unlike`, `not_drawn`. `combinations` count the `groups` of several papers, their pairs of two papers that
    are `compared` and `not_compared`, the `identical` ones, and what becomes of passages by the same reasons
    (`passages: alone`).
    """
    return _pairs("definitions", "no_definition", _terms, sentences, passages, params)


def citations(sentences: Parts, passages: Parts, params: CitationParams) -> Outcomes:
    """Yield pairs of sentences that cite one paper; reasons as of `definitions`, and `no_citation`."""
    return _pairs("citations", "no_citation", _cited_papers, sentences, passages, params)


def _terms(sentence: Row, mention: Row) -> Iterable[str]:
    return (
        [f"{sentence['area']}/{mention['term']}" if sentence["area"] else mention["term"]]
        if mention["term"]
        else []
    )


def _cited_papers(_: Row, mention: Row) -> Iterable[str]:
    cited: list[str] = mention["cited"]
    return cited


def _pairs(
    origin: str, reason: str, keys: Keys, sentences: Parts, passages: Parts, params: GroupParams
) -> Outcomes:
    """Yield a part for each of the sentences, with what is in no group, and a last one with all pairs.

    In memory are the sentences that are in a group.
    """
    groups: dict[str, dict[tuple[str, str], Occurrence]] = defaultdict(dict)
    units: dict[str, Row] = {}
    for table in sentences:
        dropped = []
        for row in statements(table):
            if _join(groups, keys, row):
                units[row["id"]] = row
            else:
                dropped.append(drop(light(row), reason))
        yield Outcome.of(CANDIDATES, [row["id"] for row in dropped], [], dropped)
    counts: Counter[str] = Counter()
    reasons = dict.fromkeys(units, "alone")
    others: list[str] = []
    for table in passages:
        for row in statements(table):
            others.append(row["id"])
            reasons[row["id"]] = "alone" if _join(groups, keys, row) else reason
    kept = list(_of_groups(origin, groups, params, counts, reasons))
    used = {source for row in kept for source in row["source_ids"]}
    dropped = [drop(light(row), reasons[name]) for name, row in units.items() if name not in used]
    counts.update(f"passages: {reasons[name]}" for name in others if name not in used)
    yield Outcome.of(CANDIDATES, units, kept, dropped, combinations=counts)


def _join(groups: Mapping[str, dict[tuple[str, str], Occurrence]], keys: Keys, row: dict[str, Any]) -> bool:
    """Put a sentence into its groups, once a paper; return whether it is in one."""
    found = [(key, mention) for mention in row["mentions"] for key in keys(row, mention)]
    if found:
        row["embedding"] = row["embedding"].copy()  # its part is not kept in memory for it
    for key, mention in found:
        place = Occurrence(row, mention["paper_id"], mention["section"], mention["role"])
        groups[key].setdefault((row["id"], place.paper), place)
    return bool(found)


def _of_groups(
    origin: str,
    groups: Mapping[str, Mapping[tuple[str, str], Occurrence]],
    params: GroupParams,
    counts: Counter[str],
    reasons: dict[str, str],
) -> Iterator[Row]:
    seen: set[str] = set()
    for key in sorted(groups):
        found = [groups[key][name] for name in sorted(groups[key])]
        chosen = bounded(found, params)
        counts["not_compared"] += _number(found) - _number(chosen)
        if len({place.paper for place in found}) > 1:
            counts["groups"] += 1
            reasons |= {
                place.row["id"]: "not_drawn" for place in found if reasons.get(place.row["id"]) == "alone"
            }
            reasons |= {place.row["id"]: "unlike" for place in chosen if place.row["id"] in reasons}
        _, papers = np.unique([place.paper for place in chosen], return_inverse=True)
        counts["compared"] += _number(chosen)
        for first, second, cosine in zip(
            *similar_pairs(embeddings_of(chosen), papers, params.floor), strict=True
        ):
            if chosen[first].row["text"] == chosen[second].row["text"]:
                counts["identical"] += 1
                continue
            row = candidate(origin, key, chosen[first], chosen[second], float(cosine))
            if row["id"] not in seen:
                seen.add(row["id"])
                yield row


def bounded(found: Sequence[Occurrence], params: GroupParams) -> Sequence[Occurrence]:
    """Return as many of the sentences, drawn by seed and name, as have no more pairs than allowed."""
    most = max(2, (1 + isqrt(1 + 8 * params.largest)) // 2)
    if len(found) <= most:
        return found
    return sorted(found, key=lambda place: drawn(params.seed, place.row["id"], place.paper))[:most]


def _number(found: Sequence[Occurrence]) -> int:
    """Return how many pairs of two papers there are."""
    of_one = Counter(place.paper for place in found).values()
    return (len(found) ** 2 - sum(count**2 for count in of_one)) // 2
