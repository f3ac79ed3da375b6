"""The options of a model that finds spans.

Belongs here: what a saved model's config.json holds. Not here: how it is trained (ops/models/training).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ops.models.encoder import ENCODER
from ops.params import ModelName, Params


class SpanConfig(Params):
    """A linear span head on an encoder (Devlin et al. 2018, section 4.2)."""

    kind: Literal["span"] = "span"
    encoder: ModelName = Field(ENCODER, description="whose tokens in context the head reads")
    trained_layers: int = Field(
        1, ge=0, description="of the encoder, from the last one on, that are trained, too; 0: it is frozen"
    )
    longest: int = Field(256, ge=8, description="tokens of both texts that are read together at most")
