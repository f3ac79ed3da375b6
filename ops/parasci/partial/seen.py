"""Which pairs are searched for a part: those that are alike, and not as a whole.

Belongs here: the choice, by what parasci/intra stores. Not here: searching (partial.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import Field

from ops.outcome import Row
from ops.params import Params
from ops.parasci.lengths import length_rate


class SeenParams(Params):
    """Which pairs of a paper are searched."""

    floor: float = Field(0.6, ge=-1, le=1, description="least cosine of their sentences")
    length_rate: float = Field(0.5, ge=0, description="least PLR: sentences of like length have no part")
    most: int = Field(2, ge=1, description="pairs of a sentence; the most alike ones")


class Seen(NamedTuple):
    """A pair of parasci/intra by the lengths of its sentences."""

    row: Row
    short: str
    long: str


def by_length(row: Row) -> Seen:
    """Return a pair with its shorter sentence first; of equal lengths in the order of the row."""
    first, second = row["first"], row["second"]
    swapped = len(first.split()) > len(second.split())
    return Seen(row, second, first) if swapped else Seen(row, first, second)


def seen(
    rows: Sequence[Row], params: SeenParams, threshold: float
) -> tuple[list[Seen], dict[str, tuple[str, float | None]]]:
    """Return the pairs that are searched, in the order of the rows, and of the others reason and score by id.

    From the cosine `threshold` on they are candidates as a whole. Reasons: `cosine`, `equal_lengths`,
    `not_chosen` (its sentences are in `most` pairs that are more alike).
    """
    lost: dict[str, tuple[str, float | None]] = {}
    fitting = []
    for row in rows:
        if not params.floor <= row["cosine"] < threshold:
            lost[row["id"]] = "cosine", row["cosine"]
        elif (
            rate := length_rate(*(len(row[side].split()) for side in ("first", "second")))
        ) < params.length_rate:
            lost[row["id"]] = "equal_lengths", rate
        else:
            fitting.append(row)
    taken: Counter[str] = Counter()
    for row in sorted(fitting, key=lambda row: (-row["cosine"], row["id"])):
        if max(taken[row["first_id"]], taken[row["second_id"]]) < params.most:
            taken.update([row["first_id"], row["second_id"]])
        else:
            lost[row["id"]] = "not_chosen", row["cosine"]
    return [by_length(row) for row in fitting if row["id"] not in lost], lost
