"""The coarse filter: the least cosine of two sentences that may be paraphrases.

Belongs here: the one param that all steps share. Not here: where it is applied.

Dong et al. (2021), 4.1.1: above it a pair within a paper is a candidate as a whole, and PDBERT learns from
it; below it PDBERT searches. Section 4.1.2: definitions and citances pass it, too.
"""

from __future__ import annotations

from pydantic import Field

from ops.params import Params


class CoarseParams(Params, section="parasci.coarse"):
    """The threshold; it belongs to the encoder of `parasci.sentences`."""

    cosine: float = Field(
        0.79, ge=-1, le=1, description="least cosine of a candidate (the paper: 0.931 for mean BERT vectors)"
    )
