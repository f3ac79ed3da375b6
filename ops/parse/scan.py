"""The records of all sources of one kind of document, by partition.

Belongs here: scanning source folders into an index (id, month, hash), and reading the records of one
partition in chunks. Not here: the formats (such as ops/parse/papers), month rules (source.py), the index on
disk (scanned.py).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, islice, repeat
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from silverloom.ops.core.outcome import Outcome, Outcomes
from silverloom.ops.core.parts import Engine
from silverloom.ops.core.periods import ALL, Every, between, period
from silverloom.ops.parse.encodings import any_encoding, encoding_fault, of_lines
from silverloom.ops.parse.files import shown
from silverloom.ops.parse.lines import of_file_in_utf8
from silverloom.ops.parse.records import Record, RecordPieces, RowRecords, record_id
from silverloom.ops.parse.scanned import (
    DamagedScanError,
    Entry,
    Index,
    copies,
    entry_of,
    index_of,
    is_whole,
    read_index,
    version_of,
    write_scan,
)
from silverloom.ops.parse.source import (
    EVERY,
    Format,
    Only,
    ParseError,
    Raw,
    Source,
    Tabular,
    exhausting,
    month_of,
    options_fault,
)

#: Maximum bytes of all records in one part: they are all in memory, and the content of rejected ones is an
#: Arrow column, which holds less than 2 GiB.
LARGEST_PART = 2**29

#: Maximum characters of text in one part: some 1,000 sentences, about ten seconds of work. So a small corpus
#: has parts for several processes.
TEXT_OF_PART = 2**17

#: A partition that would have more parts for its text has larger ones, because every part costs files.
MANY_PARTS = 256


class SourceError(ValueError):
    """A source cannot be scanned at all; the message says what to change in params.yaml."""


class Keeper(Protocol):
    """Keeps the folder that a scan writes for as long as a new scan would write the same."""

    def folder(self, write: Callable[[Path], object], whole: Callable[[Path], bool]) -> Path | None:
        """Return the folder, from now or an earlier scan if `whole`; None if sources are changing now."""
        ...


@dataclass(frozen=True)
class Corpus:
    """All sources of one kind of document (papers, talks), with the formats that read them.

    A record with an unknown month goes to the first partition of the range, where it is rejected with its
    cause. So no record is lost because its date is missing.
    """

    name: str
    sources: Mapping[str, Source]
    formats: Mapping[str, Format[Any]]
    root: Path
    first_partition: str
    last_partition: str
    records_per_part: int
    engine: Engine = field(compare=False)
    every: Every = "month"
    """The length of a partition's period; for years, the first and last partitions are years."""
    keeper: Keeper | None = field(default=None, compare=False)

    def check(self) -> None:
        """Raise SourceError for an invalid declaration or a missing folder, before anything runs."""
        for name, source in self.sources.items():
            where = f"params.yaml: sources.{self.name}.{name}"
            if marks := sorted(set(name) & {"/", "#"}):
                raise SourceError(f"{where}: the name of a source cannot hold {marks[0]!r}")
            if source.kind not in self.formats:
                known = ", ".join(sorted(self.formats))
                raise SourceError(f"{where}: unknown kind {source.kind!r}; known: {known}")
            form = self.formats[source.kind]
            if (fault := options_fault(form, source, source.kind)) is not None:
                raise SourceError(f"{where}.options: {fault}")
            if not (self.root / source.path).is_dir():
                raise SourceError(f"{where}: no such folder: {source.path}")
            if source.encoding and (fault := _encoding_fault(form, source)) is not None:
                raise SourceError(f"{where}.encoding: {fault}")
            if (fault := _fields_fault(form, source, self.root)) is not None:
                raise SourceError(f"{where}.fields: {fault}")

    def check_versions(self) -> None:
        """Raise SourceError if a file cannot be hashed, since the source then has no known version.

        Its other records are still read, and the file is a rejected one.
        """
        for name, source in self.sources.items():
            for place in _entries(self.root / source.path):
                if (fault := _fault(place)) is not None:
                    path = shown(place.relative_to(self.root / source.path).as_posix())
                    where = f"params.yaml: sources.{self.name}.{name}"
                    raise SourceError(
                        f"{where}: {path} {fault}, and DVC cannot version it: "
                        "what was made is kept, move the file away and run again to commit it"
                    )

    @cached_property
    def index(self) -> Index:
        """Every record of every source, from one pass over all of them or from an earlier scan."""
        if self._stored is not None:
            return read_index(self._stored)
        return index_of(self._scan())

    @cached_property
    def _stored(self) -> Path | None:
        if self.keeper is None:
            return None
        return self.keeper.folder(lambda folder: write_scan(folder, self._scan()), is_whole)

    def without_records(self) -> dict[str, str]:
        """Return, by name, why sources have no records although their folders contain files."""
        return {
            name: f"no file of kind {source.kind!r} in {source.path} matches files: {source.files!r}"
            for name, source in self.sources.items()
            if name not in self._read and any(_entries(self.root / source.path))
        }

    @cached_property
    def _read(self) -> set[str]:
        return {source for month in self.index.months.values() for source in month.sources}

    def has(self, partition: str) -> bool:
        """Say whether a partition has records."""
        return bool(self._months(partition))

    def version(self, partition: str) -> str:
        """Return the MD5 of a partition's records, from their ids and the hashes of their bytes."""
        months = self._months(partition)
        if len(months) == 1:
            return self.index.months[months[0]].version
        return version_of(self._columns(partition, "id", "md5"))

    def ids(self, partition: str) -> list[str]:
        """Return the ids of a partition's records, ordered by source and path."""
        return list(self._columns(partition, "id")["id"].to_pylist())

    def parts(self, partition: str) -> list[int]:
        """Return the number of records in each part of a partition, limited by count, by text and by bytes.

        How much text a record has is estimated from its size and its format.
        """
        entries = self._columns(partition, "id", "size")
        sizes = entries["size"].to_pylist()
        texts = [
            size / self._bytes_a_character[record.partition("/")[0]]
            for record, size in zip(entries["id"].to_pylist(), sizes, strict=True)
        ]
        longest = max(TEXT_OF_PART, sum(texts) / MANY_PARTS)
        counts: list[int] = []
        taken, text_taken = 0, 0.0
        for size, text in zip(sizes, texts, strict=True):
            taken += size
            text_taken += text
            full = text_taken > longest or taken > LARGEST_PART
            if not counts or counts[-1] == self.records_per_part or full:
                counts.append(0)
                taken, text_taken = size, text
            counts[-1] += 1
        return counts

    def outside(self) -> dict[str, int]:
        """Return the number of records in months or years outside the range, by period."""
        inside = {EVERY, *self._partitions}
        months = self.index.months.items()
        return dict(sorted((name, month.records) for name, month in months if name and name not in inside))

    def records(self, partition: str, engine: Engine | None = None) -> Records:
        """Return the records of one partition, for mapping in chunks with `engine` or the corpus's own."""
        return Records(self, partition, engine or self.engine)

    def of_partition(self, partition: str) -> Iterator[Record]:
        """Yield the records of one partition, ordered by source and path, without reading other files.

        Raises SourceError if a record has changed, or can be read no more, since the index was made.
        """
        with self._undamaged():
            wanted = self.index.entries(self._months(partition))
        for name, indexed in groupby(wanted, lambda entry: entry.id.partition("/")[0]):
            source, entries = self.sources[name], list(indexed)
            for entry, raw in zip(entries, self._raws_of(name, entries), strict=True):
                record = Record(
                    entry.id,
                    name,
                    source.kind,
                    source.licence,
                    entry.month,
                    replace(raw, error=entry.error),
                    source.domain,
                )
                if entry_of(record) != entry:
                    shutil.rmtree(self._stored or "", ignore_errors=True)  # the copy may be damaged
                    unreadable = raw.error is not None and entry.error is None
                    cause = f": {raw.error}" if unreadable else " changed while it was read: run again"
                    raise SourceError(f"{entry.id}{cause}")
                yield record._replace(month=partition) if entry.month == EVERY else record

    def _raws_of(self, name: str, entries: Sequence[Entry]) -> Iterator[Raw]:
        """Yield records of a source in index order, from their stored copies or from their files."""
        copied = copies(self._stored, entries) if self._stored is not None else repeat(None, len(entries))
        paths: dict[str, set[int | None]] = {}
        for entry in entries:
            if entry.offset is None:
                paths.setdefault(entry.path, set()).add(entry.row)
        files = self.raws(self.sources[name], paths)
        for entry, copy in zip(entries, copied, strict=True):
            raw = copy or next((raw for raw in files if record_id(name, raw) == entry.id), None)
            if raw is None:
                raise SourceError(f"{entry.id} is gone: run again")
            yield raw

    def raws(self, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield the unparsed records of a source; `only` limits which files are read, by path."""
        form = self.formats[source.kind]
        for raw in form.split(self.root / source.path, source, only):
            if any_encoding(form):
                file = self.root / source.path / raw.path
                raw = of_file_in_utf8(raw, source.encoding, file, source.max_bytes)
            yield raw

    @cached_property
    def _bytes_a_character(self) -> dict[str, int]:
        forms = {name: self.formats[source.kind] for name, source in self.sources.items()}
        return {name: getattr(form, "bytes_a_character", 1) for name, form in forms.items()}

    @property
    def slow(self) -> bool:
        """Whether reading one record of a source may take minutes."""
        return any(getattr(self.formats[source.kind], "slow", False) for source in self.sources.values())

    def _columns(self, partition: str, *names: str) -> pa.Table:
        with self._undamaged():
            return self.index.read(self._months(partition), names)

    @contextlib.contextmanager
    def _undamaged(self) -> Iterator[None]:
        """Remove a stored index that turns out to be damaged, so that the next run scans again."""
        try:
            yield
        except DamagedScanError as error:
            shutil.rmtree(self._stored or "", ignore_errors=True)
            for name in ("index", "_stored", "_read"):
                vars(self).pop(name, None)
            raise SourceError(f"sources.{self.name}: the stored scan is damaged: run again") from error

    def _months(self, partition: str) -> list[str | None]:
        """Return the months of the index whose records belong to a partition, if they have any."""
        months: list[str | None] = [partition]
        if partition in self._partitions:
            months.append(EVERY)
        if partition == self._partitions[0]:
            months.append(None)
        return [month for month in months if month in self.index.months]

    @cached_property
    def _partitions(self) -> list[str]:
        return between(self.first_partition, self.last_partition, self.every)

    def _scan(self) -> Iterator[Record]:
        self.check()
        for name, source in sorted(self.sources.items()):
            form = self.formats[source.kind]
            seen: set[str] = set()
            for raw in self.raws(source):
                record = _record(name, source, form, raw, self.every)
                if record.id in seen:
                    raise SourceError(f"sources.{self.name}.{name}: two records are called {record.id}")
                seen.add(record.id)
                yield record


@dataclass(frozen=True)
class Records:
    """The raw records of one partition, followed by rows of datasets that are read as records."""

    corpus: Corpus
    partition: str
    engine: Engine
    rows: tuple[RowRecords, ...] = ()

    def map(self, op: Callable[..., Outcome], *shared: object) -> Outcomes:
        """Call `op(records, *shared)` for every chunk of records and yield the outcomes in order.

        If a record may take minutes, each is a task of its own, and the outcomes of a chunk are joined.
        """
        counts = self.corpus.parts(self.partition)
        if not self.corpus.slow:
            chunks = Chunks(self.corpus, self.partition, counts)
            return self.engine.map(op, RecordPieces((chunks, *self.rows)), *shared)
        singly = Chunks(self.corpus, self.partition, [1] * sum(counts))
        outcomes = self.engine.map(op, RecordPieces((singly, *self.rows)), *shared)
        joined = [*counts, *(1 for rows in self.rows for _ in range(len(rows)))]
        return (Outcome.joined([*islice(outcomes, count)]) for count in joined)


@dataclass(frozen=True)
class Chunks:
    """The raw records of one partition in tuples of limited size; their number is known before reading."""

    corpus: Corpus
    partition: str
    counts: Sequence[int]
    """The number of records in each tuple."""

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[tuple[Record, ...]]:
        records = self.corpus.of_partition(self.partition)
        return (tuple(islice(records, count)) for count in self.counts)


def _encoding_fault(form: Format[Any], source: Source) -> str | None:
    if not any_encoding(form):
        return f"the kind {source.kind!r} tells its encoding itself"
    return encoding_fault(source.encoding, of_lines(form))


def _fields_fault(form: Format[Any], source: Source, root: Path) -> str | None:
    if not isinstance(form, Tabular):
        return f"the kind {source.kind!r} reads no tables with a header" if source.fields else None
    return form.fields_fault(root / source.path, source)


def _entries(folder: Path) -> Iterator[Path]:
    for base, folders, names in os.walk(folder):
        yield from (Path(base) / name for name in [*folders, *names])


def _fault(place: Path) -> str | None:
    """Return why DVC cannot hash a file: it would fail, or wait for a pipe forever."""
    if any("\udc80" <= sign <= "\udcff" for sign in str(place)):
        return "has a name that is not UTF-8"
    try:
        mode = place.stat().st_mode
    except OSError as error:
        return f"cannot be looked at ({error.strerror})"
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return "is neither a file nor a folder"
    return None if os.access(place, os.R_OK, effective_ids=True) else "cannot be read"


def _record(name: str, source: Source, form: Format[Any], raw: Raw, every: Every) -> Record:
    month, rule = None, source.month
    if every == "none" or rule is None:
        month = ALL
    elif raw.error is None or rule.field is None:
        try:
            with exhausting():
                month = month_of(rule, raw, form.fields(raw) if rule.field else {})
                month = month if month == EVERY else period(month, every)
        except ParseError as error:
            raw = raw if raw.error else replace(raw, error=str(error))
    return Record(record_id(name, raw), name, source.kind, source.licence, month, raw)
