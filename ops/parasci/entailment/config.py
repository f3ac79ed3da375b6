"""Options and examples of an entailment model.

Belongs here: the content of a saved model's config.json, and examples. Not here: the network and its training
(model.py), the choice of training examples (entailment.py). torch is not loaded.
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
    """An entailment head on an encoder that reads two texts together."""

    kind: Literal["entailment"] = "entailment"
    """The architecture."""
    encoder: ModelName = Field(ENCODER, description="that reads both texts together")
    trained_layers: int = Field(
        1, ge=0, description="of the encoder, from the last one on, that are trained, too; 0: it is frozen"
    )
    longest: int = Field(192, ge=8, description="tokens of both texts that are read together at most")


class EntailmentExample(NamedTuple):
    """Two texts, and whether the first says all that the second says (forward), and vice versa (backward)."""

    name: str
    first: str
    second: str
    forward: bool
    backward: bool


def examples_digest(examples: Iterable[EntailmentExample]) -> str:
    """Return the sha256 of some examples."""
    found = hashlib.sha256()
    for example in examples:
        found.update(json.dumps(example).encode())
    return found.hexdigest()
