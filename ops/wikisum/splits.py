"""Which split an article is in.

Belongs here: the shares, and the split by seed and title. Not here: what is split.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from ops.core.sampling import place_of
from ops.core.splits import Split, split_at
from ops.params import Params


class SplitParams(Params, section="wikisum.splits"):
    """Shares of the articles; the rest is for training (Liu et al. 2018, section 3: about 80/10/10)."""

    validation: float = Field(0.1, ge=0, lt=1)
    test: float = Field(0.1, ge=0, lt=1)
    seed: int = Field(0, ge=0, description="another one splits the articles in another way")

    @model_validator(mode="after")
    def _some_left(self) -> Self:
        if self.validation + self.test >= 1:
            raise ValueError(
                f"validation ({self.validation}) and test ({self.test}) leave nothing to train on"
            )
        return self


def split_of(title: str, params: SplitParams) -> Split:
    """Return the split of an article, the same whenever it is edited."""
    return split_at(place_of(params.seed, title), params.validation, params.test)
