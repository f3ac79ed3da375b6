"""Table 2 of Dong et al. (2021): the number of pairs, their lengths, and how much the two sides differ.

Belongs here: our rows of the table, and the paper's. Not here: the pairs (paraphrases.py).

Lengths and Self-BLEU are of the released form (release.py), over all pairs, as in the paper.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from silverloom.ops.core.identity import made_of, row_id
from silverloom.ops.core.outcome import Outcome, Outcomes, Row
from silverloom.ops.core.parts import Parts
from silverloom.ops.metrics.bleu import self_bleus
from silverloom.ops.parasci.dataset.release import released_form, several_sources, source_of
from silverloom.ops.parasci.schemas import STATISTICS


class Published(NamedTuple):
    """A row of the paper's Table 2."""

    name: str
    genre: str
    size: int
    gold: int
    words: float
    characters: float
    self_bleu: float


TABLE_2 = (
    Published("MSRP", "news", 5_801, 3_900, 22.48, 119.62, 47.98),
    Published("TUC", "Twitter", 56_787, 21_287, 15.55, 85.10, 12.53),
    Published("ParaNMT-50M", "Novels, laws", 51_409_585, 51_409_585, 12.94, 59.18, 28.60),
    Published("MSCOCO", "Description", 493_186, 493_186, 10.48, 51.56, 31.97),
    Published("Quora", "Question", 404_289, 149_263, 11.14, 52.89, 29.46),
    Published("ParaSCI-ACL", "Scientific Papers", 59_402, 33_981, 19.10, 113.76, 26.52),
    Published("ParaSCI-arXiv", "Scientific Papers", 479_526, 316_063, 18.84, 114.46, 29.90),
)


class _Pair(NamedTuple):
    """The values of a pair for Table 2; words and characters are sums over both sides."""

    id: str
    licence: str
    words: int
    characters: int
    self_bleu: float


class _Group:
    """The values of a group of pairs for Table 2."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.licences: set[str] = set()
        self.words = self.characters = 0
        self.self_bleu = array("d")

    def add(self, pair: _Pair) -> None:
        self.ids.append(pair.id)
        self.licences.add(pair.licence)
        self.words += pair.words
        self.characters += pair.characters
        self.self_bleu.append(pair.self_bleu)


def statistics(paraphrases: Parts, scored: Parts) -> Outcomes:
    """Yield our rows (all pairs, by origin, by split, by source) and the paper's; no rows without pairs.

    Rows of sources ("source acl") have the pairs both of whose sentences are from it. There are none if all
    pairs are of one source.

    Holds the ids of all pairs, which the rows list, and 24 bytes of numbers a pair in memory.
    """
    candidates: Counter[str] = Counter()
    for table in scored:
        for unit in table.select(["origins", "first_source", "second_source"]).to_pylist():
            candidates.update(["all", *unit["origins"], *_source(unit)])
    groups: dict[str, _Group] = defaultdict(_Group)
    several = several_sources(paraphrases)
    for table in paraphrases:
        units = table.to_pylist()
        for unit, pair in zip(units, _pairs(units), strict=True):
            for name in ("all", unit["origin"], unit["split"], *(_source(unit) if several else ())):
                groups[name].add(pair)
    rows = [_row(name, group, candidates.get(name)) for name, group in groups.items()]
    yield Outcome.of(STATISTICS, groups["all"].ids, [*rows, *_published(rows)])


def _source(unit: Row) -> list[str]:
    source = source_of(unit)
    return [f"source {source}"] if source else []


def _pairs(units: Sequence[Row]) -> list[_Pair]:
    if not units:
        return []
    sides = [[released_form(unit[side]) for unit in units] for side in ("first", "second")]
    return [
        _Pair(
            unit["id"],
            unit["licence"],
            len(first.split()) + len(second.split()),
            len(first) + len(second),
            float(score),
        )
        for unit, first, second, score in zip(units, *sides, self_bleus(*sides), strict=True)
    ]


def _row(name: str, group: _Group, candidates: int | None) -> Row:
    count = len(group.ids)
    return {
        **made_of(row_id("statistic", "ours", name), group.ids, group.licences),
        "name": name,
        "genre": "Scientific Papers",
        "candidates": candidates,
        "pairs": count,
        "words": round(group.words / (2 * count), 2),
        "characters": round(group.characters / (2 * count), 2),
        "self_bleu": round(100 * float(np.mean(group.self_bleu)), 2),
        "published": False,
    }


#: The paper of Table 2.
_PAPER = "doi:10.18653/v1/2021.eacl-main.33"


def _published(ours: Sequence[Row]) -> Iterator[Row]:
    """Yield the paper's rows."""
    for row in TABLE_2 if ours else ():
        yield {
            **made_of(row_id("statistic", "published", row.name), [_PAPER], "CC-BY-4.0"),
            "name": row.name,
            "genre": row.genre,
            "candidates": row.size,
            "pairs": row.gold,
            "words": row.words,
            "characters": row.characters,
            "self_bleu": row.self_bleu,
            "published": True,
        }
