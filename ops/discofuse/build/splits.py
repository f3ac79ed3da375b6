"""Which split a document is in.

Belongs here: the shares, and the split by seed and document. Not here: filters (examples.py), how many
examples are drawn (balanced.py).
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from ops.core.sampling import place_of
from ops.core.splits import Split, split_at
from ops.params import Params


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
    """Return the split of a document."""
    return split_at(place_of(params.seed, document_id), params.validation, params.test)
