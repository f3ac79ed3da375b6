"""Prose: running text of any kind, a document a file or a line, and the op that makes a table of it.

Belongs here: the registry of formats by kind, and the row of a document. Not here: the formats themselves
(plain.py, tables.py, rows.py), sentences and parses (ops/discofuse).
"""

from __future__ import annotations

from collections.abc import Sequence

from ops.discofuse.sources.prose.document import Document
from ops.discofuse.sources.prose.plain import PlainProse
from ops.discofuse.sources.prose.rows import RowProse
from ops.discofuse.sources.prose.tables import TableProse
from ops.discofuse.sources.schemas import PROSE
from ops.identity import row_id
from ops.outcome import Outcome, Row
from ops.parse.records import Record, read_each
from ops.parse.row_format import AnyFormat

__all__ = ["FORMATS", "Document", "parse_prose"]

FORMATS: dict[str, AnyFormat] = {
    "jsonl_prose": TableProse(),
    "plain_prose": PlainProse(),
    "rows": RowProse(),
    "table": TableProse(),
}


def parse_prose(records: Sequence[Record]) -> Outcome:
    """Return every record as a document, or rejected with file, line and cause; shape PROSE.

    Raises KeyError for a kind that is not in FORMATS.
    """

    def rows(record: Record) -> list[Row]:
        return [_row(record, FORMATS[record.kind].parse(record.raw))]

    return read_each(records, PROSE, rows)


def _row(record: Record, document: Document) -> Row:
    return {
        "id": row_id("prose", record.source, record.raw.document),
        "source_ids": [record.id],
        "licence": document.licence or record.licence,
        "document": record.raw.document,
        "title": document.title,
        "month": record.month,
        "domain": record.domain,
        "text": document.text,
    }
