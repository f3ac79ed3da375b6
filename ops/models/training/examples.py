"""Examples of a model that reads and writes numbers, on disk.

Belongs here: an example as numbers, and any number of them in as much memory as a few. Not here: rows on disk
of any kind (ops/core/stored_rows.py), cutting texts into numbers (the models), batches (processes.py).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ops.core.outcome import Row
from ops.core.stored_rows import Made, StoredRows


class TokenExample(NamedTuple):
    """A source and its target as numbers of tokens."""

    source: Sequence[int]
    target: Sequence[int]


_SCHEMA = pa.schema(
    [("name", pa.string()), ("source", pa.list_(pa.int32())), ("target", pa.list_(pa.int32()))]
)


class ExampleStore(Made[TokenExample]):
    """N examples, each with a name. In memory are the lengths: 8 bytes an example."""

    def __init__(self, examples: Iterable[tuple[str, TokenExample]], folder: Path | None = None) -> None:
        """Write examples, which are taken one after the other, into `folder`, or among temporary files."""
        lengths = array("i")

        def rows() -> Iterator[Row]:
            for name, (source, target) in examples:
                lengths.extend((len(source), len(target)))
                yield {"name": name, "source": source, "target": target}

        self._rows = StoredRows(_SCHEMA, rows(), folder)
        super().__init__(self._rows, _example)
        #: N x 2: tokens of source and target.
        self.lengths = np.frombuffer(lengths, np.int32).reshape(-1, 2)
        #: What the examples are called.
        self.names: Sequence[str] = self._rows.column("name")

    def digest(self) -> str:
        """Return what identifies the content."""
        return self._rows.digest()


def _example(row: Row) -> TokenExample:
    return TokenExample(row["source"], row["target"])
