"""Papers as ScienceParse writes them: JSON of title, abstract and sections.

Belongs here: this format. Not here: finding sentences in a section's text (body.py).

A record is {"title", "abstractText", "year", "sections": [{"heading", "text"}], ...}, alone or as the
"metadata" of an outer object. A section without a heading (the first page's footer, mostly) keeps its
sentences: its role is preamble, which TalkSumm's released code skips.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ops.parse.decoding import json_object, kind_of, list_at, scalars, text_at
from ops.parse.files import whole_files
from ops.parse.papers.paper import Paper, PaperBuilder
from ops.parse.source import Only, ParseError, Raw, Source


class ScienceParse:
    """Reads ScienceParse's JSON; every *.json file below the folder is a paper."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.json file; the document id is its stem."""
        return whole_files(folder, source, (".json",), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the texts and numbers of the metadata (title, year, ...), and document."""
        return {**scalars(_metadata(raw.content)), "document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError that names the key of a wrong type."""
        metadata = _metadata(raw.content)
        paper = PaperBuilder(text_at(metadata.get("title"), "title"))
        abstract = text_at(metadata.get("abstractText"), "abstractText")
        if abstract.strip():
            paper.section("Abstract")
            paper.body(abstract, "abstractText")
        # ScienceParse writes "sections": null for a paper in which it found none.
        for index, section in enumerate(list_at(metadata.get("sections") or [], "sections")):
            where = f"sections[{index}]"
            if not isinstance(section, dict):
                raise ParseError(f"{where} must be an object, found {kind_of(section)}")
            paper.section(text_at(section.get("heading"), f"{where}.heading"))
            paper.body(text_at(section.get("text"), f"{where}.text"), where)
        return paper.finish()


def _metadata(content: bytes) -> Mapping[str, Any]:
    record = json_object(content)
    metadata = record.get("metadata", record)
    if not isinstance(metadata, dict):
        raise ParseError(f"metadata must be an object, found {kind_of(metadata)}")
    if "sections" not in metadata and "abstractText" not in metadata:
        raise ParseError("neither the key sections nor the key abstractText: not ScienceParse's JSON")
    return metadata
