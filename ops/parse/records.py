"""One record of a source on its way into a parsing op, the unit row that accounts for it, and every such op.

Belongs here: the tuple that scanning hands to the ops, its row of the tables, rejecting what cannot be read.
Not here: finding records and telling their months (whoever scans the sources), reading them
(ops/parse/papers, ops/parse/talks).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ops.outcome import Outcome, Row, Shape, reject
from ops.parse.source import ParseError, Raw


class Record(NamedTuple):
    """A raw document with what is known of it before it is parsed."""

    id: str
    """`record_id(source, raw)`: unique over all sources, since a source's paths are."""
    source: str
    """The source's name in params.yaml."""
    kind: str
    """The source's kind: which `Format` reads it."""
    licence: str
    month: str | None
    """YYYY-MM; None where it could not be told, and then `raw.error` says why."""
    raw: Raw
    domain: str = ""
    """The source's domain; empty where params.yaml gives it none."""


def record_id(source: str, raw: Raw) -> str:
    """Return `source/path`, and `#row` behind it in a file of many records."""
    place = f"{source}/{raw.path}"
    return place if raw.row is None else f"{place}#{raw.row}"


def record_unit(record: Record) -> Row:
    """Return the record as a row of `ops.parse.schemas.RECORD`, the unit of dropped and rejected records."""
    return {
        "id": record.id,
        "source_ids": [record.id],
        "licence": record.licence,
        "path": f"{record.source}/{record.raw.path}",
        "row": record.raw.row,
        "content": record.raw.content,
    }


def complaint(record: Record, cause: str) -> str:
    """Return the text of a reject: file, line where there is one, cause."""
    line = "" if record.raw.row is None else f", line {record.raw.row}"
    return f"{record.source}/{record.raw.path}{line}: {cause}"


def read_each(records: Sequence[Record], shape: Shape, rows: Callable[[Record], Iterable[Row]]) -> Outcome:
    """Return the rows of every record; one for which `rows` raises ParseError is rejected whole."""
    kept: list[Row] = []
    rejected: list[Row] = []
    for record in records:
        try:
            kept += list(rows(record))
        except ParseError as error:
            rejected.append(reject(record_unit(record), complaint(record, str(error))))
    return Outcome.of(shape, [record.id for record in records], kept, rejected=rejected)
