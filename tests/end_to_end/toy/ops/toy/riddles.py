"""Riddles: a file of lines `question? answer`, and the op that makes a table of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Outcome, Row, Shape, columns
from silverloom.ops.parse.decoding import decoded
from silverloom.ops.parse.lines import lines_of_files
from silverloom.ops.parse.records import Record, read_each
from silverloom.ops.parse.schemas import RECORD
from silverloom.ops.parse.source import Format, Only, ParseError, Raw, Source

RIDDLES = Shape(
    unit=RECORD,
    kept=columns(
        ("document", pa.string(), "file and line"),
        ("month", pa.string(), "of the source, YYYY-MM"),
        ("question", pa.string(), "with its question mark"),
        ("answer", pa.string(), "in a word or two"),
    ),
)


class _Lines:
    """A folder of *.txt files, a riddle a line."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        return lines_of_files(folder, source, (".txt",), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        return {"document": raw.document}

    def parse(self, raw: Raw) -> tuple[str, str]:
        if raw.error is not None:
            raise ParseError(raw.error)
        question, mark, answer = decoded(raw.content).partition("?")
        if not mark or not answer.strip():
            raise ParseError("no question with its answer")
        return question + mark, answer.strip()


FORMATS: dict[str, Format[tuple[str, str]]] = {"riddle_lines": _Lines()}


def parse_riddles(records: Sequence[Record]) -> Outcome:
    """Return every line as a riddle, or rejected with file, line and cause."""

    def rows(record: Record) -> list[Row]:
        question, answer = FORMATS[record.kind].parse(record.raw)
        return [
            {
                "id": row_id("riddle", record.source, record.raw.document),
                "source_ids": [record.id],
                "licence": record.licence,
                "document": record.raw.document,
                "month": record.month,
                "question": question,
                "answer": answer,
            }
        ]

    return read_each(records, RIDDLES, rows)
