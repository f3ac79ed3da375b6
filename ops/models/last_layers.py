"""An encoder whose last layers are trained: it copies these layers and shares all others.

Belongs here: the copy. Not here: the heads on top of it (the systems), loading encoders (encoder.py).
"""

from __future__ import annotations

import copy
from typing import Any


def with_own_layers(encoder: Any, number: int) -> tuple[Any, Any]:
    """Return an encoder with trainable copies of its last `number` layers, and those layers.

    All other layers are shared with the original encoder and are never changed. Raises ValueError if the
    encoder has fewer layers.
    """
    layers = encoder.encoder.layer
    if number > len(layers):
        raise ValueError(f"trained_layers is {number}: the encoder has {len(layers)}")
    first = len(layers) - number
    encoder.requires_grad_(False)
    shared = [encoder.embeddings, *layers[:first]]
    base = copy.deepcopy(encoder, {id(part): part for part in shared})
    return base, base.encoder.layer[first:].requires_grad_(True)
