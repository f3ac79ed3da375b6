"""Rows on disk, between the model that writes them and the part of the dataset that they go into.

Belongs here: writing them once, and taking them in order. Not here: what they tell (summaries.py, grid.py).

Models run one after the other, each over all examples; a dataset has the rows of all models, example by
example. So the rows of each model wait in a file of its own, and a block of each is in memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa

from ops.outcome import Row

_ROWS = 64


class RowSpool:
    """N rows of a schema that has the column `example_id`; their file goes with the spool."""

    def __init__(self, schema: pa.Schema, rows: Iterable[Row]) -> None:
        """Write rows, which are taken one after the other."""
        self._folder = tempfile.TemporaryDirectory(prefix="rows-")
        self._path = Path(self._folder.name) / "rows.arrow"
        self._size = 0
        with pa.OSFile(str(self._path), "wb") as file, pa.ipc.new_stream(file, schema) as writer:
            remaining = iter(rows)
            while block := list(islice(remaining, _ROWS)):
                writer.write_batch(pa.RecordBatch.from_pylist(block, schema=schema))
                self._size += len(block)
        self._rest = _rows(self._path)
        self._next = next(self._rest, None)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Row]:
        return _rows(self._path)

    def take(self, examples: Collection[str]) -> Iterator[Row]:
        """Yield the rows behind those that were taken before, as long as they are of these examples."""
        while self._next is not None and self._next["example_id"] in examples:
            yield self._next
            self._next = next(self._rest, None)


def _rows(path: Path) -> Iterator[Row]:
    with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as batches:
        for batch in batches:
            yield from batch.to_pylist()
