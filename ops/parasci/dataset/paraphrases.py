"""Candidates that are paraphrases: the fine filter, and the split.

Belongs here: thresholds by origin; sentences that differ in a word or two, all pairs of them, exactly;
clusters of pairs, and the split of each, so that no sentence is in two splits, nor a near-duplicate of it.
Not here: the scores (scored.py), what other thresholds would keep (threshold_scores.py).

Dong et al. (2021), 4.2: definitions need a BERTScore above 0.6 and a PLR below 2, all others 0.7 and 1. A
BERTScore fills another range with another encoder and layer, and so do its thresholds. Near copies score
highest; a bound of Self-BLEU leaves them out. Words that both share tell readers' ratings of consistency as
well as BERTScore does. The paper has neither of these bounds.

Pairs are in one cluster if they share a sentence or a near-duplicate of it, or what a method puts together:
the paper of a pair within it, the term of two definitions, the paper that two sentences cite. Citing papers
do not connect: they cite so much that nearly all pairs would be one cluster.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from ops.core.identity import row_id
from ops.core.outcome import Outcome, Outcomes, Row, drop, in_parts
from ops.core.params import Params
from ops.core.parts import Parts
from ops.core.sampling import Split, SplitShares, drawn
from ops.core.thresholds import above, at_least, at_most, below
from ops.parasci.dataset.release import content_words
from ops.parasci.schemas import PARAPHRASES

#: Pairs of sets that are compared at once, but for those of one set: some 200 MB.
COMPARED = 1_000_000

#: Pairs of a part of the dataset, and what fills the last of its sources.
_ROWS_OF_PART = 50_000

#: A share of a number of words may be too large by a rounding error: without this a pair could be missed.
_ROUNDING = 1e-9

#: Pairs within papers, as origins name them: of whole sentences, and of a part that PDBERT finds.
INTRA_ORIGIN, PARTS_ORIGIN = "intra", "partial"


class _Lost(NamedTuple):
    """Why a pair is no paraphrase: the score that is not what it must be."""

    reason: str


class Limits(Params):
    """What the pairs of one method must have."""

    f1: float = Field(0.8, ge=-1, le=1, description="BERTScore F1 must be above")
    length_rate: float = Field(1.0, gt=0, description="PLR must be below")


class ParaphraseParams(SplitShares, section="parasci.paraphrases"):
    """Thresholds by origin, and the shares of the splits."""

    origins: Mapping[str, Limits] = Field(
        {
            INTRA_ORIGIN: Limits(),
            PARTS_ORIGIN: Limits(),
            "definitions": Limits(length_rate=2.0),
            "citations": Limits(),
        },
        description="F1 for the encoder and the layer that scores by default; the paper, by others: 0.7, and "
        "0.6 for definitions",
    )
    self_bleu: float = Field(
        40, gt=0, le=100, description="Self-BLEU of a pair is not above it: a near copy teaches to copy"
    )
    shared_words: float = Field(
        0.35,
        ge=0,
        lt=1,
        description="both sentences have at least this share of their content words (Jaccard)",
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
    """Yield the pairs (first < second) of N sets of words whose Jaccard coefficient is `least` or more.

    Of two sets with such an overlap, the larger has one of the rarest words of the smaller among its own
    rarest words (Xiao et al. 2008, prefix filter), so only those are compared. How many words these are
    follows from the least overlap with a smaller set, and with a larger one. A set without words is near to
    none. The sets are taken one after the other; in memory are 4 bytes a word, and some millions of pairs.
    """
    from scipy.sparse import csr_array

    known: dict[str, int] = {}
    found, counts = array("i"), array("q")
    for words in sets:
        found.extend(known.setdefault(word, len(known)) for word in words)
        counts.append(len(words))
    sizes, numbers = np.frombuffer(counts, np.int64), np.frombuffer(found, np.int32)
    row = np.repeat(np.arange(len(sizes)), sizes)
    frequency, words_by_number = np.bincount(numbers, minlength=len(known)).tolist(), list(known)
    rarest_first = sorted(range(len(known)), key=lambda number: (frequency[number], words_by_number[number]))
    rarity = np.empty(len(known), np.int64)
    rarity[rarest_first] = np.arange(len(known))
    columns = rarity[numbers]
    columns = columns[np.lexsort((columns, row))]
    place = np.arange(len(columns)) - np.cumsum([0, *sizes])[row]

    def rarest(share: float) -> csr_array:
        """Return N x words: of each set those that a set with so great a share of its words has one of."""
        taken = np.minimum(sizes, sizes - np.ceil(share * sizes - _ROUNDING).astype(np.int64) + 1)
        chosen = columns[place < taken[row]]
        ends = np.cumsum([0, *taken])
        return csr_array((np.ones(len(chosen), np.int32), chosen, ends), shape=(len(sizes), len(known)))

    whole, larger, smaller = rarest(0), rarest(least), rarest(2 * least / (1 + least))
    meetings = np.cumsum(larger @ smaller.sum(axis=0))
    start = 0
    while start < len(sizes):
        before = meetings[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(meetings, before + COMPARED, "right")))
        meeting = (larger[start:end] @ smaller.T).tocoo()
        first, second = meeting.row.astype(np.int64) + start, meeting.col.astype(np.int64)
        start = end
        possible = (sizes[first] > sizes[second]) | ((sizes[first] == sizes[second]) & (first < second))
        possible &= sizes[second] >= least * sizes[first] - _ROUNDING
        first, second = first[possible], second[possible]
        shared = whole[first].multiply(whole[second]).sum(axis=1)
        near = shared / (sizes[first] + sizes[second] - shared) >= least
        pairs = np.sort(np.stack([first[near], second[near]], axis=1), axis=1)
        yield from map(tuple, pairs.tolist())


def clusters(links: Iterable[Iterable[Hashable]]) -> list[int]:
    """Return the number of the cluster of each of N pairs, given what each is linked by; by first pair.

    The pairs are taken one after the other. In memory are distinct links, and 16 bytes for each of a pair.
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
    found = connected_components(graph, directed=False)[1][:count]
    order: dict[int, int] = {}
    return [order.setdefault(int(label), len(order)) for label in found]


