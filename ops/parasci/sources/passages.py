"""Abstracts and citing sentences: scientific text that comes without its paper.

Belongs here: the formats, and the op that makes a table of sentences. Not here: whole papers and their
citation marks (ops/parse/papers).

`abstracts`: tables, a row {"id": ..., "abstract": ...}; a row may have more columns, and a month rule may
name them; `categories` are what it is about. `citing_sentences`: a JSON list a cited paper, as ScisummNet
has it in `<paper>/citing_sentences*.json`: {"citing_paper_id": ..., "clean_text": ...} or "raw_text".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ops.identity import row_id
from ops.outcome import Outcome, Row
from ops.parasci.schemas import PASSAGES
from ops.parse import files
from ops.parse.bounded import BoundedFormat
from ops.parse.characters import check_characters
from ops.parse.decoding import json_value, text_at
from ops.parse.papers.subjects import categories_in, subjects_of, words_in
from ops.parse.records import Record, read_each
from ops.parse.source import Format, Only, ParseError, Raw, Source
from ops.parse.tables import Table
from ops.text.sentences import sentence_spans
from ops.text.space import fold


class SourceSentence(NamedTuple):
    """A sentence, the paper that says it, and the paper that it cites."""

    paper: str
    text: str
    cited: str | None = None
    subjects: tuple[str, ...] = ()
    """What the paper is about, as its source says."""


class _Abstracts(Table):
    """Reads tables; every row of every table below the folder is an abstract."""

    def __init__(self) -> None:
        super().__init__(text="abstract", id="id", title="title", date="date", subjects="categories")

    def parse(self, raw: Raw) -> list[SourceSentence]:
        if raw.error is not None:
            raise ParseError(raw.error)
        row = self.row(raw)
        text = fold(text_at(self.needed(raw, row, "text"), "abstract"))
        if not text:
            raise ParseError("no abstract")
        subjects = subjects_of(*map(categories_in, words_in(row.get("subjects"))))
        return [SourceSentence(raw.document, sentence, None, subjects) for sentence in _sentences(text)]


class _CitingSentences:
    """Reads ScisummNet's lists; the cited paper is the folder of the file, other files are passed over."""

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        return files.whole_files(folder, source, (".json",), only, passing=True, document=_cited_paper)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return `document`: the cited paper."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> list[SourceSentence]:
        if raw.error is not None:
            raise ParseError(raw.error)
        found = json_value(raw.content)
        if not isinstance(found, list) or not all(isinstance(citance, dict) for citance in found):
            raise ParseError("no list of citing sentences")
        passages = []
        for number, citance in enumerate(found, 1):
            text = fold(text_at(citance.get("clean_text") or citance.get("raw_text"), "clean_text"))
            paper = text_at(citance.get("citing_paper_id"), "citing_paper_id").strip()
            check_characters(f"{text} {paper}", f"sentence {number}")
            passages.append(SourceSentence(paper or f"{raw.document}#{number}", text, raw.document))
        if not any(passage.text for passage in passages):
            raise ParseError("no citing sentence")
        return passages


FORMATS: dict[str, Format[list[SourceSentence]]] = {
    "abstracts": _Abstracts(),
    "citing_sentences": BoundedFormat(_CitingSentences(), quick=True),
}


def parse_passages(records: Sequence[Record]) -> Outcome:
    """Return the sentences of every record, or the record rejected with file, line and cause.

    Citations without a text in a list of others are counted as `empty`.
    """
    lost: Counter[str] = Counter()

    def rows(record: Record) -> list[Row]:
        found = FORMATS[record.kind].parse(record.raw)
        passages = [passage for passage in found if passage.text]
        if len(passages) < len(found):
            lost["empty"] += len(found) - len(passages)
        check_characters(" ".join(passage.paper for passage in passages), "the name of a paper")
        return [_row(record, place, passage) for place, passage in enumerate(passages)]

    return read_each(records, PASSAGES, rows, lost, formats=FORMATS)


def _row(record: Record, place: int, passage: SourceSentence) -> Row:
    return {
        "id": row_id("passage", record.source, record.raw.document, str(place)),
        "source_ids": [record.id],
        "licence": record.licence,
        "document": record.raw.document,
        "month": record.month,
        "paper": passage.paper,
        "position": place,
        "cited_id": passage.cited,
        "subjects": [*subjects_of(passage.subjects, [record.domain])],
        "text": passage.text,
    }


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def _cited_paper(path: str) -> str:
    place = PurePosixPath(path)
    return place.parent.name or place.stem
