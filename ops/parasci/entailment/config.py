"""Options and examples of a model of entailment.

Belongs here: what a saved model's config.json holds, and examples. Not here: the network and its training
(model.py), what it learns from (entailment.py). torch is not loaded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Literal, NamedTuple

from pydantic import Field

from ops.core.params import ModelName, Params
from ops.models.encoder import ENCODER


class EntailmentConfig(Params):
    """A head for two texts that an encoder reads together."""

    kind: Literal["entailment"] = "entailment"
    """The architecture."""
    encoder: ModelName = Field(ENCODER, description="that reads both texts together")
    trained_layers: int = Field(
        1, ge=0, description="of the encoder, from the last one on, that are trained, too; 0: it is frozen"
    )
    longest: int = Field(192, ge=8, description="tokens of both texts that are read together at most")


class EntailmentExample(NamedTuple):
    """Two texts, and whether the first says all that the second says, and the second all of the first."""

    name: str
    first: str
    second: str
    forward: bool
    backward: bool


def examples_digest(examples: Iterable[EntailmentExample]) -> str:
    """Return what identifies the content of some examples."""
    found = hashlib.sha256()
    for example in examples:
        found.update(json.dumps(example).encode())
    return found.hexdigest()
