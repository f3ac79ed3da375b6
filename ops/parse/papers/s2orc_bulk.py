"""S2ORC as its bulk API gives it: one text, and annotations that say what its stretches are.

Belongs here: this shape. Not here: walking shards, and the older shapes (s2orc.py).

A record is {"corpusid", "externalids", "content": {"text", "annotations": {"title", "abstract",
"sectionheader", "paragraph", "bibref", "bibentry", ...}}}; an annotation is a list of {"start", "end",
"attributes"}, mostly written as JSON within the JSON. Where there are no paragraphs, what lies between two
headings is one. Stretches of one annotation lie apart: of one that begins within another, the rest counts. A
mark belongs to the first paragraph that holds it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ops.parse.decoding import text_at
from ops.parse.papers.json_shapes import ids_of, object_at, objects_at, word_at
from ops.parse.papers.paper import BibliographyEntry, Mark, Paper, PaperBuilder
from ops.parse.source import ParseError


class _Stretch(NamedTuple):
    start: int
    end: int
    attributes: Mapping[str, Any]


def read(record: Mapping[str, Any]) -> Paper:
    """Return the paper. Raises ParseError that names the annotation."""
    content = object_at(record.get("content"), "content")
    text = text_at(content.get("text"), "content.text")
    if not text:
        raise ParseError("content.text is empty")
    named = object_at(content.get("annotations"), "content.annotations")

    def stretches(name: str) -> list[_Stretch]:
        return _stretches(named.get(name), f"content.annotations.{name}", len(text))

    paper = PaperBuilder(" ".join(text[found.start : found.end] for found in stretches("title")[:1]))
    bibrefs, headings, entries = (
        stretches("bibref"),
        _apart(stretches("sectionheader")),
        stretches("bibentry"),
    )
    marks = [Mark(found.start, found.end, word_at(found.attributes.get("ref_id"))) for found in bibrefs]
    first_reference = entries[0].start if entries else len(text)

    def add(found: _Stretch, what: str, inside: Sequence[Mark]) -> None:
        moved = [Mark(mark.start - found.start, mark.end - found.start, mark.entry) for mark in inside]
        paper.body(text[found.start : found.end], f"{what}[{found.start}:{found.end}]", moved)

    for index, (abstract, inside) in enumerate(_with_marks(_apart(stretches("abstract")), marks)):
        if index == 0:
            paper.section("Abstract", 1)
        add(abstract, "abstract", inside)
    paragraphs = _apart(stretches("paragraph")) or _between(headings, first_reference)
    waiting = deque(headings)
    begun = False
    for paragraph, inside in _with_marks(paragraphs, marks):
        while waiting and waiting[0].end <= paragraph.start:
            heading = waiting.popleft()
            number = word_at(heading.attributes.get("n"))
            paper.section(f"{number} {text[heading.start : heading.end]}".strip())
            begun = True
        if not begun:
            paper.section("")
            begun = True
        add(paragraph, "text", inside)
    for found in _apart(entries):
        paper.entry(_entry(found, text))
    return paper.finish()


def _apart(stretches: Sequence[_Stretch]) -> list[_Stretch]:
    """Return sorted stretches as they lie apart: together they are no longer than the text."""
    done = 0
    found = []
    for stretch in stretches:
        start = max(stretch.start, done)
        done = max(stretch.end, done)
        found.append(stretch._replace(start=start, end=max(stretch.end, start)))
    return found


def _with_marks(
    stretches: Sequence[_Stretch], marks: Sequence[Mark]
) -> Iterator[tuple[_Stretch, list[Mark]]]:
    """Yield stretches that lie apart, each with the marks within it; every mark is looked at once."""
    place = 0
    for stretch in stretches:
        inside = []
        while place < len(marks) and (marks[place].start < stretch.end or marks[place].end <= stretch.end):
            if stretch.start <= marks[place].start and marks[place].end <= stretch.end:
                inside.append(marks[place])
            place += 1
        yield stretch, inside


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
    found = []
    for place, stretch in objects_at(value, where):
        start, end = word_at(stretch.get("start")), word_at(stretch.get("end"))
        if not (start.isdecimal() and end.isdecimal() and int(start) <= int(end) <= length):
            raise ParseError(f"{place} = [{start:.20}, {end:.20}] lies outside of the {length} characters")
        attributes = object_at(stretch.get("attributes"), f"{place}.attributes")
        found.append(_Stretch(int(start), int(end), attributes))
    return sorted(found, key=lambda stretch: stretch[:2])


def _entry(found: _Stretch, text: str) -> BibliographyEntry:
    attributes = found.attributes
    key = word_at(attributes.get("id")) or f"{found.start}"
    ids = ids_of(("s2orc", attributes.get("matched_paper_id")), ("doi", attributes.get("doi")))
    return BibliographyEntry(key, text[found.start : found.end], word_at(attributes.get("title")), ids=ids)
