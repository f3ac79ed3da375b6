"""Papers as rows: from records to the dataset sources/papers.

Belongs here: the op, ids, and what becomes of a record that cannot be read.
Not here: the formats, and which records a month has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ops.identity import row_id
from ops.outcome import Outcome, Row
from ops.parse.characters import check_characters
from ops.parse.papers.paper import Paper
from ops.parse.records import Record, read_each
from ops.parse.schemas import PAPERS
from ops.parse.source import Format, ParseError
from ops.text.space import fold


def parse_records(records: Sequence[Record], formats: Mapping[str, Format[Paper]]) -> Outcome:
    """Return every record as a paper, or rejected with file, line and cause; shape PAPERS.

    Raises KeyError for a kind that `formats` does not have.
    """
    return read_each(records, PAPERS, lambda record: [_row(record, formats[record.kind])])


def _row(record: Record, form: Format[Paper]) -> Row:
    if record.raw.error is not None:
        raise ParseError(record.raw.error)
    if record.month is None:
        raise ParseError("its month of publication could not be told")
    check_characters(record.raw.document, "the document id")
    paper = form.parse(record.raw)
    paper_id = row_id("paper", record.source, record.raw.document)
    return {
        "id": paper_id,
        "source_ids": [record.id],
        "licence": record.licence,
        "document": record.raw.document,
        "title": paper.title,
        "month": record.month,
        "text": paper.text,
        "sections": [{"title": section.title, "role": section.role} for section in paper.sections],
        "sentences": _sentences(paper, paper_id),
    }


def _sentences(paper: Paper, paper_id: str) -> list[dict[str, Any]]:
    """Return the rows of the sentences; a text that recurs is told apart by its occurrence, from 0."""
    occurrences: Counter[str] = Counter()
    rows = []
    for position, one in enumerate(paper.sentences):
        found = fold(paper.text[one.start : one.end])
        rows.append(
            {
                "id": row_id("sentence", paper_id, found, str(occurrences[found])),
                "position": position,
                "section": one.section,
                "start": one.start,
                "end": one.end,
                "locator": one.locator,
                "text": one.text,
            }
        )
        occurrences[found] += 1
    return rows
