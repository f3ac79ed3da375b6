"""The splits of a dataset, by shares.

Belongs here: their names, and which one a place between 0 and 1 falls into. Not here: what gives a row its
place (sampling.py), and what is split (the systems).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Split: TypeAlias = Literal["train", "validation", "test"]

SPLITS: tuple[Split, ...] = ("train", "validation", "test")


def split_at(place: float, validation: float, test: float = 0.0) -> Split:
    """Return the split of a place from 0 to 1; the shares are met on average only, few rows may miss one."""
    if place < test:
        return "test"
    return "validation" if place < test + validation else "train"
