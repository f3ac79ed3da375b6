"""Prose in plain text: a file a document, blank lines between paragraphs.

Belongs here: this format. Not here: title and metadata lines (ops/parse/head.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ops.discofuse.sources.prose.document import Document, paragraphs_of
from ops.parse.files import whole_files
from ops.parse.head import Head, head_of
from ops.parse.source import Only, ParseError, Raw, Source


class PlainProse:
    """Reads plain text; every *.txt file below the folder is a document.

    A first line that begins with "#", or that has nothing but `key: value` lines between it and the first
    blank line, is the title, and those lines are metadata (date, licence, ...). Else all of it is text.
    """

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document id is its stem."""
        return whole_files(folder, source, (".txt",), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return title, document, and the metadata with keys in small letters."""
        head = head_of(raw.content)
        if not _titled(head):
            return {"document": raw.document}
        return {**head.metadata, "title": head.title, "document": raw.document}

    def parse(self, raw: Raw) -> Document:
        """Return the document. Raises ParseError."""
        if raw.error is not None:
            raise ParseError(raw.error)
        head = head_of(raw.content)
        if not _titled(head):
            return Document(None, "", paragraphs_of(head.text))
        return Document(head.title, head.metadata.get("licence", ""), paragraphs_of(head.rest))


def _titled(head: Head) -> bool:
    return head.text.lstrip().startswith("#") or (bool(head.metadata) and head.ended)
