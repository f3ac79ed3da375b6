"""Pairs drawn so that their wording differs enough on average, and their splits.

Belongs here: the draw to a mean Self-BLEU; finding all pairs of near-duplicate sentences, exactly; clusters
of pairs, and the split of each cluster, so that no sentence is in a different split than its near-duplicates.
Not here: the scores (scored.py), which pairs pass (filtered.py).

[ours] How much wording the sentences of a pair share is limited for the dataset, not for each pair: a limit
on each pair would drop good pairs that readers agree on. So pairs are drawn to a mean. All pairs at or below
the mean stay. The room that they leave goes to the other pairs. First come those with the most surplus of
predicted consistency per point of Self-BLEU above the mean.

Pairs are in one cluster if they share a sentence or a near-duplicate of it, or the key of their method: the
paper of a pair within it, the term of two definitions, the cited paper of two sentences, but no citing one.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field

from silverloom.ops.core.identity import made_from, row_id
from silverloom.ops.core.joins import grouped
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop, in_parts
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import Split, SplitShares, drawn
from silverloom.ops.filters.contamination import ContaminationParams
from silverloom.ops.parasci.dataset.filtered import INTRA_ORIGIN, PARTS_ORIGIN
from silverloom.ops.parasci.dataset.release import content_of, released_form
from silverloom.ops.parasci.schemas import PARAPHRASES

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_Numbers: TypeAlias = NDArray[np.int64]

#: Pairs of sets in one comparison, unless a single set has more; about 200 MB.
COMPARED = 1_000_000

#: Least number of pairs in a part of the dataset; its last part may be smaller.
_ROWS_OF_PART = 50_000

#: A rank beyond that of any pair.
_NEVER = 2**62

#: Tolerance for rounding errors in a share of words, without which a pair could be missed.
_ROUNDING = 1e-9

_DRAWN = pa.schema([("rank", pa.int64()), ("beyond", pa.int64())])


class ParaphraseParams(SplitShares, section="parasci.paraphrases"):
    """The mean Self-BLEU that pairs are drawn to, and the shares of the splits."""

    mean_self_bleu: float = Field(
        26.5, gt=0, le=100, description="mean Self-BLEU of the pairs is not above it; the paper's is 26.52"
    )
    most_pairs: int = Field(
        2,
        ge=1,
        description="pairs of a sentence at most: those with the most surplus of consistency",
        json_schema_extra={"paper": "no limit"},
    )
    near_duplicate: float = Field(
        0.6,
        gt=0,
        le=1,
        description="sentences of so alike content words (Jaccard coefficient) are in one split",
    )
    validation: float = Field(0.2, ge=0, lt=1)
    test: float = Field(0.2, ge=0, lt=1)


def near_duplicates(sets: Iterable[Collection[str]], least: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs (first < second) of N sets of words whose Jaccard coefficient is at least `least`.

    If two sets share n words, they share k of them among the rarest words of each, all but the n - k most
    frequent (l-prefix scheme, Wang et al. 2012). So only sets that share a pair of their rarest words are
    compared, or one word (k = 1) if the smaller set is so small that one may be enough. An empty set has no
    near-duplicates. Reads the sets one by one; holds 4 bytes a word, at least 32 bytes a pair of rare words,
    and a few million pairs of sets in memory.
    """
    known: dict[str, int] = {}
    word_numbers, counts = array("i"), array("q")
    for words in sets:
        word_numbers.extend(known.setdefault(word, len(known)) for word in words)
        counts.append(len(words))
    sizes, numbers = np.frombuffer(counts, np.int64), np.frombuffer(word_numbers, np.int32)
    row = np.repeat(np.arange(len(sizes)), sizes)
    frequency, words_by_number = np.bincount(numbers, minlength=len(known)).tolist(), list(known)
    rarest_first = sorted(range(len(known)), key=lambda number: (frequency[number], words_by_number[number]))
    rarity = np.empty(len(known), np.int64)
    rarity[rarest_first] = np.arange(len(known))
    columns = rarity[numbers]
    columns = columns[np.lexsort((columns, row))]
    # words that a set shares with a smaller near-duplicate, and with a larger one, at least
    of_larger, of_smaller = (
        np.ceil(share * sizes - _ROUNDING).astype(np.int64) for share in (least, 2 * least / (1 + least))
    )
    whole = _incidence(row, columns, (len(sizes), len(known)))
    few = of_smaller < 2
    longest = sizes[few].max(initial=0) / least + _ROUNDING
    for k, smaller, larger in ((1, few, sizes <= longest), (2, ~few, ~few)):
        keys = _rarest(columns, sizes, np.where(smaller, of_smaller, 0), k)
        others = _rarest(columns, sizes, np.where(larger, of_larger, 0), k)
        for first, second in _meeting(others, keys, len(sizes)):
            possible = (sizes[first] > sizes[second]) | ((sizes[first] == sizes[second]) & (first < second))
            possible &= sizes[second] >= least * sizes[first] - _ROUNDING
            first, second = first[possible], second[possible]
            shared = whole[first].multiply(whole[second]).sum(axis=1)
            near = shared / (sizes[first] + sizes[second] - shared) >= least
            pairs = np.sort(np.stack([first[near], second[near]], axis=1), axis=1)
            yield from map(tuple, pairs.tolist())


