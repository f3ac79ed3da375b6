"""S2ORC: papers as JSON of paragraphs, with citation spans and a bibliography.

Belongs here: the JSON of doc2json and of the releases from 2019 to 2021, and the annotated text of the bulk
API. Not here: TEI and JATS (extraction_tools.py, jats.py).

Paragraphs are {"text", "section", "sec_num", "cite_spans": [{"start", "end", "ref_id"}]}, in the lists
`abstract`, `body_text` and `back_matter`. These are in the record itself, or in its `pdf_parse`,
`latex_parse` or (2019) `grobid_parse`. Bibliography entries are in `bib_entries`, keyed by the `ref_id` of
the spans. EQUATION and the like stand for formulas and leave holes. Title and year are in the record or its
`metadata`. The release of 2020 has them in other shards; then the title is empty. Subjects are the fields of
study, those implied by ids of the ACL Anthology and old arXiv ids, the venue and the journal.

A record of the bulk API is {"corpusid", "externalids", "content": {"text", "annotations": {"title",
"abstract", "sectionheader", "paragraph", "bibref", "bibentry", ...}}}. An annotation is a list of {"start",
"end", "attributes"}, usually written as JSON within the JSON. Without paragraphs, the text between two
headings is one. Spans of one annotation do not overlap: if one begins within another, only the rest of it
counts. A mark belongs to the first paragraph that contains it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from silverloom.ops.parse.decoding import (
    ids_of,
    json_object,
    kind_of,
    object_at,
    objects_at,
    scalars,
    spans_at,
    text_at,
    word_at,
)
from silverloom.ops.parse.files import JSON_LINES, whole_files
from silverloom.ops.parse.lines import lines_of_files
from silverloom.ops.parse.papers.metadata import ACL_ANTHOLOGY, archive_of, doi_of, subjects_of, words_in
from silverloom.ops.parse.papers.paper import (
    BibliographyEntry,
    Mark,
    Paper,
    PaperBuilder,
)
from silverloom.ops.parse.source import Only, ParseError, Raw, Source
from silverloom.ops.text.holes import HOLE

_PARSES = ("pdf_parse", "latex_parse", "grobid_parse")
_LISTS = ("abstract", "body_text", "back_matter")
#: In the API, those of its model first ([{"category": "Physics", "source": "s2-fos-model"}]); then that of
#: 2020.
_FIELDS_OF_STUDY = ("s2fieldsofstudy", "s2FieldsOfStudy", "fieldsOfStudy", "mag_field_of_study")


#: A displayed formula is mostly a paragraph of its own; others are words.
_EQUATION = re.compile(r"\s*EQUATION(?:\s*\(?\d{1,3}\)?)?\s*")
_FORMULA = re.compile(r"\b(?:(?:INLINE|DISPLAY)FORM\d{1,9}|EQUATION)\b")


class S2Orc:
    """Reads S2ORC's JSON: every *.json file below the folder is a paper."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.json file; the document id is its stem."""
        return whole_files(folder, source, (".json",), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return short strings and numbers of record and metadata (title, year, ...), and document."""
        record = json_object(raw.content)
        fields = {**scalars(record), **scalars(object_at(record.get("metadata"), "metadata"))}
        return {**fields, "document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError that names the key, or a span outside its text."""
        record = json_object(raw.content)
        if "content" in record:
            return replace(read_bulk(record), subjects=subjects_at(record), doi=doi_at(record))
        return _read(record)


class S2OrcShards(S2Orc):
    """Reads shards of S2ORC: every line of every file of JSON lines below the folder is a paper."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every non-blank line; the document id is its paper_id or corpusid."""
        return lines_of_files(folder, source, JSON_LINES, only, document_of)


def document_of(record: Mapping[str, Any]) -> str | None:
    """Return the document id in a line of a shard, or ""."""
    return word_at(record.get("paper_id")) or word_at(record.get("corpusid"))


def _read(record: Mapping[str, Any]) -> Paper:
    body = next((record[name] for name in _PARSES if isinstance(record.get(name), dict)), record)
    if "body_text" not in body:
        raise ParseError("no key body_text, nor content: not S2ORC's JSON")
    metadata = object_at(record.get("metadata"), "metadata")
    paper = PaperBuilder(text_at(metadata.get("title", record.get("title")), "title"))
    told = {**record, **metadata}
    paper.subjects, paper.doi = subjects_at(told), doi_at(told)
    section: tuple[str, str] | None = None
    for name in _LISTS:
        for where, paragraph in _paragraphs(body, record, name):
            text = text_at(paragraph.get("text"), f"{where}.text")
            title = text_at(paragraph.get("section"), f"{where}.section").strip()
            number = word_at(paragraph.get("sec_num"))
            heading = (name, f"{number} {title}".strip())
            if heading != section:
                paper.section("Abstract" if name == "abstract" and not title else heading[1])
                section = heading
            if _EQUATION.fullmatch(text):
                paper.displayed_formula()
                continue
            spans = spans_at(paragraph.get("cite_spans"), f"{where}.cite_spans", len(text))
            paper.body(_FORMULA.sub(_hole, text), where, [Mark(*span) for span in spans])
    for key, entry in object_at(body.get("bib_entries"), "bib_entries").items():
        paper.entry(_entry(key, object_at(entry, f"bib_entries.{key}")))
    return paper.finish()


def _hole(formula: re.Match[str]) -> str:
    """Return a hole as long as the word that stands for a formula, so that offsets stay."""
    return HOLE.ljust(len(formula[0]))


def subjects_at(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the subjects of a record of any release or of the API."""
    others = _external_ids(record)
    of_acl = (record.get("acl_id"), others.get("acl"), others.get("ACL"))
    of_arxiv = (record.get("arxiv_id"), others.get("arxiv"), others.get("ArXiv"))
    return subjects_of(
        *(words_in(record.get(name), "category") for name in _FIELDS_OF_STUDY),
        [ACL_ANTHOLOGY for identifier in of_acl if word_at(identifier)],
        *map(archive_of, of_arxiv),
        *(words_in(record.get(name), "name") for name in ("venue", "journal")),
    )


def doi_at(record: Mapping[str, Any]) -> str:
    """Return the DOI of a record of any release or of the API, or ""."""
    others = _external_ids(record)
    return doi_of(record.get("doi"), others.get("doi"), others.get("DOI"))


def _external_ids(record: Mapping[str, Any]) -> Mapping[str, Any]:
    ids = record.get("externalids", record.get("externalIds"))
    return ids if isinstance(ids, dict) else {}


def _paragraphs(
    body: Mapping[str, Any], record: Mapping[str, Any], name: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the path of each paragraph, and the paragraph; an abstract may be a plain string."""
    paragraphs = body.get(name)
    if name == "abstract":
        paragraphs = paragraphs or record.get("abstract")
        paragraphs = [{"text": paragraphs}] if isinstance(paragraphs, str) else paragraphs
    if paragraphs is not None and not isinstance(paragraphs, list):
        raise ParseError(f"{name} must be a list, found {kind_of(paragraphs)}")
    return objects_at(paragraphs, name)


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


class _Stretch(NamedTuple):
    start: int
    end: int
    attributes: Mapping[str, Any]


def read_bulk(record: Mapping[str, Any]) -> Paper:
    """Return the paper. Raises ParseError that names the annotation."""
    content = object_at(record.get("content"), "content")
    text = text_at(content.get("text"), "content.text")
    if not text:
        raise ParseError("content.text is empty")
    named = object_at(content.get("annotations"), "content.annotations")

    def stretches(name: str) -> list[_Stretch]:
        return _stretches(named.get(name), f"content.annotations.{name}", len(text))

    paper = PaperBuilder(" ".join(text[stretch.start : stretch.end] for stretch in stretches("title")[:1]))
    bibrefs, headings, entries = (
        stretches("bibref"),
        _apart(stretches("sectionheader")),
        stretches("bibentry"),
    )
    marks = [Mark(bibref.start, bibref.end, word_at(bibref.attributes.get("ref_id"))) for bibref in bibrefs]
    first_reference = entries[0].start if entries else len(text)

    starts = [mark.start for mark in marks]

    def add(stretch: _Stretch, what: str) -> None:
        near = marks[bisect_left(starts, stretch.start) : bisect_left(starts, stretch.end)]
        inside = [mark for mark in near if mark.end <= stretch.end]
        moved = [Mark(mark.start - stretch.start, mark.end - stretch.start, mark.entry) for mark in inside]
        paper.body(text[stretch.start : stretch.end], f"{what}[{stretch.start}:{stretch.end}]", moved)

    if abstracts := _apart(stretches("abstract")):
        paper.section("Abstract", 1)
    for abstract in abstracts:
        add(abstract, "abstract")
    paragraphs = _apart(stretches("paragraph")) or _between(headings, first_reference)
    waiting = deque(headings)
    begun = False
    for paragraph in paragraphs:
        while waiting and waiting[0].end <= paragraph.start:
            heading = waiting.popleft()
            number = word_at(heading.attributes.get("n"))
            paper.section(f"{number} {text[heading.start : heading.end]}".strip())
            begun = True
        if not begun:
            paper.section("")
            begun = True
        add(paragraph, "text")
    for entry in _apart(entries):
        paper.entry(_bulk_entry(entry, text))
    return paper.finish()


def _apart(stretches: Sequence[_Stretch]) -> list[_Stretch]:
    """Return sorted stretches without overlaps, so that together they are no longer than the text."""
    done = 0
    separate = []
    for stretch in stretches:
        start = max(stretch.start, done)
        done = max(stretch.end, done)
        separate.append(stretch._replace(start=start, end=max(stretch.end, start)))
    return separate


def _between(headings: list[_Stretch], end: int) -> list[_Stretch]:
    starts = [heading.end for heading in headings]
    ends = [heading.start for heading in headings[1:]] + [max(end, starts[-1] if starts else 0)]
    return [_Stretch(first, last, {}) for first, last in zip(starts, ends, strict=False) if first < last]


def _stretches(value: Any, where: str, length: int) -> list[_Stretch]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise ParseError(f"{where} is no JSON: {error}") from None
    stretches = []
    for place, stretch in objects_at(value, where):
        start, end = word_at(stretch.get("start")), word_at(stretch.get("end"))
        if not (start.isdecimal() and end.isdecimal() and int(start) <= int(end) <= length):
            raise ParseError(f"{place} = [{start:.20}, {end:.20}] is outside the {length} characters")
        attributes = object_at(stretch.get("attributes"), f"{place}.attributes")
        stretches.append(_Stretch(int(start), int(end), attributes))
    return sorted(stretches, key=lambda stretch: stretch[:2])


def _bulk_entry(entry: _Stretch, text: str) -> BibliographyEntry:
    attributes = entry.attributes
    key = word_at(attributes.get("id")) or f"{entry.start}"
    ids = ids_of(("s2orc", attributes.get("matched_paper_id")), ("doi", attributes.get("doi")))
    return BibliographyEntry(key, text[entry.start : entry.end], word_at(attributes.get("title")), ids=ids)
