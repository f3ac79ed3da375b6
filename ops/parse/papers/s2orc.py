"""S2ORC: papers as JSON of paragraphs, with spans of citations and a bibliography.

Belongs here: the JSON of doc2json and of the releases of 2019 to 2021. Not here: the text with annotations of
the bulk API (s2orc_bulk.py), TEI and JATS (tei.py, jats.py).

Paragraphs are {"text", "section", "sec_num", "cite_spans": [{"start", "end", "ref_id"}]}, in the lists
`abstract`, `body_text` and `back_matter`; these stand in the record, in its `pdf_parse`, `latex_parse` or
(2019) `grobid_parse`. Entries of the bibliography are in `bib_entries`, by the `ref_id` of the spans. Title
and year stand in the record or its `metadata`; the release of 2020 has them in other shards, and then the
title is empty. Subjects are the fields of study, what ids of the ACL Anthology and old ones of arXiv
tell, venue and journal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ops.parse.decoding import json_object, kind_of, scalars, text_at
from ops.parse.files import whole_files
from ops.parse.lines import lines_of_files
from ops.parse.papers import s2orc_bulk
from ops.parse.papers.json_shapes import ids_of, object_at, objects_at, spans_at, word_at
from ops.parse.papers.paper import BibliographyEntry, Mark, Paper, PaperBuilder
from ops.parse.papers.subjects import ACL_ANTHOLOGY, archive_of, subjects_of, words_in
from ops.parse.source import Only, ParseError, Raw, Source

_PARSES = ("pdf_parse", "latex_parse", "grobid_parse")
_LISTS = ("abstract", "body_text", "back_matter")
#: Of the API, those of its model first ([{"category": "Physics", "source": "s2-fos-model"}]), and of 2020.
_FIELDS_OF_STUDY = ("s2fieldsofstudy", "s2FieldsOfStudy", "fieldsOfStudy", "mag_field_of_study")


class S2Orc:
    """Reads S2ORC's JSON; every *.json file below the folder is a paper."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.json file; the document id is its stem."""
        return whole_files(folder, source, (".json",), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the texts and numbers of the record and of its metadata (title, year, ...), and document."""
        record = json_object(raw.content)
        fields = {**scalars(record), **scalars(object_at(record.get("metadata"), "metadata"))}
        return {**fields, "document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError that names the key, or the span outside of its text."""
        record = json_object(raw.content)
        if "content" in record:
            return replace(s2orc_bulk.read(record), subjects=subjects_at(record))
        return _read(record)


class S2OrcShards(S2Orc):
    """Reads shards of S2ORC; every line of every *.jsonl and *.jsonl.gz file below the folder is a paper."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every line that is not blank; the document id is its paper_id or corpusid."""
        return lines_of_files(folder, source, (".jsonl", ".jsonl.gz"), only, document_of)


def document_of(record: Mapping[str, Any]) -> str | None:
    """Return what a line of a shard calls its paper."""
    return word_at(record.get("paper_id")) or word_at(record.get("corpusid"))


def _read(record: Mapping[str, Any]) -> Paper:
    body = next((record[name] for name in _PARSES if isinstance(record.get(name), dict)), record)
    if "body_text" not in body:
        raise ParseError("no key body_text, nor content: not S2ORC's JSON")
    metadata = object_at(record.get("metadata"), "metadata")
    paper = PaperBuilder(text_at(metadata.get("title", record.get("title")), "title"))
    paper.subjects = subjects_at({**record, **metadata})
    section: tuple[str, str] | None = None
    for name in _LISTS:
        for where, paragraph in _paragraphs(body, record, name):
            text = text_at(paragraph.get("text"), f"{where}.text")
            title = text_at(paragraph.get("section"), f"{where}.section").strip()
            number = word_at(paragraph.get("sec_num"))
            found = (name, f"{number} {title}".strip())
            if found != section:
                paper.section("Abstract" if name == "abstract" and not title else found[1])
                section = found
            spans = spans_at(paragraph.get("cite_spans"), f"{where}.cite_spans", len(text))
            paper.body(text, where, [Mark(*span) for span in spans])
    for key, entry in object_at(body.get("bib_entries"), "bib_entries").items():
        paper.entry(_entry(key, object_at(entry, f"bib_entries.{key}")))
    return paper.finish()


def subjects_at(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the subjects of a record of any release, and of what the API gives of a paper."""
    ids = record.get("externalids", record.get("externalIds"))
    others = ids if isinstance(ids, dict) else {}
    of_acl = (record.get("acl_id"), others.get("acl"), others.get("ACL"))
    of_arxiv = (record.get("arxiv_id"), others.get("arxiv"), others.get("ArXiv"))
    return subjects_of(
        *(words_in(record.get(name), "category") for name in _FIELDS_OF_STUDY),
        [ACL_ANTHOLOGY for found in of_acl if word_at(found)],
        *map(archive_of, of_arxiv),
        *(words_in(record.get(name), "name") for name in ("venue", "journal")),
    )


def _paragraphs(
    body: Mapping[str, Any], record: Mapping[str, Any], name: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield where a paragraph stands, and the paragraph; an abstract may be a text by itself."""
    found = body.get(name)
    if name == "abstract":
        found = found or record.get("abstract")
        found = [{"text": found}] if isinstance(found, str) else found
    if found is not None and not isinstance(found, list):
        raise ParseError(f"{name} must be a list, found {kind_of(found)}")
    return objects_at(found, name)


def _entry(key: str, entry: Mapping[str, Any]) -> BibliographyEntry:
    authors = [author for author in entry.get("authors") or [] if isinstance(author, dict)]
    names = (" ".join(filter(None, [word_at(one.get("first")), word_at(one.get("last"))])) for one in authors)
    other = entry.get("other_ids")
    others = other.items() if isinstance(other, dict) else ()
    link = entry.get("link", entry.get("links"))
    return BibliographyEntry(
        key,
        word_at(entry.get("raw_text")),
        word_at(entry.get("title")),
        word_at(entry.get("year")),
        tuple(filter(None, names)),
        ids_of(("s2orc", link), *((scheme.lower(), value) for scheme, value in others)),
    )