def _rarest(columns: _Numbers, sizes: _Numbers, shared: _Numbers, k: int) -> tuple[_Numbers, _Numbers]:
    """Return rows and keys: every choice of `k` (1 or 2) of the rarest words of each set, as a number.

    `columns` are the words of all N sets, rarest first. A set shares at least `shared` of its words, or none.
    """
    taken = np.where(shared > 0, np.minimum(sizes, sizes - np.maximum(shared, k) + k), 0)
    starts, words = np.cumsum([0, *sizes])[:-1], int(columns.max(initial=0)) + 1
    rows, keys = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for count in np.unique(taken[taken >= k]).tolist():
        of_count = np.flatnonzero(taken == count)
        chosen = np.array([*combinations(range(count), k)]).T
        keys_of_count = columns[starts[of_count, None] + chosen[0]]
        for places in chosen[1:]:
            keys_of_count = keys_of_count * words + columns[starts[of_count, None] + places]
        rows.append(np.repeat(of_count, keys_of_count.shape[1]))
        keys.append(keys_of_count.ravel())
    return np.concatenate(rows), np.concatenate(keys)


def _meeting(
    larger: tuple[_Numbers, _Numbers], smaller: tuple[_Numbers, _Numbers], count: int
) -> Iterator[tuple[_Numbers, _Numbers]]:
    """Yield the rows of `larger` and `smaller` that have a key in common, each pair of rows once.

    About `COMPARED` pairs at a time, by rows of `larger`.
    """
    distinct, columns = np.unique(smaller[1], return_inverse=True)
    places = np.minimum(np.searchsorted(distinct, larger[1]), max(len(distinct) - 1, 0))
    known = np.flatnonzero(distinct[places] == larger[1]) if len(distinct) else np.empty(0, np.int64)
    one = _incidence(larger[0][known], places[known], (count, len(distinct)))
    other = _incidence(smaller[0], columns, (count, len(distinct)))
    meetings = np.cumsum(one @ other.sum(axis=0))
    start = 0
    while start < count:
        before = meetings[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(meetings, before + COMPARED, "right")))
        meeting = (one[start:end] @ other.T).tocoo()
        yield meeting.row.astype(np.int64) + start, meeting.col.astype(np.int64)
        start = end


def _incidence(rows: _Numbers, columns: _Numbers, shape: tuple[int, int]) -> csr_array:
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(rows), np.int32), (rows, columns)), shape=shape)


