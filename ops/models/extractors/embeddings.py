"""Sentence embeddings as the extractors read them: rounded, and made once for all models of a step.

Belongs here: from texts to rows. Not here: the encoder (ops/models/encoder.py), what is read off the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ops.models.encoder import encoder

#: Embeds n texts as n x E rows of length 1; who has embeddings at hand gives a function that looks them up.
Embed = Callable[[Sequence[str]], NDArray[np.float32]]

#: An embedding differs by about 1e-7 with the batch that it was made in; with these decimals, 2 numbers of
#: 10,000 still do. So with strict numerics a text is a batch of its own, which takes 1.6 times as long.
_DECIMALS = 4
_BATCH = 32


def embedder(name: str, strict: bool = True) -> Embed:
    """Return a function that embeds texts by an encoder of the registry, rounded to four decimals.

    With `strict`, the row of a text is the same whatever texts are embedded with it.
    """

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = encoder(name, strict).encode(
            list(texts),
            batch_size=1 if strict else _BATCH,
            show_progress_bar=False,
            normalize_embeddings=True,
            convert_to_numpy=True,
        )
        return np.asarray(rows, np.float32).round(_DECIMALS)

    return embed


def remembering(embed: Embed) -> Embed:
    """Return a function that embeds no text twice: 4 E bytes a distinct text stay in memory."""
    known: dict[str, NDArray[np.float32]] = {}

    def remembered(texts: Sequence[str]) -> NDArray[np.float32]:
        if new := list(dict.fromkeys(text for text in texts if text not in known)):
            known.update(zip(new, embed(new), strict=True))
        return np.stack([known[text] for text in texts])

    return remembered
