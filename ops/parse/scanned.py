"""The result of scanning sources, stored in a folder: the index, and copies of records.

Belongs here: writing both during one pass over all sources, reading the index, reading a copied record.
Records are copied if their file has several months: a dump or a compressed file can only be read from its
start, which would be repeated for every month. Not here: scanning (scan.py), where the folder is stored and
when it is renewed (orchestration/state/sources.py).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from ops.parse.records import Record
from ops.parse.source import EVERY, Raw

_INDEX, _CONTENT = "index.parquet", "content"
#: Entries written at a time.
_BATCH = 100_000


@dataclass(frozen=True)
class Entry:
    """One record in the index."""

    id: str
    month: str | None
    md5: str
    path: str
    row: int | None
    error: str | None
    size: int
    """Bytes of the content."""
    offset: int | None = field(default=None, compare=False)
    """Start of its copy, or None if it is read from its own file."""
    length: int | None = field(default=None, compare=False)


def entry_of(record: Record) -> Entry:
    """Return the index entry of a record."""
    raw = record.raw
    return Entry(record.id, record.month, raw.md5, raw.path, raw.row, raw.error, len(raw.content))


_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "month", "md5", "path")),
        ("row", pa.int64()),
        ("error", pa.string()),
        *((name, pa.int64()) for name in ("size", "offset", "length")),
    ]
)


def write_scan(folder: Path, records: Iterable[Record]) -> None:
    """Write a scan's results to a new folder, with one record in memory at a time."""
    folder.mkdir(parents=True)
    with (folder / _CONTENT).open("wb") as content, _writer(folder) as index:
        waiting: list[Entry] = []
        for _, of_file in groupby(records, lambda record: (record.source, record.raw.path)):
            waiting += _entries(of_file, content)
            if len(waiting) >= _BATCH:
                index.write_table(_table(waiting))
                waiting = []
        index.write_table(_table(waiting))


def _entries(records: Iterable[Record], content: IO[bytes]) -> list[Entry]:
    """Return the entries of a file; its records are copied if they belong to several months."""
    begin, found = content.tell(), []
    for record in records:
        entry = entry_of(record)
        if record.raw.row is not None and (packed := _packed(record.raw)) is not None:
            entry = replace(entry, offset=content.tell(), length=len(packed))
            content.write(packed)
        found.append(entry)
    months = {entry.month for entry in found} - {None}  # records without a month are read with any other
    if len(months) > 1 or EVERY in months:
        return found
    content.seek(begin)
    content.truncate()
    return [replace(entry, offset=None, length=None) for entry in found]


def _writer(folder: Path) -> pq.ParquetWriter:
    return pq.ParquetWriter(folder / _INDEX, _SCHEMA, write_page_checksum=True)


def is_whole(folder: Path) -> bool:
    """Say whether the index is readable; copies are verified when they are read."""
    try:
        pq.read_table(folder / _INDEX, page_checksum_verification=True)
        return True
    except (pa.ArrowException, OSError):
        return False


def read_index(folder: Path) -> tuple[Entry, ...]:
    """Return every record that a scan found, in order."""
    columns = pq.read_table(folder / _INDEX).to_pydict()
    return tuple(map(Entry, *columns.values()))


def copies(folder: Path, entries: Iterable[Entry]) -> Iterator[Raw | None]:
    """Yield the copy of each record, or None if it must be read from its own file."""
    with (folder / _CONTENT).open("rb") as content:
        for entry in entries:
            if entry.offset is None or entry.length is None:
                yield None
            else:
                content.seek(entry.offset)
                yield _unpacked(content.read(entry.length), entry)


def _packed(raw: Raw) -> bytes | None:
    """Return a record (without path and row) as bytes; None if its metadata do not survive JSON."""
    about = [raw.document, dict(raw.companions), raw.error, raw.encoding, raw.guessed]
    try:
        head = json.dumps(about)
    except (TypeError, ValueError):
        return None
    same = repr(json.loads(head)) == repr(about)
    return zlib.compress(head.encode() + b"\n" + raw.content, 1) if same else None


def _unpacked(packed: bytes, entry: Entry) -> Raw:
    try:
        head, _, content = zlib.decompress(packed).partition(b"\n")
        document, companions, error, encoding, guessed = json.loads(head)
    except (zlib.error, ValueError):  # damaged; the caller notices that it differs from the index
        return Raw(entry.path, "", b"", entry.row)
    return Raw(entry.path, document, content, entry.row, companions, error, encoding, guessed)


def _table(entries: Iterable[Entry]) -> pa.Table:
    columns = ([getattr(entry, name) for entry in entries] for name in _SCHEMA.names)
    return pa.table(dict(zip(_SCHEMA.names, columns, strict=True)), schema=_SCHEMA)
