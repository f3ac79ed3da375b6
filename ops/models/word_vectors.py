"""A table of word vectors: lookup by word, rank by frequency, mean.

Belongs here: the table, and its readers: GloVe's text format, and an .npy matrix with a vocabulary.
Not here: which table a name stands for (registry.py), and similarity (ops/talksumm/emission.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class WordVectors:
    """Vectors of N words, most frequent first: `matrix` (N x D) of float32, in memory or memory-mapped.

    A word that stands twice counts at its first place. Raises ValueError if the two lengths differ or
    the table is empty.
    """

    def __init__(self, words: Sequence[str], matrix: NDArray[Any]) -> None:
        if matrix.ndim != 2 or not len(words) or len(matrix) != len(words):
            raise ValueError(f"{len(words)} words do not fit a matrix of shape {matrix.shape}")
        # From the end, so that the first place of a word is the one that stays.
        self._rank = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
        self._matrix = matrix

    def __contains__(self, word: object) -> bool:
        return word in self._rank

    def __len__(self) -> int:
        return len(self._matrix)

    @property
    def dimensions(self) -> int:
        """D, the length of a vector."""
        return int(self._matrix.shape[1])

    def rank(self, word: str) -> int | None:
        """Return the place of a word in the table from 0 (GloVe: by frequency), None if it is not in it."""
        return self._rank.get(word)

    def vectors(self, words: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return the vectors (n x D) of n words and which were found (n); the row of a missing one is 0."""
        ranks = np.array([self._rank.get(word, -1) for word in words], np.int64)
        found = ranks >= 0
        rows = np.zeros((len(ranks), self.dimensions), np.float32)
        rows[found] = self._matrix[ranks[found]]
        return rows, found

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """The mean (D) of all vectors of the table, summed in double precision."""
        return np.asarray(self._matrix.mean(axis=0, dtype=np.float64))


def read_glove(path: Path) -> WordVectors:
    """Read GloVe's text format: a line is a word and D numbers, separated by single spaces.

    A word may itself hold spaces (GloVe 840B has some): the last D fields are the numbers. A first line
    of two fields (word2vec's header) is passed over. Raises ValueError naming the file and the line.
    """
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    dimensions = 0
    with path.open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            fields = line.rstrip("\r\n").split(" ")
            if number == 1 and len(fields) == 2:
                continue
            dimensions = dimensions or len(fields) - 1
            try:
                row = np.array(fields[-dimensions:], np.float32)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
            if len(fields) <= dimensions:
                raise ValueError(f"{path}, line {number}: {len(fields) - 1} numbers, not {dimensions}")
            words.append(" ".join(fields[:-dimensions]))
            rows.append(row)
    if not rows:
        raise ValueError(f"{path}: no word vectors in it")
    return WordVectors(words, np.stack(rows))


def read_matrix(matrix: Path, vocabulary: Path) -> WordVectors:
    """Memory-map an .npy matrix (N x D); `vocabulary` holds its N words, one a line."""
    words = vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return WordVectors(words, np.load(matrix, mmap_mode="r", allow_pickle=False))
