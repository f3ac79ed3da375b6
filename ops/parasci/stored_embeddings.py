"""Embeddings of sentences that parasci/sentences has: they are looked up, and not computed again.

Belongs here: finding them by text. Not here: computing them (sentences.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from ops.models.extractors.embeddings import Embed
from ops.parts import Parts


def looked_up(sentences: Parts, texts: Collection[str], embed: Embed) -> Embed:
    """Return a function that embeds as `embed` does, n texts as n x E, and computes those alone that are new.

    `texts` are sentences that may be stored; the embeddings of these, and of no others, are kept in memory.
    """
    table = sentences.read(["text", "embedding"], where=("text", texts))
    values = pc.list_flatten(table["embedding"]).to_numpy()
    rows = values.reshape(table.num_rows, -1) if table.num_rows else []
    stored: dict[str, NDArray[np.float32]] = dict(zip(table["text"].to_pylist(), rows, strict=True))

    def embedded(asked: Sequence[str]) -> NDArray[np.float32]:
        if not asked:
            return embed(asked)
        new = list(dict.fromkeys(text for text in asked if text not in stored))
        known = stored | dict(zip(new, embed(new), strict=True)) if new else stored
        return np.stack([known[text] for text in asked])

    return embedded
