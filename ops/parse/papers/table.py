"""Papers as rows: from records to the datasets sources/papers and sources/citations.

Belongs here: the ops, ids, and rejecting records that cannot be read.
Not here: the formats, and which records belong to a month.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Outcome, Row, Shape
from silverloom.ops.parse.papers.metadata import subjects_of
from silverloom.ops.parse.papers.paper import Paper
from silverloom.ops.parse.records import Record, name_in_source, read_each, readable, row_of, rows_of
from silverloom.ops.parse.schemas import CITATIONS, PAPERS
from silverloom.ops.parse.source import Format, RowFormat
from silverloom.ops.text.words import fold

AnyForm: TypeAlias = Format[Paper] | RowFormat[Paper]


def parse_records(records: Sequence[Record], formats: Mapping[str, AnyForm]) -> Outcome:
    """Return every record as a paper, or rejected with file, line and cause; shape PAPERS.

    Raises KeyError for a kind that is not in `formats`.
    """
    return _each(records, PAPERS, formats, _row)


def parse_citations(records: Sequence[Record], formats: Mapping[str, AnyForm]) -> Outcome:
    """Return the citation marks and bibliography of every record, one row per paper; shape CITATIONS."""
    return _each(records, CITATIONS, formats, _citations)


def _each(
    records: Sequence[Record],
    shape: Shape,
    formats: Mapping[str, AnyForm],
    row: Callable[[Record, AnyForm], Row],
) -> Outcome:
    lost: Counter[str] = Counter()
    return read_each(records, shape, lambda record: rows_of(record, formats[record.kind], row, lost), lost)


def _read(record: Record, form: AnyForm) -> tuple[str, Paper]:
    """Return the id of a record's paper, and the paper."""
    paper = form.parse(readable(record))
    return row_id("paper", record.source, name_in_source(record)), paper


def _row(record: Record, form: AnyForm) -> Row:
    paper_id, paper = _read(record, form)
    return {
        **row_of(record, "paper"),
        "id": paper_id,
        "document": record.raw.document,
        "title": paper.title,
        "month": record.month,
        "subjects": [*subjects_of(paper.subjects, [record.domain])],
        "doi": paper.doi or None,
        "text": paper.text,
        "sections": [{"title": section.title, "role": section.role} for section in paper.sections],
        "sentences": _sentences(paper, paper_id),
    }


def _sentences(paper: Paper, paper_id: str) -> list[dict[str, Any]]:
    """Return the rows of the sentences; ids of a repeated text include its occurrence, counted from 0."""
    occurrences: Counter[str] = Counter()
    rows = []
    for position, one in enumerate(paper.sentences):
        text = fold(paper.text[one.start : one.end])
        rows.append(
            {
                "id": row_id("sentence", paper_id, text, str(occurrences[text])),
                "position": position,
                "section": one.section,
                "start": one.start,
                "end": one.end,
                "locator": one.locator,
                "text": one.text,
                "holes": one.holes,
            }
        )
        occurrences[text] += 1
    return rows


def _citations(record: Record, form: AnyForm) -> Row:
    paper_id, paper = _read(record, form)
    return {
        **row_of(record, "citations"),
        "id": row_id("citations", paper_id),
        "paper_id": paper_id,
        "document": record.raw.document,
        "month": record.month,
        "marks": list(_marks(paper, paper_id)),
        "bibliography": [entry._asdict() for entry in paper.bibliography],
    }


def _marks(paper: Paper, paper_id: str) -> Iterator[Row]:
    """Yield the citation marks, each with the sentence that contains it (the last that begins before it)."""
    entries = {entry.key: entry for entry in paper.bibliography}
    sentences = _sentences(paper, paper_id)
    starts = [sentence["start"] for sentence in sentences]
    occurrences: Counter[tuple[str, str, str]] = Counter()
    for mark in paper.marks:
        index = bisect_right(starts, mark.start) - 1
        inside = index >= 0 and mark.end <= sentences[index]["end"]
        sentence = sentences[index]["id"] if inside else None
        text = fold(paper.text[mark.start : mark.end])
        place = (sentence or paper_id, text, mark.entry)
        entry = entries.get(mark.entry)
        yield {
            "id": row_id("mark", *place, str(occurrences[place])),
            "sentence_id": sentence,
            "section": sentences[index]["section"] if inside else None,
            "start": mark.start,
            "end": mark.end,
            "text": text,
            "entry": mark.entry or None,
            "cited_id": next(iter(entry.ids), None) if entry else None,
            "cited_title": entry.title or None if entry else None,
        }
        occurrences[place] += 1
