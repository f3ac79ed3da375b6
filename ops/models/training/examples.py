"""Training examples as token numbers, on disk.

Belongs here: an example as numbers, and any number of examples in little memory. Not here: other rows on disk
(ops/core/stored_rows.py), turning texts into numbers (the models), batches (processes.py).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.stored_rows import Made, RowFile, StoredRows


class TokenExample(NamedTuple):
    """A source and its target as token numbers."""

    source: Sequence[int]
    target: Sequence[int]


_SCHEMA = pa.schema(
    [("name", pa.string()), ("source", pa.list_(pa.int32())), ("target", pa.list_(pa.int32()))]
)


class ExampleStore(Made[TokenExample]):
    """N examples, each with a name. Holds only their lengths in memory: 8 bytes an example."""

    def __init__(self, examples: Iterable[tuple[str, TokenExample]], folder: Path | None = None) -> None:
        """Write examples one by one into `folder`, or into a temporary folder."""
        lengths = array("i")

        def rows() -> Iterator[Row]:
            for name, (source, target) in examples:
                lengths.extend((len(source), len(target)))
                yield {"name": name, "source": source, "target": target}

        #: The rows on disk; `examples_in` reads them elsewhere.
        self.rows = StoredRows(_SCHEMA, rows(), folder)
        super().__init__(self.rows, _example)
        #: N x 2: numbers of tokens of source and target.
        self.lengths = np.frombuffer(lengths, np.int32).reshape(-1, 2)
        #: The names of the examples.
        self.names: Sequence[str] = self.rows.column("name")

    def digest(self) -> str:
        """Return a digest of the content."""
        return self.rows.digest()


def examples_in(path: Path) -> Sequence[TokenExample]:
    """Return the examples in the file of an `ExampleStore`."""
    return Made(RowFile(path), _example)


def _example(row: Row) -> TokenExample:
    return TokenExample(row["source"], row["target"])
