"""An encoder of which the last layers are trained: copies of these, and all else shared.

Belongs here: the copy. Not here: the heads that stand on it (the systems), loading encoders (encoder.py).
"""

from __future__ import annotations

import copy
from typing import Any


def with_own_layers(encoder: Any, number: int) -> tuple[Any, Any]:
    """Return an encoder with copies of its last layers, and these, which can be trained.

    The rest is shared with whoever else uses the encoder, and is never changed. Raises ValueError for more
    layers than there are.
    """
    layers = encoder.encoder.layer
    if number > len(layers):
        raise ValueError(f"trained_layers is {number}: the encoder has {len(layers)}")
    first = len(layers) - number
    encoder.requires_grad_(False)
    shared = [encoder.embeddings, *layers[:first]]
    base = copy.deepcopy(encoder, {id(part): part for part in shared})
    return base, base.encoder.layer[first:].requires_grad_(True)