def split_of_clusters(names: Sequence[str], shares: Mapping[Split, float], seed: int) -> dict[str, Split]:
    """Return the split of each cluster, given the cluster's name of each pair.

    Clusters are dealt out from the largest on, each to the split that lacks most of its share; so shares are
    met as well as the largest cluster allows. Among clusters of one size seed and name decide the order.
    """
    sizes = Counter(names)
    filled: dict[Split, int] = defaultdict(int)
    found: dict[str, Split] = {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], drawn(seed, name))):
        split = max(shares, key=lambda split: shares[split] * len(names) - filled[split])
        filled[split] += sizes[name]
        found[name] = split
    return found


def paraphrases(scored: Parts, params: ParaphraseParams) -> Outcomes:
    """Yield the pairs that pass the thresholds of a method that found them, in their split.

    Reasons: `f1`, `length_rate` (of a pair that passes the first of both by one method at least), `self_bleu`
    (of one that passes both), `shared_words` (of one that passes all others). Raises ValueError for a method
    without thresholds.

    In memory is what pairs that pass hang together by, and the words of their sentences, as numbers, since
    clusters are of them all. The rows are read a second time for their names, and a third for their texts.
    """
    numbers = _clusters(_passing(scored, params), params.near_duplicate)
    first: dict[int, str] = {}
    for unit, number in zip(_passing(scored, params), numbers, strict=True):
        first.setdefault(number, unit["id"])
    names = {number: row_id("cluster", name) for number, name in first.items()}
    shares: dict[Split, float] = {
        "train": 1 - params.validation - params.test,
        "validation": params.validation,
        "test": params.test,
    }
    splits = split_of_clusters([names[number] for number in numbers], shares, params.seed)
    clustered = iter([names[number] for number in numbers])
    yield from in_parts((_of_part(table, params, clustered, splits) for table in scored), _ROWS_OF_PART)


