"""The words of sentences as rows of a table of vectors.

Belongs here: tokens, and the part of a table that some papers need. Not here: the tables
(ops/models/word_vectors.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ops.models.word_vectors import WordVectors

_TOKEN = re.compile(r"\w+|[^\w\s]")
_PADDING, _UNKNOWN = 0, 1


def word_rows(
    papers: Sequence[Sequence[str]], vectors: WordVectors, longest: int
) -> tuple[list[list[Tensor]], Tensor]:
    """Return the words of every sentence of some papers as rows of a table, and the table (V x D).

    Row 0 pads (zeros) and row 1 is a word that has no vector (the mean of all). Of a sentence the first
    `longest` tokens count; one without tokens is a single unknown word.
    """
    tokens = [[_TOKEN.findall(text.lower())[:longest] for text in sentences] for sentences in papers]
    words = sorted({word for sentences in tokens for sentence in sentences for word in sentence})
    found_rows, found = vectors.vectors(words)
    known = [word for word, is_found in zip(words, found.tolist(), strict=True) if is_found]
    places = {word: place for place, word in enumerate(known, start=_UNKNOWN + 1)}
    special = np.stack([np.zeros(vectors.dimensions), vectors.mean]).astype(np.float32)
    table = torch.from_numpy(np.concatenate([special, found_rows[found]]))
    rows = [
        [
            torch.tensor([places.get(word, _UNKNOWN) for word in sentence] or [_UNKNOWN])
            for sentence in sentences
        ]
        for sentences in tokens
    ]
    return rows, table
