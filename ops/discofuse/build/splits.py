"""Which split a document is in, and the order in which examples are drawn.

Belongs here: numbers drawn by seed and id alone, so that nothing depends on what else is in the corpus. Not
here: filters (examples.py), how many are drawn (balanced.py).
"""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

from pydantic import Field, model_validator

from ops.annotation.sampling import drawn
from ops.params import Params

Split: TypeAlias = Literal["train", "validation", "test"]

SPLITS: tuple[Split, ...] = ("train", "validation", "test")


class SplitParams(Params):
    """Shares of the documents; the rest is for training (Geva et al. 2019, section 3.2: 98/1/1)."""

    validation: float = Field(0.01, ge=0, lt=1)
    test: float = Field(0.01, ge=0, lt=1)
    seed: int = Field(0, ge=0, description="another one splits the documents in another way")

    @model_validator(mode="after")
    def _some_left(self) -> Self:
        if self.validation + self.test >= 1:
            raise ValueError(
                f"validation ({self.validation}) and test ({self.test}) leave nothing to train on"
            )
        return self


def split_of(document_id: str, params: SplitParams) -> Split:
    """Return the split of a document. The shares are met on average only: few documents may miss one."""
    number = number_of(params.seed, document_id)
    if number < params.test:
        return "test"
    return "validation" if number < params.test + params.validation else "train"


def number_of(seed: int, name: str) -> float:
    """Return a number from 0 to 1, evenly spread over names, from seed and name alone."""
    return int.from_bytes(drawn(seed, name)[:8], "big") / 2**64
