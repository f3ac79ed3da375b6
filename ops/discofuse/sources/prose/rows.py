"""Prose of the rows of another dataset: articles, web pages, papers, talks.

Belongs here: a row as a document. Not here: what its running text is (ops/running_text.py).
"""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

from ops.discofuse.sources.prose.document import Document
from ops.outcome import Row, of_role
from ops.parse.characters import check_characters
from ops.parse.records import UnwantedError
from ops.parse.source import Raw
from ops.running_text import PARAGRAPH_END, paragraphs, text_column
from ops.text.space import fold


class RowProse:
    """Reads rows that have a text, sentences or a transcript by the roles of their columns."""

    beside = False

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns of text and title. Raises ValueError where no column has text."""
        if (column := text_column(kept)) is None:
            raise ValueError("has no text")
        return [column.name, *of_role(kept, "title")]

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return title and paragraphs of a row as JSON; the document is called as the row is."""
        title = next((row[name] for name in of_role(kept, "title") if row[name]), None)
        text = PARAGRAPH_END.join(paragraphs(row, text_column(kept)))
        content = json.dumps({"title": title, "text": text}, ensure_ascii=False)
        return Raw(row["id"], row["id"], content.encode())

    def parse(self, raw: Raw) -> Document:
        """Return the document. Raises ParseError, and UnwantedError for a row whose text is empty."""
        record = json.loads(raw.content)
        title, text = fold(record["title"] or ""), record["text"]
        check_characters(f"{title} {text}", "the text")
        if not text:
            raise UnwantedError("no_text")
        return Document(title or None, "", text)
