"""Pairs across papers: sentences that define the same term, or cite the same paper.

Belongs here: the groups, their limits, their pairs, and the outcome for a sentence in several groups. Not
here: terms (ops/parasci/definitions.py), citation marks (ops/parasci/marks.py), the comparison (pairs.py).

Dong et al. (2021), 4.1.2. A group of n sentences has n(n-1)/2 pairs. All are compared, but only the most
similar are kept, so that a paper that is cited 10,000 times does not store 50 million pairs. Sentences of a
very large group are compared only with their nearest neighbours.

Groups are sorted on disk by key, without texts and embeddings; then texts and embeddings are joined to parts
of whole groups.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from silverloom.ops.core.joins import grouped, matches, stored
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop, in_parts
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.parasci.candidates.pairs import (
    Occurrence,
    Similar,
    candidate,
    embeddings_of,
    most_alike,
    neighbour_blocks,
    similar_blocks,
    statements,
)
from silverloom.ops.parasci.schemas import CANDIDATES

#: The two kinds of groups, as the origin of a pair.
DEFINITIONS, CITATIONS = "definitions", "citations"

#: A sentence as a member of a group.
_MEMBERS = pa.schema(
    [
        ("key", pa.string()),
        ("id", pa.string()),
        ("paper", pa.string()),
        ("section", pa.int32()),
        ("role", pa.string()),
        ("source", pa.string()),
        ("doi", pa.string()),
    ]
)

#: Further columns that pairs are made from.
_TEXT_COLUMNS = ("id", "licence", "month", "area", "text", "printed", "well_formed", "embedding")

#: The possible outcomes of a sentence in a group; for a sentence in several groups, the last of these wins.
_USED = "used"
_FATES = ("alone", "unlike", "beyond_most", _USED)
_OF_GROUP = pa.schema([("id", pa.string()), ("fate", pa.int8())])
_OF_PART = pa.schema([*_OF_GROUP, ("part", pa.string())])

#: Members of a part of groups, unless one group is larger; about 50 MB.
MEMBERS_OF_PART = 10_000

#: Least number of pairs and dropped sentences in a part of the dataset; its last part may be smaller.
ROWS_OF_PART = 50_000

#: Returns the keys of the groups of a sentence's mention.
Keys = Callable[[Row, Row], Iterable[str]]


class GroupParams(Params):
    """How much of a group is compared, and which pairs are stored."""

    floor: float = Field(0.5, ge=-1, le=1, description="a pair of a lower cosine is not stored")
    most: int = Field(10_000, ge=1, description="pairs of a group that are kept at most: the most alike")
    compare_all: int = Field(
        100_000, ge=1, description="sentences of a group that are all compared; of more, by an index"
    )
    neighbours: int = Field(
        100, ge=1, description="that a sentence of a larger group is compared with: the nearest ones"
    )


class DefinitionParams(GroupParams, section="parasci.definitions"):
    """Groups of sentences that define the same term."""


class CitationParams(GroupParams, section="parasci.citations"):
    """Groups of sentences that cite the same paper."""


def definitions(sentences: Parts, passages: Parts, params: DefinitionParams) -> Outcomes:
    """Yield pairs of sentences that define the same term in papers of the same subject area.

    Units are the sentences of papers. Reasons: `no_definition`, `alone` (no other paper defines the term),
    `unlike`, `beyond_most` (its group has `most` pairs that are more similar). `combinations` count the
    `groups` with several papers; their pairs of two papers, which are `compared` exactly or searched
    `by_index`; how many pairs are `identical` and `beyond_most`; and the passages by reason
    (`passages: alone`).

    Holds a part in memory, or the largest group if it is larger: about 5 KB a sentence.
    """
    return _pairs(DEFINITIONS, sentences, passages, params)


def citations(sentences: Parts, passages: Parts, params: CitationParams) -> Outcomes:
    """Yield pairs of sentences that cite one paper; reasons as in `definitions`, and `no_citation`."""
    return _pairs(CITATIONS, sentences, passages, params)


def members_of(sentences: pa.Table, kind: str) -> Outcome:
    """Return, as kept rows, the group members from the sentences of a part; drop sentences in no group."""
    kept: list[Row] = []
    dropped: list[Row] = []
    for row in sentences.drop_columns(["embedding"]).to_pylist():
        memberships = [(key, mention) for mention in row["mentions"] for key in KEYS[kind](row, mention)]
        kept += (
            {
                "key": key,
                "id": row["id"],
                "paper": mention["paper_id"],
                "section": mention["section"],
                "role": mention["role"],
                "source": mention["source"],
                "doi": mention["doi"],
            }
            for key, mention in memberships
        )
        if not memberships:
            dropped.append(drop(row, OUTSIDE[kind]))
    return Outcome(
        pa.array([row["id"] for row in dropped], pa.string()),
        pa.Table.from_pylist(kept, schema=_MEMBERS),
        pa.Table.from_pylist(dropped, schema=CANDIDATES.dropped),
        CANDIDATES.rejected.empty_table(),
    )


def pairs_of_groups(
    members: pa.Table, sentences: pa.Table, passages: pa.Table, kind: str, params: GroupParams
) -> Outcome:
    """Return the pairs of whole groups and, as dropped rows, the outcome of each sentence in them.

    `sentences` and `passages` are the members' rows.
    """
    rows = {row["id"]: row for table in (passages, sentences) for row in statements(table)}
    groups: dict[str, dict[tuple[str, str], Occurrence]] = defaultdict(dict)
    for member in members.to_pylist():
        told = (member[name] for name in ("paper", "section", "role", "source", "doi"))
        place = Occurrence(rows[member["id"]], *told)
        groups[member["key"]].setdefault((member["id"], member["paper"]), place)
    counts: Counter[str] = Counter()
    reasons = dict.fromkeys(rows, "alone")
    kept = list(rows_of_groups(kind, groups, params, counts, reasons))
    reasons |= dict.fromkeys((name for row in kept for name in row["source_ids"]), _USED)
    fates = pa.table([list(reasons), [_FATES.index(reason) for reason in reasons.values()]], _OF_GROUP)
    pairs = pa.Table.from_pylist(kept, schema=CANDIDATES.kept)
    nothing = CANDIDATES.rejected.empty_table()
    return Outcome(pa.array([], pa.string()), pairs, fates, nothing, combinations=+counts)


def lost_of(sentences: pa.Table, fates: pa.Table, kind: str) -> Outcome:
    """Return the sentences of a part that are in a group but in no pair."""
    of_sentence = dict(zip(fates["id"].to_pylist(), fates["fate"].to_pylist(), strict=True))
    dropped = []
    for row in sentences.drop_columns(["embedding"]).to_pylist():
        fate = _FATES[of_sentence.get(row["id"], 0)]
        if fate != _USED and any(key for mention in row["mentions"] for key in KEYS[kind](row, mention)):
            dropped.append(drop(row, fate))
    return Outcome.of(CANDIDATES, [row["id"] for row in dropped], [], dropped)


def _terms(sentence: Row, mention: Row) -> Iterable[str]:
    return (
        [f"{sentence['area']}/{mention['term']}" if sentence["area"] else mention["term"]]
        if mention["term"]
        else []
    )


def _cited_papers(_: Row, mention: Row) -> Iterable[str]:
    cited: list[str] = mention["cited"]
    return cited


KEYS: Mapping[str, Keys] = {DEFINITIONS: _terms, CITATIONS: _cited_papers}
OUTSIDE: Mapping[str, str] = {DEFINITIONS: "no_definition", CITATIONS: "no_citation"}


def _pairs(kind: str, sentences: Parts, passages: Parts, params: GroupParams) -> Outcomes:
    """Yield an outcome per part with the sentences in no group, then all pairs and other dropped sentences.

    The groups of a sentence may be in several parts, so its outcomes are joined by its id at the end.
    """
    counts: Counter[str] = Counter()
    with sentences.engine.scratch() as folder:
        members: list[Parts] = []
        for number, outcome in enumerate(sentences.map(members_of, kind)):
            members.append(stored([outcome.kept], _MEMBERS, sentences, folder / f"members {number}"))
            yield replace(outcome, kept=CANDIDATES.kept.empty_table())
        others: list[Parts] = []
        for number, outcome in enumerate(passages.map(members_of, kind)):
            others.append(stored([outcome.kept], _MEMBERS, sentences, folder / f"others {number}"))
            counts[f"passages: {OUTSIDE[kind]}"] += len(outcome.units)
        in_groups = (table for one in (*members, *others) for table in one)
        groups = grouped(in_groups, _MEMBERS, "key", sentences, folder / "groups", MEMBERS_OF_PART)
        several = stored(map(_of_several_papers, groups), _MEMBERS, sentences, folder / "several")
        texts, others_texts = (
            matches(rows, "id", _ids(several), folder / f"{name} texts", _TEXT_COLUMNS)
            for name, rows in (("its", sentences), ("other", passages))
        )
        pairs: list[Parts] = []
        of_groups: list[Parts] = []
        for number, outcome in enumerate(
            several.map(pairs_of_groups, kind, params, beside=[texts, others_texts])
        ):
            pairs.append(stored([outcome.kept], CANDIDATES.kept, sentences, folder / f"pairs {number}"))
            of_part = outcome.dropped.append_column("part", pa.array([str(number)] * len(outcome.dropped)))
            of_groups.append(stored([of_part], _OF_PART, sentences, folder / f"fates {number}"))
            counts.update(outcome.combinations)
        by_sentence = grouped(
            (table for one in of_groups for table in one),
            _OF_PART, "id", sentences, folder / "by sentence", MEMBERS_OF_PART,
        )  # fmt: skip
        fates = stored(map(_last, by_sentence), _OF_PART, sentences, folder / "fates")
        of_sentences = matches(fates, "id", (_in_groups(one) for one in members), folder / "of sentences")
        of_passages = matches(fates, "id", (_in_groups(one) for one in others), folder / "of passages")
        for one, its in zip(others, of_passages, strict=True):
            reasons = Counter(_FATES[fate] for fate in its["fate"].to_pylist())
            reasons["alone"] += len(pc.unique(next(iter(one))["id"])) - len(its)
            counts.update(
                {f"passages: {reason}": count for reason, count in reasons.items() if reason != _USED}
            )
        # A sentence counts as a unit of the first part that has a pair with it.
        used = stored((_used(table) for table in of_sentences), _OF_PART, sentences, folder / "used")
        numbers = ([str(number)] for number in range(len(pairs)))
        units = matches(used, "part", numbers, folder / "units", ["id"])

        def outcomes() -> Iterator[Outcome]:
            for one, its in zip(pairs, units, strict=True):
                kept = next(iter(one))
                # here, because an empty table imports pandas
                nothing = CANDIDATES.dropped.empty_table(), CANDIDATES.rejected.empty_table()
                yield Outcome(its["id"].combine_chunks(), kept, *nothing)
            yield from sentences.map(lost_of, kind, beside=[of_sentences])
            yield Outcome.of(CANDIDATES, [], [], combinations=+counts)

        yield from in_parts(outcomes(), ROWS_OF_PART)


def _of_several_papers(members: pa.Table) -> pa.Table:
    """Return the members of groups with at least two papers; other groups have no pairs."""
    papers = members.group_by("key").aggregate([("paper", "count_distinct")])
    keys = papers.filter(pc.greater(papers["paper_count_distinct"], 1))["key"]
    return members.filter(pc.is_in(members["key"], keys))


def _ids(parts: Parts) -> Iterator[pa.ChunkedArray]:
    return (part.read(["id"])["id"] for part in parts.parts)


def _in_groups(members: Parts) -> pa.ChunkedArray:
    (part,) = members.parts
    return part.read(["id"])["id"]


def _last(fates: pa.Table) -> pa.Table:
    """Return the outcome of each sentence, the last in `_FATES`, and the first part that has it."""
    last: dict[str, tuple[int, str]] = {}
    for row in fates.to_pylist():
        if row["id"] not in last or row["fate"] > last[row["id"]][0]:
            last[row["id"]] = row["fate"], row["part"]
    columns = [[*last], [fate for fate, _ in last.values()], [part for _, part in last.values()]]
    return pa.table(columns, _OF_PART)


def _used(fates: pa.Table) -> pa.Table:
    return fates.filter(pc.equal(fates["fate"], _FATES.index(_USED)))


def rows_of_groups(
    origin: str,
    groups: Mapping[str, Mapping[tuple[str, str], Occurrence]],
    params: GroupParams,
    counts: Counter[str],
    reasons: dict[str, str],
) -> Iterator[Row]:
    """Yield the candidates of some groups by key; count pairs, and record why a sentence has no pair."""
    for key in sorted(groups):
        occurrences = [groups[key][name] for name in sorted(groups[key])]
        of_two = _number(occurrences)
        if not of_two:
            continue
        counts["groups"] += 1
        counts["identical"] += sum(map(_number, _by(occurrences, lambda place: place.row["text"])))
        sentences = _by(occurrences, lambda place: place.row["id"])
        for of_one in sentences:
            if reasons[name := of_one[0].row["id"]] == "alone":
                reasons[name] = "unlike"
        blocks = _Counted(_blocks(sentences, params, counts, of_two), sentences)
        pairs = most_alike(blocks, params.most)
        reasons |= dict.fromkeys(blocks.alike, "beyond_most")
        counts["beyond_most"] += blocks.pairs - len(pairs.cosine)
        for first, second, cosine in zip(*pairs, strict=True):
            yield candidate(origin, key, *_of_two(sentences[first], sentences[second]), float(cosine))


def _blocks(
    sentences: Sequence[Sequence[Occurrence]], params: GroupParams, counts: Counter[str], of_two: int
) -> Iterator[Similar]:
    """Yield the pairs of a group's sentences; a sentence may occur in several papers."""
    firsts = [of_one[0] for of_one in sentences]
    papers = {place.paper: number for number, place in enumerate(firsts)}
    # A sentence of several papers can be paired with any sentence, so it gets its own number.
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
    """Iterates over pairs, and counts them and the sentences in them."""

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
        """The ids of the sentences in at least one pair above the floor."""
        return [self._sentences[place][0].row["id"] for place in np.flatnonzero(self._alike).tolist()]


def _by(occurrences: Sequence[Occurrence], key: Callable[[Occurrence], str]) -> list[list[Occurrence]]:
    """Group occurrences by key, in order of first occurrence."""
    several: dict[str, list[Occurrence]] = {}
    for place in occurrences:
        several.setdefault(key(place), []).append(place)
    return list(several.values())


def _of_two(first: Sequence[Occurrence], second: Sequence[Occurrence]) -> tuple[Occurrence, Occurrence]:
    """Return the first occurrences of two sentences that are in different papers."""
    return next((one, other) for one, other in product(first, second) if one.paper != other.paper)


def _number(occurrences: Sequence[Occurrence]) -> int:
    """Return the number of pairs of occurrences in different papers."""
    of_one = Counter(place.paper for place in occurrences).values()
    return (len(occurrences) ** 2 - sum(count**2 for count in of_one)) // 2
