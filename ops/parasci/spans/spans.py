"""Spans of a text, and the options of a model that finds them.

Belongs here: the content of a saved model's config.json, examples, the exact search for the best span by its
scores. Not here: the network, its scores and its training (model.py), which spans are useful
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

from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.models.encoder import ENCODER


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
    """A span of characters, and the model's confidence in it (0 to 1)."""

    start: int
    end: int
    confidence: float


class SpanExample(NamedTuple):
    """The wanted text, the text to search, and the span there in characters; None if there is no span."""

    name: str
    wanted: str
    text: str
    span: tuple[int, int] | None


def best_span(starts: NDArray[np.float64], ends: NDArray[np.float64]) -> tuple[int, int, float] | None:
    """Return the span i <= j with the greatest `starts[i] + ends[j]` over T places, and that sum.

    At a place with minus infinity, no span starts (or ends). Ties go to the first end, then to the first
    start. Returns None if there is no span. Takes O(T): the best start for every end is a running maximum.
    """
    if not len(starts):
        return None
    sums = np.maximum.accumulate(starts) + ends
    end = int(np.argmax(sums))
    if not np.isfinite(sums[end]):
        return None
    return int(np.argmax(starts[: end + 1])), end, float(sums[end])


def overlap(span: tuple[int, int] | None, wanted: tuple[int, int] | None) -> float:
    """Return the F1 over the characters of two spans; 1 if both are missing, 0 if only one is."""
    if span is None or wanted is None:
        return float(span is wanted)
    shared = max(0, min(span[1], wanted[1]) - max(span[0], wanted[0]))
    return 2 * shared / (span[1] - span[0] + wanted[1] - wanted[0])


def digest(examples: Iterable[SpanExample]) -> str:
    """Return the sha256 of some examples."""
    sha256 = hashlib.sha256()
    for example in examples:
        sha256.update(json.dumps(example).encode())
    return sha256.hexdigest()
