"""The result of scanning sources, stored in a folder: the index, and copies of records.

Belongs here: writing both during one pass over all sources, reading a month of the index, reading a copied
record. The index is sorted by month, so that no process loads it whole; what plans ask about a month is in a
small file of its own. Records are copied if their file has several months: a dump or a compressed file can
only be read from its start, which would be repeated for every month. Not here: scanning (scan.py), where the
folder is stored and when it is renewed (orchestration/state/sources.py).
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import IO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from silverloom.ops.parse.records import Record
from silverloom.ops.parse.source import EVERY, Raw

_INDEX, _MONTHS, _CONTENT = "index.parquet", "months.json", "content"
#: Entries that are Python objects at a time while scanning.
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


_TEXT = pa.large_string()  # the ids of all records may be larger than 2 GiB
_ENTRY = pa.schema(
    [
        *((name, _TEXT) for name in ("id", "month", "md5", "path")),
        ("row", pa.int64()),
        ("error", _TEXT),
        *((name, pa.int64()) for name in ("size", "offset", "length")),
    ]
)
_NUMBER = pa.field("number", pa.int64())
"""The place of an entry in the order of the scan."""
_SCHEMA = _ENTRY.append(_NUMBER)


class DamagedScanError(Exception):
    """A stored index cannot be read."""


class IndexedMonth(NamedTuple):
    """What is known about the records of a month without reading their entries."""

    records: int
    version: str
    sources: list[str]


@dataclass(frozen=True)
class Index:
    """Every record that a scan found, by month (None if it is unknown)."""

    months: Mapping[str | None, IndexedMonth]
    rows: pa.Table | Path
    """The entries sorted by month, or the file that contains them."""

    def read(self, months: Collection[str | None], columns: Iterable[str]) -> pa.Table:
        """Return columns of the entries of some months, in the order of the scan.

        Raises DamagedScanError.
        """
        names, where = [*columns, "number"], pc.field("month").isin(pa.array(months, _TEXT))
        if isinstance(self.rows, pa.Table):
            entries = self.rows.filter(where).select(names)
        else:
            try:
                entries = pq.read_table(
                    self.rows, columns=names, filters=where, page_checksum_verification=True
                )
            except (pa.ArrowException, OSError) as error:
                raise DamagedScanError(str(error)) from error
        if len(entries) != sum(self.months[month].records for month in months):
            raise DamagedScanError("entries are missing")
        return entries.sort_by("number").drop_columns("number")

    def entries(self, months: Collection[str | None]) -> list[Entry]:
        """Return the entries of some months, in the order of the scan. Raises DamagedScanError."""
        rows = self.read(months, _ENTRY.names)
        return [*map(Entry, *(column.to_pylist() for column in rows.columns))]


def version_of(rows: pa.Table) -> str:
    """Return the MD5 of records, from their ids and the hashes of their bytes."""
    records = sorted(zip(rows["id"].to_pylist(), rows["md5"].to_pylist(), strict=True))
    return hashlib.md5(json.dumps(records).encode(), usedforsecurity=False).hexdigest()


def index_of(records: Iterable[Record]) -> Index:
    """Return the index of records, in memory."""
    tables = dict(_by_month(_scanned(records)))
    rows = pa.concat_tables([_SCHEMA.empty_table(), *tables.values()])
    return Index({month: _month(table) for month, table in tables.items()}, rows)


def write_scan(folder: Path, records: Iterable[Record]) -> None:
    """Write a scan's results to a new folder.

    Holds the content of one record at a time, and the index of all records twice: as Arrow, and sorted.
    """
    folder.mkdir(parents=True)
    with (folder / _CONTENT).open("wb") as content:
        rows = _scanned(records, content)
    months = []
    with pq.ParquetWriter(folder / _INDEX, _SCHEMA, write_page_checksum=True) as index:
        for month, table in _by_month(rows):
            index.write_table(table)
            months.append((month, _month(table)))
    written = json.dumps(months)
    (folder / _MONTHS).write_text(f"{_md5(written)}\n{written}")


def _scanned(records: Iterable[Record], content: IO[bytes] | None = None) -> pa.Table:
    """Return the entries of records, after copying those that belong to files of several months."""
    tables, waiting = list[pa.Table](), list[Entry]()
    for _, of_file in groupby(records, lambda record: (record.source, record.raw.path)):
        waiting += _entries(of_file, content)
        if len(waiting) >= _BATCH:
            tables.append(_table(waiting))
            waiting = []
    rows = pa.concat_tables([*tables, _table(waiting)])
    return rows.append_column(_NUMBER, pa.array(range(len(rows)), pa.int64()))


def _by_month(rows: pa.Table) -> Iterator[tuple[str | None, pa.Table]]:
    rows, begin = rows.sort_by([("month", "ascending"), ("number", "ascending")]), 0
    for counted in pc.value_counts(rows["month"]).to_pylist():  # in order of their first occurrence
        yield counted["values"], rows.slice(begin, counted["counts"])
        begin += counted["counts"]


def _month(rows: pa.Table) -> IndexedMonth:
    sources = {entry.partition("/")[0] for entry in rows["id"].to_pylist()}
    return IndexedMonth(len(rows), version_of(rows), sorted(sources))


def _entries(records: Iterable[Record], content: IO[bytes] | None) -> list[Entry]:
    """Return the entries of a file; its records are copied if they belong to several months."""
    if content is None:
        return [*map(entry_of, records)]
    begin, entries = content.tell(), []
    for record in records:
        entry = entry_of(record)
        if record.raw.row is not None and (packed := _packed(record.raw)) is not None:
            entry = replace(entry, offset=content.tell(), length=len(packed))
            content.write(packed)
        entries.append(entry)
    months = {entry.month for entry in entries} - {None}  # records without a month are read with any other
    if len(months) > 1 or EVERY in months:
        return entries
    content.seek(begin)
    content.truncate()
    return [replace(entry, offset=None, length=None) for entry in entries]


def is_whole(folder: Path) -> bool:
    """Say whether the months can be read; entries and copies are verified when they are read."""
    try:
        read_index(folder)
        return True
    except DamagedScanError:
        return False


def read_index(folder: Path) -> Index:
    """Return the index that a scan wrote; its entries are not read yet. Raises DamagedScanError."""
    try:
        digest, _, written = (folder / _MONTHS).read_text().partition("\n")
    except (OSError, UnicodeError) as error:
        raise DamagedScanError(str(error)) from error
    if _md5(written) != digest:
        raise DamagedScanError(f"{_MONTHS} has changed")
    return Index({month: IndexedMonth(*known) for month, known in json.loads(written)}, folder / _INDEX)


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


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
    columns = ([getattr(entry, name) for entry in entries] for name in _ENTRY.names)
    return pa.table(dict(zip(_ENTRY.names, columns, strict=True)), schema=_ENTRY)
