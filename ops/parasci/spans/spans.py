"""Spans of a text, and the options of a model that finds them.

Belongs here: what a saved model's config.json holds, examples, the exact search for the best span by its
scores. Not here: the network, its scores and its training (model.py), which spans are of use
(ops/parasci/partial). torch is not loaded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ops.core.params import ModelName, Params
from ops.models.encoder import ENCODER


class SpanConfig(Params):
    """A linear span head on an encoder (Devlin et al. 2018, section 4.2)."""

    kind: Literal["span"] = "span"
    """The architecture."""
    encoder: ModelName = Field(ENCODER, description="whose tokens in context the head reads")
    trained_layers: int = Field(
        1, ge=0, description="of the encoder, from the last one on, that are trained, too; 0: it is frozen"
    )
    longest: int = Field(256, ge=8, description="tokens of both texts that are read together at most")


class FoundSpan(NamedTuple):
    """Characters of a text, and how sure the model is of them (0 to 1)."""

    start: int
    end: int
    confidence: float


class SpanExample(NamedTuple):
    """What is looked for, the text in which it is, and its characters there; None where it is not."""

    name: str
    wanted: str
    text: str
    span: tuple[int, int] | None


def best_span(starts: NDArray[np.float64], ends: NDArray[np.float64]) -> tuple[int, int, float] | None:
    """Return the span i <= j with the greatest `starts[i] + ends[j]`, of T places, and that sum.

    Minus infinity is a place where none begins or ends. Ties go to the first end, then to the first start.
    None where there is no span. O(T): the best start of every end is a running maximum.
    """
    if not len(starts):
        return None
    sums = np.maximum.accumulate(starts) + ends
    end = int(np.argmax(sums))
    if not np.isfinite(sums[end]):
        return None
    return int(np.argmax(starts[: end + 1])), end, float(sums[end])


def overlap(found: tuple[int, int] | None, wanted: tuple[int, int] | None) -> float:
    """Return F1 of the characters of two spans; of two that are missing 1."""
    if found is None or wanted is None:
        return float(found is wanted)
    shared = max(0, min(found[1], wanted[1]) - max(found[0], wanted[0]))
    return 2 * shared / (found[1] - found[0] + wanted[1] - wanted[0])


def digest(examples: Iterable[SpanExample]) -> str:
    """Return what identifies the content of some examples."""
    found = hashlib.sha256()
    for example in examples:
        found.update(json.dumps(example).encode())
    return found.hexdigest()
