"""Table 2 of Dong et al. (2021): how many pairs, how long, and how much their two sides differ.

Belongs here: our rows of the table, and the paper's. Not here: the pairs (paraphrases.py).

Lengths and Self-BLEU are those of the released form (release.py), over all pairs, as the paper's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ops.identity import joint_licence, row_id
from ops.metrics.bleu import self_bleu
from ops.outcome import Outcome, Outcomes, Row
from ops.parasci.dataset.release import released_form
from ops.parasci.schemas import STATISTICS
from ops.parts import Parts


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


def statistics(paraphrases: Parts, scored: Parts) -> Outcomes:
    """Yield our rows (all pairs, by origin, by split) and the paper's; none where there is no pair.

    In memory are the released forms of all pairs.
    """
    units = [row for table in paraphrases for row in table.to_pylist()]
    candidates: Counter[str] = Counter()
    for table in scored:
        for origins in table["origins"].to_pylist():
            candidates.update(["all", *origins])
    groups: dict[str, list[Row]] = defaultdict(list)
    for unit in units:
        for name in ("all", unit["origin"], unit["split"]):
            groups[name].append(unit)
    rows = [_row(name, found, candidates.get(name)) for name, found in groups.items()]
    yield Outcome.of(STATISTICS, [unit["id"] for unit in units], [*rows, *_published(rows)])


def _row(name: str, units: Sequence[Row], candidates: int | None) -> Row:
    sides = [[released_form(unit[side]) for unit in units] for side in ("first", "second")]
    both = [*sides[0], *sides[1]]
    return {
        "id": row_id("statistic", "ours", name),
        "source_ids": [unit["id"] for unit in units],
        "licence": joint_licence(unit["licence"] for unit in units),
        "name": name,
        "genre": "Scientific Papers",
        "candidates": candidates,
        "pairs": len(units),
        "words": round(sum(len(text.split()) for text in both) / len(both), 2),
        "characters": round(sum(map(len, both)) / len(both), 2),
        "self_bleu": round(self_bleu(*sides), 2),
        "published": False,
    }


def _published(ours: Sequence[Row]) -> Iterator[Row]:
    """Yield the paper's rows."""
    for row in TABLE_2 if ours else ():
        yield {
            "id": row_id("statistic", "published", row.name),
            "source_ids": ["doi:10.18653/v1/2021.eacl-main.33"],
            "licence": "CC-BY-4.0",
            "name": row.name,
            "genre": row.genre,
            "candidates": row.size,
            "pairs": row.gold,
            "words": row.words,
            "characters": row.characters,
            "self_bleu": row.self_bleu,
            "published": True,
        }
