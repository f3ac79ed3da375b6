"""Rows on disk with random access, for training sets that may not fit into memory.

Belongs here: writing rows once and reading any of them again. Not here: joining and sorting (joins.py), the
rows of datasets (parts.py), turning rows into training examples (ops/models/training/examples.py).

The rows are in one Arrow file, in blocks of fixed size, and one block is read at a time. The file is not
memory-mapped, because mapped pages that a process has read count as its memory. Memory: one block, and about
30 bytes for each block.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, overload

import pyarrow as pa

from silverloom.ops.core.outcome import Row, in_blocks

Item = TypeVar("Item")

#: Rows per block. Reading one row takes 20 to 40 microseconds (120 numbers per row), whether a block has 1 or
#: 64 rows.
_BLOCK = 16


class RowFile(Sequence[Row]):
    """The rows in a file of `StoredRows`, which may be in another process."""

    def __init__(self, path: Path) -> None:
        #: The Arrow file.
        self.path = path
        self._file = pa.ipc.open_file(pa.OSFile(str(path)))
        blocks = self._file.num_record_batches
        self._block = len(self._file.get_batch(0)) if blocks else 1
        self._size = (blocks - 1) * self._block + len(self._file.get_batch(blocks - 1)) if blocks else 0

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        block = self._file.get_batch(place // self._block)
        [row] = block.slice(place % self._block, 1).to_pylist()
        return dict(row)

    def __iter__(self) -> Iterator[Row]:
        for number in range(self._file.num_record_batches):
            yield from self._file.get_batch(number).to_pylist()

    def column(self, name: str) -> Made[Any]:
        """Return the values of a column as a lazy sequence."""
        return Made(self, itemgetter(name))


class StoredRows(RowFile):
    """N rows of a schema. Their file is deleted with this object; other processes may read it until then."""

    def __init__(
        self, schema: pa.Schema, rows: Iterable[Row], folder: Path | None = None, block: int = _BLOCK
    ) -> None:
        """Write the rows of an iterable to `folder`, or to the system's temporary directory."""
        digest = hashlib.sha256()
        self._folder = TemporaryDirectory(prefix="rows-", dir=folder)
        path = Path(self._folder.name, "rows.arrow")
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
            for some in in_blocks(rows, block):
                batch = pa.RecordBatch.from_pylist(some, schema=schema)
                writer.write_batch(batch)
                digest.update(batch.serialize())
        self._digest = digest.hexdigest()
        super().__init__(path)

    def digest(self) -> str:
        """Return what identifies the content."""
        return self._digest

    def table(self, names: Sequence[str]) -> pa.Table:
        """Return some columns of all rows, in memory."""
        schema = pa.schema([self._file.schema.field(name) for name in names])
        return pa.table({name: list(self.column(name)) for name in names}, schema)


class Made(Sequence[Item]):
    """A sequence of `function(item)`, computed on access."""

    def __init__(self, items: Sequence[Any], function: Callable[[Any], Item]) -> None:
        self._items, self._function = items, function

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        return self._function(self._items[index])

    def __iter__(self) -> Iterator[Item]:
        return map(self._function, self._items)
