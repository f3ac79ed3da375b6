"""A fake sentence encoder that takes almost no time: each word has a vector, and a sentence is their sum.

Belongs here: replacing the real encoder before any module that embeds is imported; and replacing PDBERT by a
model that finds the second half of each sentence. Not here: what is measured with them (growth.py).
Sentences with the same words are similar; function words hardly count, because templates share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.models import encoder as encoders
from silverloom.ops.parasci.spans.spans import FoundSpan
from silverloom.ops.text.words import STOP_WORDS


class Encoder:
    """Counts the tokens of texts."""

    max_seq_length = 256

    def tokenizer(self, texts: Sequence[str], verbose: bool = False) -> dict[str, list[list[str]]]:
        """Return the words of texts as tokens."""
        return {"input_ids": [text.split() for text in texts]}


class Tokens:
    """Embeddings of tokens."""

    def __init__(self, name: str, layer: int, strict: bool = True, memory: int = 0) -> None:
        self.memory = memory

    def size(self, text: str) -> int:
        """Return the size of a text's rows in bytes."""
        return 4 * encoders.embedding_size() * len(text.split())

    def truncated(self, texts: Sequence[str]) -> list[bool]:
        """Return that no text is too long."""
        return [False] * len(texts)

    def of(self, texts: Sequence[str]) -> list[Any]:
        """Return the rows of each text."""
        import torch

        found = [np.array(list(map(_vector, text.lower().split()))) for text in texts]
        return [torch.nn.functional.normalize(torch.tensor(rows), dim=-1) for rows in found]


class Halves:
    """Finds the second half of every text."""

    longest = 256

    def tokens(self, wanted: Sequence[str], texts: Sequence[str]) -> list[str]:
        """Return the texts."""
        return list(texts)

    def predict(self, texts: Sequence[str]) -> list[FoundSpan]:
        """Return the span from the first word after the middle of each text to its end."""
        return [FoundSpan(text.find(" ", len(text) // 2) + 1, len(text), 0.9) for text in texts]


def embedder(name: str, strict: bool = True) -> encoders.Embed:
    """Return a function that embeds sentences."""

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), encoders.embedding_size()), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row += sum(map(_vector, text.lower().split()))
        return np.round(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), 4)

    return embed


def install() -> None:
    """Make all modules imported from now on use the fakes; models that are fine-tuned stay real."""
    setattr(encoders, "embedder", embedder)  # noqa: B010  its type differs
    setattr(encoders, "TokenEmbeddings", Tokens)  # noqa: B010
    from silverloom.ops.parasci import slices
    from silverloom.ops.parasci.partial import partial

    setattr(slices, "encoder", lambda name, strict: Encoder())  # noqa: B010
    setattr(partial, "trained", lambda artifact, strict: Halves())  # noqa: B010


@cache
def _numbers() -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal(2**20, np.float32)


@lru_cache(100_000)
def _vector(word: str) -> NDArray[np.float32]:
    size = encoders.embedding_size()
    first = crc32(word.encode()) % (2**20 - size)
    weight = np.float32(0.2 if word in STOP_WORDS else 1)
    return weight * _numbers()[first : first + size]