def _of_part(
    scored: pa.Table, params: ParaphraseParams, names: Iterator[str], splits: Mapping[str, Split]
) -> Outcome:
    """Return the pairs of a part that pass, of which the next `names` are the clusters, and the others."""
    units = scored.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    for unit in units:
        judged = _judged(unit, params)
        if not isinstance(judged, str):
            dropped.append(drop(unit, judged.reason, unit[judged.reason]))
            continue
        name = next(names)
        kept.append(
            {
                **unit,
                "id": row_id("paraphrase", unit["id"]),
                "source_ids": [unit["id"]],
                "origin": judged,
                "cluster": name,
                "split": splits[name],
            }
        )
    return Outcome.of(PARAPHRASES, [unit["id"] for unit in units], kept, dropped)


def _judged(unit: Row, params: ParaphraseParams) -> str | _Lost:
    """Return the method by whose thresholds a pair passes, or why it does by none."""
    origin: str | None = next(
        (name for name in unit["origins"] if not _lost(unit, limits_of(params, name))), None
    )
    if origin is None:
        reasons = [_lost(unit, limits_of(params, name)) for name in unit["origins"]]
        return _Lost("length_rate" if "length_rate" in reasons else "f1")
    if not at_most(unit["self_bleu"], params.self_bleu):
        return _Lost("self_bleu")
    if not at_least(unit["shared_words"], params.shared_words):
        return _Lost("shared_words")
    return origin


def passes(unit: Mapping[str, float], params: ParaphraseParams, origin: str) -> bool:
    """Say whether a pair passes the thresholds of a method, by its `f1` and `length_rate`."""
    return _lost(unit, limits_of(params, origin)) is None


def limits_of(params: ParaphraseParams, origin: str) -> Limits:
    """Return the thresholds of an origin. Raises ValueError where it has none."""
    if origin not in params.origins:
        raise ValueError(f"parasci.paraphrases.origins in params.yaml has no thresholds of {origin!r}")
    return params.origins[origin]


def _passing(scored: Parts, params: ParaphraseParams) -> Iterator[Row]:
    return (unit for unit in scored.rows() if isinstance(_judged(unit, params), str))


def _clusters(units: Iterable[Row], near_duplicate: float) -> list[int]:
    """Return the number of the cluster of each of N pairs, by its links and those of near-duplicates."""
    contents: dict[str, str] = {}
    count = 0

    def links() -> Iterator[list[str]]:
        nonlocal count
        for unit in units:
            count += 1
            for content in map(_content, _sentences(unit)):
                contents.setdefault(content, content)  # one string for all that are equal
            yield [contents.get(link, link) for link in _links(unit)]
        known = list(contents)
        near = near_duplicates((set(content.split()) for content in known), near_duplicate)
        yield from ([known[first], known[second]] for first, second in near)

    return clusters(links())[:count]


def _links(unit: Row) -> list[str]:
    """Return what a pair hangs together with others by; a part, by its paper and its whole sentence, too."""
    origins = [key.partition(":") for key in unit["keys"]]
    papers = [f"{INTRA_ORIGIN}:{key}" for origin, _, key in origins if origin == PARTS_ORIGIN]
    return [*unit["keys"], *papers, *map(_content, _sentences(unit))]


def _sentences(unit: Row) -> list[str]:
    return [unit["first"], unit["second"], *unit["wholes"]]


def _content(sentence: str) -> str:
    return " ".join(content_words(sentence))


def _lost(unit: Mapping[str, Any], limits: Limits) -> str | None:
    if not above(unit["f1"], limits.f1):
        return "f1"
    return None if below(unit["length_rate"], limits.length_rate) else "length_rate"
