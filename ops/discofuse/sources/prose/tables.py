"""Prose in tables: a row a document.

Belongs here: what is read of a row. Not here: the files of tables (ops/parse/tables).

A row has a text, and may have an id, a title, a date and a licence, which holds for its document. More
columns are welcome, and a month rule may name them.
"""

from __future__ import annotations

from ops.discofuse.sources.prose.document import Document, paragraphs_of
from ops.parse.characters import check_characters
from ops.parse.decoding import text_at
from ops.parse.source import ParseError, Raw
from ops.parse.tables import Table
from ops.text.space import fold


class TableProse(Table):
    """Reads tables; every row of every table below the folder is a document."""

    def __init__(self) -> None:
        super().__init__(text="text", id="id", title="title", date="date", licence="licence")

    def parse(self, raw: Raw) -> Document:
        """Return the document. Raises ParseError that names the column."""
        if raw.error is not None:
            raise ParseError(raw.error)
        row = self.row(raw)
        text = text_at(self.needed(raw, row, "text"), "text")
        title = fold(text_at(row.get("title"), "title"))
        licence = text_at(row.get("licence"), "licence").strip()
        check_characters(f"{title} {licence}", "title or licence")
        return Document(title or None, licence, paragraphs_of(text))
