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

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

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

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Pairs of sets that are compared at once, but for those of one set: some 200 MB.
_COMPARED = 1_000_000

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


def near_duplicates(sets: Sequence[Collection[str]], least: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs (first < second) of N sets of words whose Jaccard coefficient is `least` or more.

    Of two sets with such an overlap, the larger has one of the rarest words of the smaller among its own
    rarest words (Xiao et al. 2008, prefix filter), so only those are compared. How many words these are
    follows from the least overlap with a smaller set, and with a larger one. A set without words is near to
    none. In memory are the sets, and some millions of pairs.
    """
    frequency = Counter(chain.from_iterable(sets))
    rarest_first = sorted(frequency, key=lambda word: (frequency[word], word))
    numbers = {word: number for number, word in enumerate(rarest_first)}
    rows = [sorted(numbers[word] for word in words) for words in sets]
    sizes = np.array([len(row) for row in rows], np.int64)
    of_larger, of_smaller = (
        [row[: len(row) - ceil(share * len(row) - _ROUNDING) + 1] for row in rows]
        for share in (least, 2 * least / (1 + least))
    )
    whole, larger, smaller = (_matrix(of_set, len(numbers)) for of_set in (rows, of_larger, of_smaller))
    meetings = np.cumsum(larger @ smaller.sum(axis=0))
    start = 0
    while start < len(rows):
        before = meetings[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(meetings, before + _COMPARED, "right")))
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


def clusters(links: Sequence[Iterable[Hashable]]) -> list[int]:
    """Return the number of the cluster of each of N pairs, given what each is linked by; by first pair."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    numbers: dict[Hashable, int] = {}
    ends = [
        (place, len(links) + numbers.setdefault(link, len(numbers)))
        for place, several in enumerate(links)
        for link in several
    ]
    size = len(links) + len(numbers)
    rows, columns = np.array(ends, np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(rows), bool), (rows, columns)), shape=(size, size))
    found = connected_components(graph, directed=False)[1][: len(links)]
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

    In memory is what pairs that pass hang together by, and the words of their sentences, since clusters are
    of them all: up to 10 KB a pair. The rows are read a second time for their texts.
    """
    ids: list[str] = []
    links: list[list[str]] = []
    contents: dict[str, None] = {}
    for table in scored:
        for unit in table.to_pylist():
            if isinstance(_judged(unit, params), str):
                ids.append(unit["id"])
                links.append(_links(unit))
                contents.update(dict.fromkeys(map(_content, _sentences(unit))))
    numbers = _clusters(links, list(contents), params.near_duplicate)
    first = {number: name for name, number in zip(reversed(ids), reversed(numbers), strict=True)}
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


def _matrix(rows: Sequence[Sequence[int]], width: int) -> csr_array:
    """Return N rows x `width` columns, 1 where a row has the number of a column."""
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *map(len, rows)])
    columns = np.fromiter(chain.from_iterable(rows), np.int64, ends[-1])
    return csr_array((np.ones(len(columns), np.int32), columns, ends), shape=(len(rows), width))


def _clusters(links: Sequence[Sequence[str]], contents: Sequence[str], near_duplicate: float) -> list[int]:
    """Return the number of the cluster of each of N pairs by its links, given the contents of them all."""
    near = near_duplicates([set(content.split()) for content in contents], near_duplicate)
    return clusters([*links, *([contents[first], contents[second]] for first, second in near)])[: len(links)]


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
