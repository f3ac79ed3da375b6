"""Prose in JSONL: a line a document.

Belongs here: this format. Not here: walking lines (ops/parse/lines.py).

A line is {"id": ..., "title": ..., "date": ..., "text": ...}; of these, text alone must be there. `id` may be
a number. More keys are welcome, and a month rule may name them; `licence` holds for its document.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from ops.discofuse.sources.prose.document import Document, paragraphs_of
from ops.parse.characters import check_characters
from ops.parse.decoding import json_object, scalars, text_at
from ops.parse.lines import lines_of_files
from ops.parse.source import Only, ParseError, Raw, Source
from ops.text.space import fold


class JsonlProse:
    """Reads JSONL; every line of every *.jsonl and *.jsonl.gz file below the folder is a document."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every line that is not blank; the document id is its `id`, else path and line."""
        return lines_of_files(folder, source, (".jsonl", ".jsonl.gz"), only, _document)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the texts and numbers of the record, and document."""
        return {**scalars(json_object(raw.content)), "document": raw.document}

    def parse(self, raw: Raw) -> Document:
        """Return the document. Raises ParseError that names the key."""
        if raw.error is not None:
            raise ParseError(raw.error)
        record = json_object(raw.content)
        if "text" not in record:
            raise ParseError(f"no key text, found {', '.join(sorted(record)[:10]) or 'none'}")
        title = fold(text_at(record.get("title"), "title"))
        licence = text_at(record.get("licence"), "licence").strip()
        check_characters(f"{title} {licence}", "title or licence")
        return Document(title or None, licence, paragraphs_of(text_at(record["text"], "text")))


def _document(line: bytes) -> str | None:
    found = json.loads(line)["id"]
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return found if isinstance(found, str) and found and found.isprintable() else None
