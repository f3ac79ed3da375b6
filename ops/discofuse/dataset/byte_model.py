"""How unlike reference texts the bytes of a text are, under a small n-gram model.

Belongs here: the model, its training, and the bits of a byte. Not here: which bytes of a split are scored
(evidence.py), reading reference texts (ops/filters/test_sets.py).

[ours] The model counts runs of up to five bytes of UTF-8, and
interpolates each estimate with that of the shorter run (Witten and Bell 1991). It can be trained on a few
texts, has no vocabulary, and is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from silverloom.ops.core.database import database, insert
from silverloom.ops.core.parts import Part, Parts

#: Bytes of the longest run; at most eight fit into a key.
LONGEST = 5
#: Only the first bytes of a text are learnt from.
_MOST = 20_000

RunKeys = NDArray[np.uint64]


@dataclass(frozen=True)
class ByteModel:
    """Runs of 1 to LONGEST bytes with their counts, sorted by run, in a folder."""

    folder: Path

    @classmethod
    def learnt(cls, reference: Parts, folder: Path) -> ByteModel:
        """Train on the column `text`, or on `words` and `spaces`, and write the model into a new folder."""
        with database(folder) as tables:
            for size in range(1, LONGEST + 1):
                insert(tables, "runs", _counted([], size))
                for part in reference.parts:
                    insert(tables, "runs", _counted(_texts(part, reference.schema.names), size))
                query = "SELECT run, sum(count)::BIGINT AS count FROM runs GROUP BY run ORDER BY run"
                counted = tables.sql(query).to_arrow_table()
                tables.execute("DROP TABLE runs")
                np.save(folder / f"runs-{size}.npy", counted["run"].to_numpy())
                np.save(folder / f"counts-{size}.npy", counted["count"].to_numpy())
        return cls(folder)

    def bits(self, runs: NDArray[np.uint8]) -> NDArray[np.float64] | None:
        """Return for N runs of LONGEST bytes (N x LONGEST) the bits of the last byte after the others.

        Returns None for a model that was trained on nothing.
        """
        from silverloom.ops.core.logarithms import logs

        tables = _tables(str(self.folder))
        if not len(tables[0].keys):
            return None
        probability = np.full(len(runs), 1 / 256)
        for size, table in enumerate(tables, start=1):
            probability = table.estimates(_numbers(runs[:, LONGEST - size :]), probability)
        return np.asarray(-logs(probability) / math.log(2), np.float64)


@dataclass(frozen=True)
class _Table:
    """Runs of one size, and their contexts (the runs without their last byte)."""

    keys: RunKeys
    counts: NDArray[np.int64]
    heads: RunKeys
    starts: NDArray[np.int64]
    sums: NDArray[np.int64]

    def estimates(self, runs: RunKeys, shorter: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each run's last byte, given that by the run without its first byte."""
        seen, kinds = self.contexts(runs >> np.uint64(8))
        mixed = (self.counts_of(runs) + kinds * shorter) / np.maximum(seen + kinds, 1)
        # an unseen context says nothing: keep the shorter run's estimate
        return np.where(seen > 0, mixed, shorter)

    def counts_of(self, runs: RunKeys) -> NDArray[np.int64]:
        """Return the count of each run."""
        if not len(self.keys):
            return np.zeros(len(runs), np.int64)
        places = np.minimum(np.searchsorted(self.keys, runs), len(self.keys) - 1)
        return np.where(self.keys[places] == runs, self.counts[places], 0)

    def contexts(self, heads: RunKeys) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the count of each context, and the number of different bytes that follow it."""
        if not len(self.keys):
            return np.zeros(len(heads), np.int64), np.zeros(len(heads), np.int64)
        places = np.minimum(np.searchsorted(self.heads, heads), len(self.heads) - 1)
        there = self.heads[places] == heads
        kinds = self.starts[places + 1] - self.starts[places]
        seen = self.sums[self.starts[places + 1]] - self.sums[self.starts[places]]
        return np.where(there, seen, 0), np.where(there, kinds, 0)


@lru_cache(maxsize=1)
def _tables(folder: str) -> tuple[_Table, ...]:
    return tuple(_loaded(Path(folder), size) for size in range(1, LONGEST + 1))


def _loaded(folder: Path, size: int) -> _Table:
    keys, counts = (np.load(folder / f"{name}-{size}.npy") for name in ("runs", "counts"))
    heads, starts = np.unique(keys >> np.uint64(8), return_index=True)
    sums = np.concatenate([[0], np.cumsum(counts)])
    return _Table(keys, counts, heads, np.append(starts, len(keys)), sums)


def _texts(part: Part, columns: Sequence[str]) -> list[str]:
    if "text" in columns:
        texts: list[str] = part.read(["text"])["text"].to_pylist()
        return texts
    rows = part.read(["words", "spaces"]).to_pylist()
    return [
        "".join(word + " " * space for word, space in zip(row["words"], row["spaces"], strict=True))
        for row in rows
    ]


def _counted(texts: Sequence[str], size: int) -> pa.Table:
    """Return the different runs of some texts, each with its count."""
    runs = [np.empty(0, np.uint64), *(_runs(_bytes(text), size) for text in texts)]
    keys, counts = np.unique(np.concatenate(runs), return_counts=True)
    return pa.table({"run": keys, "count": counts})


def _bytes(text: str) -> NDArray[np.uint8]:
    folded = " ".join(text.split()).encode(errors="surrogatepass")
    return np.frombuffer(folded[:_MOST], np.uint8)


def _runs(data: NDArray[np.uint8], size: int) -> RunKeys:
    """Return each run of `size` bytes as a number: N - size + 1 numbers for N bytes."""
    if len(data) < size:
        return np.empty(0, np.uint64)
    return _numbers(np.lib.stride_tricks.sliding_window_view(data, size))


def _numbers(runs: NDArray[np.uint8]) -> RunKeys:
    """Return N runs of at most eight bytes (N x size) as N numbers."""
    numbers = np.zeros(len(runs), np.uint64)
    for place in range(runs.shape[1]):
        numbers = (numbers << np.uint64(8)) | runs[:, place].astype(np.uint64)
    return numbers