def clusters(links: Iterable[Iterable[Hashable]]) -> list[int]:
    """Return the cluster number of each of N pairs, given the links of each, numbered by first pair.

    Reads the pairs one by one. Holds the distinct links in memory, and 16 bytes for each link of a pair.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    numbers: dict[Hashable, int] = {}
    places, ends = array("q"), array("q")
    count = 0
    for count, several in enumerate(links, start=1):
        for link in several:
            places.append(count - 1)
            ends.append(numbers.setdefault(link, len(numbers)))
    rows, columns = np.frombuffer(places, np.int64), np.frombuffer(ends, np.int64) + count
    size = count + len(numbers)
    graph = coo_array((np.ones(len(rows), bool), (rows, columns)), shape=(size, size))
    labels = connected_components(graph, directed=False)[1][:count]
    order: dict[int, int] = {}
    return [order.setdefault(int(label), len(order)) for label in labels]


def split_of_clusters(names: Sequence[str], shares: Mapping[Split, float], seed: int) -> dict[str, Split]:
    """Return the split of each cluster, given the cluster name of each pair.

    Clusters are assigned in order of size, largest first, each to the split that is farthest below its share.
    So the shares are met as well as the largest cluster allows. For clusters of equal size, the seed and the
    name decide the order.
    """
    sizes = Counter(names)
    filled: dict[Split, int] = defaultdict(int)
    splits: dict[str, Split] = {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], drawn(seed, name))):
        split = max(shares, key=lambda split: shares[split] * len(names) - filled[split])
        filled[split] += sizes[name]
        splits[name] = split
    return splits


class Draw(NamedTuple):
    """Which pairs are kept: all with a rank below `rank`, and the first `ties` pairs with this rank."""

    rank: int
    ties: int

    def stays(self, mean: float) -> Callable[[Row], bool]:
        """Return a function that says whether a pair is kept; call it once per pair, in row order."""
        left = self.ties

        def stay(unit: Row) -> bool:
            nonlocal left
            rank, beyond = _place(unit, mean)
            if beyond <= 0 or rank < self.rank:
                return True
            left -= rank == self.rank
            return rank == self.rank and left >= 0

        return stay


def draw(filtered: Parts, mean: float, lost: NDArray[np.bool_] | None = None) -> Draw:
    """Return the draw whose mean Self-BLEU is at most `mean`; ties go to the first rows.

    `lost` says which of the pairs take no part in it.
    Sorts pairs on disk; holds a batch of them in memory.
    """
    budget = 0

    def beyond_mean() -> Iterator[pa.Table]:
        nonlocal budget
        start = 0
        for part in filtered.parts:
            units = part.read(["self_bleu", "surplus"]).to_pylist()
            gone = [False] * len(units) if lost is None else lost[start : start + len(units)].tolist()
            start += len(units)
            places = [_place(unit, mean) for unit, its in zip(units, gone, strict=True) if not its]
            budget -= sum(beyond for _, beyond in places if beyond <= 0)
            places_beyond = [place for place in places if place[1] > 0]
            yield pa.table(list(zip(*places_beyond, strict=True)) or [(), ()], schema=_DRAWN)

    with filtered.engine.scratch() as folder:
        by_rank = grouped(beyond_mean(), _DRAWN, "rank", filtered, folder / "by rank", _ROWS_OF_PART)
        before: tuple[int, int] | None = None
        for row in by_rank.rows():
            budget -= row["beyond"]
            ties = before[1] if before and before[0] == row["rank"] else 0
            if budget < 0:
                return Draw(row["rank"], ties)
            before = row["rank"], ties + 1
    return Draw(_NEVER, 0)


def _place(unit: Row, mean: float) -> tuple[int, int]:
    """Return the rank of a pair (lower is better), and how far it is above the mean, in hundredths."""
    beyond = round(100 * unit["self_bleu"]) - round(100 * mean)
    return (-round(1e8 * unit["surplus"] / beyond) if beyond > 0 else -_NEVER), beyond


def repeated(filtered: Parts, most: int) -> NDArray[np.bool_]:
    """Return for each of N pairs whether one of its sentences is already in `most` better pairs.

    Pairs are taken from the greatest surplus on, ties by their order. Sentences count as equal up to case,
    spaces and signs. Holds 24 bytes a pair and the distinct sentences as numbers in memory.
    """
    numbers: dict[bytes, int] = {}
    surplus, sides = array("d"), array("q")
    for part in filtered.parts:
        for unit in part.read(["first", "second", "surplus"]).to_pylist():
            surplus.append(unit["surplus"])
            for side in ("first", "second"):
                name = hashlib.sha256(released_form(unit[side]).encode()).digest()
                sides.append(numbers.setdefault(name, len(numbers)))
    pairs = np.frombuffer(sides, np.int64).reshape(-1, 2)
    uses = [0] * len(numbers)
    lost = np.zeros(len(pairs), bool)
    for place in np.argsort(-np.frombuffer(surplus, np.float64), kind="stable").tolist():
        first, second = pairs[place].tolist()
        if max(uses[first], uses[second]) >= most:
            lost[place] = True
        else:
            uses[first] += 1
            uses[second] += 1
    return lost


class CleanParams(ContaminationParams, section="filters.contamination.parasci"):
    """How much text an example may share with a test set."""


def paraphrases(filtered: Parts, params: ParaphraseParams) -> Outcomes:
    """Yield the drawn pairs with their splits; all others are dropped.

    Reasons: `repeated` (a sentence is in `most_pairs` better pairs), `not_drawn`. `set` joins pairs that
    share a sentence: the sentences of a set all say the same.

    Holds the links of all drawn pairs and the words of their sentences (as numbers) in memory, because
    clusters are computed over all of them. Reads the rows a second time for their ids and a third time for
    their texts.
    """
    lost = repeated(filtered, params.most_pairs)
    mean = params.mean_self_bleu
    cutoff = draw(filtered, mean, lost)

    def drawn_pairs() -> Iterator[Row]:
        stays = cutoff.stays(mean)
        remaining = (unit for unit, gone in zip(filtered.rows(), lost.tolist(), strict=True) if not gone)
        return filter(stays, remaining)

    numbers = _clusters(drawn_pairs(), params.near_duplicate)
    names = _named("cluster", numbers, drawn_pairs())
    set_numbers = clusters(
        [released_form(unit["first"]), released_form(unit["second"])] for unit in drawn_pairs()
    )
    set_names = _named("set", set_numbers, drawn_pairs())
    shares: dict[Split, float] = {
        "train": 1 - params.validation - params.test,
        "validation": params.validation,
        "test": params.test,
    }
    splits = split_of_clusters([names[number] for number in numbers], shares, params.seed)
    clustered = iter(
        [(names[number], set_names[its]) for number, its in zip(numbers, set_numbers, strict=True)]
    )
    gone = iter(lost.tolist())
    stays = cutoff.stays(mean)
    outcomes = (_of_part(table, gone, stays, clustered, splits) for table in filtered)
    yield from in_parts(outcomes, _ROWS_OF_PART)


def _named(kind: str, numbers: Sequence[int], units: Iterable[Row]) -> dict[int, str]:
    """Return the name of each number, from the first of N pairs that has it."""
    first: dict[int, str] = {}
    for unit, number in zip(units, numbers, strict=True):
        first.setdefault(number, unit["id"])
    return {number: row_id(kind, name) for number, name in first.items()}


def _of_part(
    filtered: pa.Table,
    repeated: Iterator[bool],
    stays: Callable[[Row], bool],
    names: Iterator[tuple[str, str]],
    splits: Mapping[str, Split],
) -> Outcome:
    """Return the pairs of a part that stay, with their clusters and sets; drop the others."""
    units = filtered.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    for unit in units:
        if next(repeated):
            dropped.append(drop(unit, "repeated", unit["surplus"]))
            continue
        if not stays(unit):
            dropped.append(drop(unit, "not_drawn", unit["surplus"]))
            continue
        cluster, its_set = next(names)
        row = {**unit, **made_from(unit, "paraphrase", *unit["source_ids"])}
        kept.append({**row, "cluster": cluster, "split": splits[cluster], "set": its_set})
    return Outcome.of(PARAPHRASES, [unit["id"] for unit in units], kept, dropped)


def _clusters(units: Iterable[Row], near_duplicate: float) -> list[int]:
    """Return the cluster number of each of N pairs, by their links and by near-duplicate sentences."""
    contents: dict[str, str] = {}
    count = 0

    def links() -> Iterator[list[str]]:
        nonlocal count
        for unit in units:
            count += 1
            for content in map(content_of, _sentences(unit)):
                contents.setdefault(content, content)  # share one string object among equal contents
            yield [contents.get(link, link) for link in links_of(unit)]
        known = list(contents)
        near = near_duplicates((set(content.split()) for content in known), near_duplicate)
        yield from ([known[first], known[second]] for first, second in near)

    return clusters(links())[:count]


def links_of(unit: Row) -> list[str]:
    """Return the links of a pair to others; for a part of a sentence, also its paper and whole sentence."""
    origins = [key.partition(":") for key in unit["keys"]]
    papers = [f"{INTRA_ORIGIN}:{key}" for origin, _, key in origins if origin == PARTS_ORIGIN]
    return [*unit["keys"], *papers, *map(content_of, _sentences(unit))]


def _sentences(unit: Row) -> list[str]:
    return [unit["first"], unit["second"], *unit["wholes"]]
