"""Records of sources as the input of parsing ops, the rows made from them, and their units.

Belongs here: the tuple that scanning passes to the ops, rejecting unreadable records, records that contain
several documents, and the kept rows of another dataset as records. Not here: the records of folders and their
months (scan.py), parsing them (such as ops/parse/papers).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from silverloom.ops.core.identity import made_of, row_id
from silverloom.ops.core.outcome import Outcome, Row, Shape, drop, reject
from silverloom.ops.core.parts import FILES, Parts
from silverloom.ops.parse.decoding import check_characters, check_texts, one_line
from silverloom.ops.parse.files import too_large
from silverloom.ops.parse.source import DatasetSource, ParseError, Raw, RowFormat, exhausting

_LONGEST_CAUSE = 500


class Record(NamedTuple):
    """A raw document with what is known before it is parsed."""

    id: str
    """`record_id(source, raw)`: unique across all sources, since source names and paths are."""
    source: str
    """The source's name in params.yaml."""
    kind: str
    """The source's kind, which selects the `Format` that reads it."""
    licence: str
    month: str | None
    """YYYY-MM, or None if it is unknown; then `raw.error` says why."""
    raw: Raw
    domain: str = ""
    """The source's domain; empty if params.yaml does not set one."""


def record_id(source: str, raw: Raw) -> str:
    """Return `source/path`, followed by `#row` in a file of many records.

    "#" in the path is escaped as %23, and "%" as %25, so that no two records share an id.
    """
    place = f"{source}/{raw.path.replace('%', '%25').replace('#', '%23')}"
    return place if raw.row is None else f"{place}#{raw.row}"


def record_place(record: str) -> tuple[str, str, str]:
    """Return source, path and row ("" if none) from the id of a record."""
    place, _, row = record.partition("#")
    source, _, path = place.partition("/")
    return source, path.replace("%23", "#").replace("%25", "%"), row


def row_of(record: Record, kind: str, *parts: str) -> Row:
    """Return `id`, `source_ids` and `licence` of a row that is parsed from a record.

    Its id is `row_id` of the source, the document and `parts`.
    """
    made = row_id(kind, record.source, record.raw.document, *parts)
    return made_of(made, [record.id], record.licence)


def record_unit(record: Record) -> Row:
    """Return the record as a row of RECORD (schemas.py), which dropped and rejected records store."""
    return {
        **made_of(record.id, [record.id], record.licence),
        "path": f"{record.source}/{record.raw.path}",
        "row": record.raw.row,
        "content": record.raw.content,
    }


def complaint(record: Record, cause: str) -> str:
    """Return the error of a rejected record: file, line if any, and cause, with quoted content escaped."""
    line = "" if record.raw.row is None else f", line {record.raw.row}"
    clipped = cause if len(cause) <= _LONGEST_CAUSE else f"{cause[:_LONGEST_CAUSE]}..."
    return f"{record.source}/{record.raw.path}{line}: {one_line(clipped)}"


class UnwantedError(Exception):
    """A readable record that is dropped for a reason."""

    def __init__(self, reason: str, detail: str | None = None, score: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.detail, self.score = reason, detail, score


def readable(record: Record) -> Raw:
    """Return the raw document of a record. Raises ParseError if scanning found an error in it."""
    if record.raw.error is not None:
        raise ParseError(record.raw.error)
    if record.month is None:
        raise ParseError("its month of publication is unknown")
    check_characters(record.raw.document, "the document id")
    return record.raw


def read_each(
    records: Sequence[Record],
    shape: Shape,
    rows: Callable[[Record], Iterable[Row]],
    lost: Mapping[str, int] | None = None,
) -> Outcome:
    """Return the rows of every record. A record is rejected whole if it is unreadable or contains non-text;
    `rows` gets none with an error.

    `rows` may raise UnwantedError, and then the record is dropped. `lost` counts what is lost within records,
    by reason; `rows` may update it. The outcome's combinations are these counts and the number
    of records in a guessed encoding. If `shape` has a column `encoding`, rows get that of their record.
    """
    kept: list[Row] = []
    dropped: list[Row] = []
    rejected: list[Row] = []
    guesses: Counter[str] = Counter()
    has_encoding = "encoding" in shape.kept.names
    for record in records:
        if record.raw.guessed:
            guesses[f"texts guessed to be in {record.raw.encoding}"] += 1
        try:
            if record.raw.error is not None:
                raise ParseError(record.raw.error)
            with exhausting():
                record_rows = list(rows(record))
            if has_encoding:  # a web page declares its own
                record_rows = [{"encoding": record.raw.encoding, **row} for row in record_rows]
            check_texts(record_rows, "a row")
            kept += record_rows
        except UnwantedError as error:
            dropped.append(drop(record_unit(record), error.reason, error.score, error.detail))
        except ParseError as error:
            rejected.append(reject(record_unit(record), complaint(record, str(error))))
    counted = {**guesses, **(lost or {})}
    return Outcome.of(shape, [record.id for record in records], kept, dropped, rejected, counted)


Form = TypeVar("Form")


@runtime_checkable
class Several(Protocol):
    """A format with several documents per record; the record is still what is kept, dropped or rejected."""

    def documents(self, raw: Raw) -> Iterator[Raw]:
        """Yield the documents. Raises ParseError and UnwantedError about the record as a whole."""
        ...


def rows_of(
    record: Record, form: Form, row: Callable[[Record, Form], Row], lost: Counter[str]
) -> list[dict[str, Any]]:
    """Return a row for each document of a record; `lost` counts documents lost while others are kept.

    If none is kept, raises the ParseError or UnwantedError of one of them.
    """
    if not isinstance(form, Several):
        return [dict(row(record, form))]
    document_rows: list[dict[str, Any]] = []
    faults: list[ParseError | UnwantedError] = []
    for document in form.documents(readable(record)):
        try:
            document_row = dict(row(record._replace(raw=document), form))
            check_texts([document_row], "a row")
            document_rows.append(document_row)
        except (ParseError, UnwantedError) as fault:
            faults.append(fault)
    if not document_rows:
        raise min(faults, key=lambda fault: isinstance(fault, UnwantedError), default=UnwantedError("empty"))
    reasons = (fault.reason if isinstance(fault, UnwantedError) else "cannot be read" for fault in faults)
    lost.update(f"documents of fetched files: {reason}" for reason in reasons)
    return document_rows


def name_in_source(record: Record) -> str:
    """Return a name of a document that is unique in its source; documents of rows include the row's id."""
    if record.id.startswith(f"{record.source}/"):
        return record.raw.document
    return f"{record.id}/{record.raw.document}"


class _Sized(Protocol):
    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[tuple[Record, ...]]: ...


@dataclass(frozen=True)
class RecordPieces:
    """Several collections of tuples of records, concatenated."""

    collections: tuple[_Sized, ...]

    def __len__(self) -> int:
        return sum(map(len, self.collections))

    def __iter__(self) -> Iterator[tuple[Record, ...]]:
        return chain.from_iterable(self.collections)


@dataclass(frozen=True)
class RowRecords:
    """The rows of one month of a dataset, as a tuple of records for each part of it.

    A record has the id, licence and month of its row. So the row is the unit that is kept, dropped or
    rejected, and rows made from it name it as their source.
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
