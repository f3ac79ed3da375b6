"""Examples as numbers of tokens on disk, read as they are needed.

Belongs here: writing them once, as they come, and reading any of them. Not here: where they come from, and
cutting texts into tokens (the systems).

Training reads examples in the order of its batches, which is none of the files'. So they are written into one
Arrow file, in blocks of a fixed number of rows, and mapped into memory: a corpus of any size takes as much
memory as a block, and 8 bytes an example for its lengths. The file goes with the store.
"""

from __future__ import annotations

import hashlib
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import overload

import numpy as np
import pyarrow as pa

from ops.models.long_sequences.model import TokenExample

_ROWS = 64
_SCHEMA = pa.schema(
    [("name", pa.string()), ("source", pa.list_(pa.int32())), ("target", pa.list_(pa.int32()))]
)


class ExampleStore(Sequence[TokenExample]):
    """N examples, each with a name."""

    def __init__(self, examples: Iterable[tuple[str, TokenExample]]) -> None:
        """Write examples, which are taken one after the other."""
        self._folder = tempfile.TemporaryDirectory(prefix="examples-")
        path = Path(self._folder.name) / "examples.arrow"
        digest, lengths = hashlib.sha256(), array("i")
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, _SCHEMA) as writer:
            remaining = iter(examples)
            while rows := list(islice(remaining, _ROWS)):
                columns = zip(*((name, *example) for name, example in rows), strict=True)
                batch = pa.record_batch([list(column) for column in columns], schema=_SCHEMA)
                writer.write_batch(batch)
                digest.update(batch.serialize())
                lengths.extend(len(tokens) for _, example in rows for tokens in example)
        self._file = pa.ipc.open_file(pa.memory_map(str(path)))
        self._digest = digest.hexdigest()
        #: N x 2: tokens of source and target.
        self.lengths = np.frombuffer(lengths, np.int32).reshape(-1, 2)

    def __len__(self) -> int:
        return len(self.lengths)

    @overload
    def __getitem__(self, index: int) -> TokenExample: ...
    @overload
    def __getitem__(self, index: slice) -> list[TokenExample]: ...
    def __getitem__(self, index: int | slice) -> TokenExample | list[TokenExample]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        batch, row = self._at(index)
        return TokenExample(batch["source"][row].as_py(), batch["target"][row].as_py())

    def __iter__(self) -> Iterator[TokenExample]:
        return (self[index] for index in range(len(self)))

    @property
    def names(self) -> Names:
        """What the examples are called, read as they are asked for."""
        return Names(self)

    def name(self, index: int) -> str:
        """Return what an example is called."""
        batch, row = self._at(index)
        return str(batch["name"][row])

    def digest(self) -> str:
        """Return what identifies the content."""
        return self._digest

    def _at(self, index: int) -> tuple[pa.RecordBatch, int]:
        place = range(len(self))[index]
        return self._file.get_batch(place // _ROWS), place % _ROWS


class Names(Sequence[str]):
    """The names of the examples of a store."""

    def __init__(self, store: ExampleStore) -> None:
        self._store = store

    def __len__(self) -> int:
        return len(self._store)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        return self._store.name(index)
