"""Pairs across papers: sentences that define one term, or cite one paper.

Belongs here: the groups, their bounds, and their pairs. Not here: terms (ops/parasci/definitions.py), marks
(ops/parasci/marks.py), the comparison (pairs.py).

Dong et al. (2021), 4.1.2. A group of n sentences has n(n-1)/2 pairs. All are compared, and the most alike
are kept, so that a paper cited 10,000 times does not store 50 million pairs; sentences of a very large group
are compared with their nearest neighbours.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from pydantic import Field

from ops.core.outcome import Outcome, Outcomes, Row, drop
from ops.core.params import Params
from ops.core.parts import Parts
from ops.parasci.candidates.pairs import (
    Occurrence,
    Similar,
    candidate,
    embeddings_of,
    light,
    most_alike,
    neighbour_blocks,
    similar_blocks,
    statements,
)
from ops.parasci.schemas import CANDIDATES

#: Says of a mention of a sentence in which groups it is.
Keys = Callable[[Row, Row], Iterable[str]]


class GroupParams(Params):
    """How much of a group is compared, and from where on a pair is stored."""

    floor: float = Field(0.5, ge=-1, le=1, description="a pair of a lower cosine is not stored")
    most: int = Field(10_000, ge=1, description="pairs of a group that are kept at most: the most alike")
    compare_all: int = Field(
        100_000, ge=1, description="sentences of a group that are all compared; of more, by an index"
    )
    neighbours: int = Field(
        100, ge=1, description="that a sentence of a larger group is compared with: the nearest ones"
    )


class DefinitionParams(GroupParams, section="parasci.definitions"):
    """Groups of sentences that define one term."""


class CitationParams(GroupParams, section="parasci.citations"):
    """Groups of sentences that cite one paper."""


def definitions(sentences: Parts, passages: Parts, params: DefinitionParams) -> Outcomes:
    """Yield pairs of sentences that define one term in papers of one subject area.

    Units are the sentences of papers; reasons: `no_definition`, `alone` (no other paper defines the term),
    `unlike`, `beyond_most` (its group has `most` pairs that are more alike). `combinations` count the
    `groups` of several papers, their pairs of two papers that are `compared`, or looked through `by_index`;
    the `identical` ones of these and those `beyond_most`; and what becomes of passages by the same reasons
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
    yield Outcome.of(CANDIDATES, units, kept, dropped, combinations=+counts)


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
    for key in sorted(groups):
        found = [groups[key][name] for name in sorted(groups[key])]
        of_two = _number(found)
        if not of_two:
            continue
        counts["groups"] += 1
        counts["identical"] += sum(map(_number, _by(found, lambda place: place.row["text"])))
        sentences = _by(found, lambda place: place.row["id"])
        for of_one in sentences:
            if reasons[name := of_one[0].row["id"]] == "alone":
                reasons[name] = "unlike"
        blocks = _Counted(_blocks(sentences, params, counts, of_two), sentences)
        kept = most_alike(blocks, params.most)
        reasons |= dict.fromkeys(blocks.alike, "beyond_most")
        counts["beyond_most"] += blocks.pairs - len(kept.cosine)
        for first, second, cosine in zip(*kept, strict=True):
            yield candidate(origin, key, *_of_two(sentences[first], sentences[second]), float(cosine))


def _blocks(
    sentences: Sequence[Sequence[Occurrence]], params: GroupParams, counts: Counter[str], of_two: int
) -> Iterator[Similar]:
    """Yield the pairs of a group's sentences; a sentence may stand in several papers."""
    firsts = [of_one[0] for of_one in sentences]
    papers = {place.paper: number for number, place in enumerate(firsts)}
    # A sentence of several papers can be paired with any: it has a number of its own.
    own = np.array(
        [
            papers[of_one[0].paper] if len(of_one) == 1 else -1 - number
            for number, of_one in enumerate(sentences)
        ]
    )
    texts = np.unique([place.row["text"] for place in firsts], return_inverse=True)[1]
    embeddings = embeddings_of(firsts)
    if len(sentences) <= params.compare_all:
        counts["compared"] += of_two
        blocks = similar_blocks(embeddings, own, params.floor)
    else:
        counts["by_index"] += of_two
        blocks = neighbour_blocks(embeddings, own, params.floor, params.neighbours)
    for block in blocks:
        different = texts[block.first] != texts[block.second]
        yield Similar(*(values[different] for values in block))


class _Counted:
    """Pairs that are counted as they are taken, with the sentences that are in any."""

    def __init__(self, blocks: Iterable[Similar], sentences: Sequence[Sequence[Occurrence]]) -> None:
        self._blocks, self._sentences = blocks, sentences
        self._alike = np.zeros(len(sentences), bool)
        self.pairs = 0

    def __iter__(self) -> Iterator[Similar]:
        for block in self._blocks:
            self.pairs += len(block.cosine)
            self._alike[block.first] = self._alike[block.second] = True
            yield block

    @property
    def alike(self) -> list[str]:
        """The ids of the sentences that reach the floor with another one."""
        return [self._sentences[place][0].row["id"] for place in np.flatnonzero(self._alike).tolist()]


def _by(found: Sequence[Occurrence], key: Callable[[Occurrence], str]) -> list[list[Occurrence]]:
    """Return occurrences by what they have in common, in the order of the first ones."""
    several: dict[str, list[Occurrence]] = {}
    for place in found:
        several.setdefault(key(place), []).append(place)
    return list(several.values())


def _of_two(first: Sequence[Occurrence], second: Sequence[Occurrence]) -> tuple[Occurrence, Occurrence]:
    """Return the first places of two sentences that are in two papers."""
    return next((one, other) for one, other in product(first, second) if one.paper != other.paper)


def _number(found: Sequence[Occurrence]) -> int:
    """Return how many pairs of two papers there are."""
    of_one = Counter(place.paper for place in found).values()
    return (len(found) ** 2 - sum(count**2 for count in of_one)) // 2
