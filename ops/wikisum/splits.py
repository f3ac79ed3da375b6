"""Which split an article is in.

Belongs here: the shares. Not here: how a title falls into a split (ops/core/splits.py), what is split.
"""

from __future__ import annotations

from pydantic import Field

from ops.core.splits import SplitShares


class SplitParams(SplitShares, section="wikisum.splits"):
    """Shares of the articles, by title (Liu et al. 2018, section 3: about 80/10/10 of millions)."""

    validation: float = Field(0.2, ge=0, lt=1)
    test: float = Field(0.2, ge=0, lt=1)
