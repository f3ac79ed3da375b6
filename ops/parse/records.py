"""One record of a source on its way into a parsing op, and the unit row that accounts for it.

Belongs here: the tuple that scanning hands to the ops of papers and talks, and its row of the tables.
Not here: finding records and telling their months (whoever scans the sources), reading them
(ops/parse/papers, ops/parse/talks).
"""

from __future__ import annotations

from typing import NamedTuple

from ops.outcome import Row
from ops.parse.source import Raw


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
