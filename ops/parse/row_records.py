"""The kept rows of another dataset as records of a source.

Belongs here: a record for each row, part by part. Not here: what a row gives (the format that reads it), the
records of folders (scan.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from ops.outcome import Row
from ops.parse.files import too_large
from ops.parse.records import Record
from ops.parse.row_format import RowFormat
from ops.parse.source import DatasetSource
from ops.parts import FILES, Parts


class _Sized(Protocol):
    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[tuple[Record, ...]]: ...


@dataclass(frozen=True)
class RecordPieces:
    """Several collections of tuples of records, one after the other."""

    collections: tuple[_Sized, ...]

    def __len__(self) -> int:
        return sum(map(len, self.collections))

    def __iter__(self) -> Iterator[tuple[Record, ...]]:
        return chain.from_iterable(self.collections)


@dataclass(frozen=True)
class RowRecords:
    """The rows of one month of a dataset, a tuple of records for each part of it.

    A record has the id, the licence and the month of its row: so a row is the unit that is kept, dropped or
    rejected, and what is made of it names it as its source.
    """

    name: str
    """The source's name in params.yaml."""
    source: DatasetSource
    kind: str
    form: RowFormat[Any]
    rows: Parts
    month: str

    def __len__(self) -> int:
        return len(self.rows.parts)

    def __iter__(self) -> Iterator[tuple[Record, ...]]:
        columns = dict.fromkeys(["id", "licence", *self.form.columns(self.rows.schema)])
        for part in self.rows.parts:
            folder = Path(part.path).parent / FILES
            yield tuple(self._record(row, folder) for row in part.read([*columns]).to_pylist())

    def _record(self, row: Row, folder: Path) -> Record:
        raw = self.form.raw(row, self.rows.schema, folder)
        if len(raw.content) > self.source.max_bytes:
            raw = replace(raw, content=b"", error=too_large(self.source.max_bytes))
        return Record(row["id"], self.name, self.kind, row["licence"], self.month, raw, self.source.domain)
