"""The splits of a dataset, by shares.

Belongs here: their names, the shares as params, and which split a name or a place between 0 and 1 falls into.
Not here: what is split (the systems), the hash behind a place (sampling.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self, TypeAlias

from pydantic import Field, model_validator

from ops.core.sampling import place_of
from ops.params import Params

Split: TypeAlias = Literal["train", "validation", "test"]

SPLITS: tuple[Split, ...] = ("train", "validation", "test")

#: What files and columns call them.
SPLIT_NAMES: Mapping[str, Split] = {
    "train": "train",
    "tune": "validation",
    "dev": "validation",
    "val": "validation",
    "valid": "validation",
    "validation": "validation",
    "test": "test",
}


class SplitShares(Params):
    """Shares of validation and test; the rest is for training. Raises ValueError if there is no rest."""

    validation: float = Field(0.1, ge=0, lt=1)
    test: float = Field(0.1, ge=0, lt=1)
    seed: int = Field(0, ge=0, description="another one splits in another way")

    @model_validator(mode="after")
    def _some_left(self) -> Self:
        if self.validation + self.test >= 1:
            raise ValueError(
                f"validation ({self.validation}) and test ({self.test}) leave nothing to train on"
            )
        return self


def split_of(name: str, shares: SplitShares) -> Split:
    """Return the split of what has this name, whatever else there is."""
    return split_at(place_of(shares.seed, name), shares.validation, shares.test)


def split_at(place: float, validation: float, test: float = 0.0) -> Split:
    """Return the split of a place from 0 to 1; the shares are met on average only, few rows may miss one."""
    if place < test:
        return "test"
    return "validation" if place < test + validation else "train"
