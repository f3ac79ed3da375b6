"""Read texts for comparison: test sets, which examples must not overlap with, and fluent reference texts.

Belongs here: their formats, and one row per text. Not here: the overlap of examples (contamination.py),
training on reference texts (the systems).

Each source in `sources.test_sets` of params.yaml is a test set of that name. It is a folder of plain texts
(`plain_texts`: one text per file), a folder of tables (`texts`: one text per row; `fields: {text: question}`
names the column), or the kept rows of another dataset (`columns`: their texts).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.outcome import NAME, TEXT, TIME, Outcome, Row, Shape, columns, of_role
from silverloom.ops.core.params import Params
from silverloom.ops.parse.decoding import check_characters, decoded, text_at
from silverloom.ops.parse.files import whole_files
from silverloom.ops.parse.records import Record, read_each, row_of
from silverloom.ops.parse.schemas import RECORD
from silverloom.ops.parse.source import AnyFormat, Only, ParseError, Raw, Source
from silverloom.ops.parse.tables import Table

_TEXT = pa.string()

TEST_SETS = Shape(
    unit=RECORD,
    kept=columns(
        ("test_set", _TEXT, "the source in params.yaml: the name of the test set", NAME),
        ("document", _TEXT, "the text's name in its source", NAME),
        ("month", _TEXT, "that params.yaml gives it", TIME),
        ("text", _TEXT, "as in the source", TEXT),
    ),
)


class PlainTexts:
    """Reads plain text: every *.txt file below the folder is a text."""

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document's id is the file's stem."""
        return whole_files(folder, source, (".txt",), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return `document`: the file's stem."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> str:
        """Return the text. Raises ParseError."""
        return decoded(raw.content).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")


class TextTable(Table):
    """Reads tables: every row of every table below the folder has a text."""

    def __init__(self) -> None:
        super().__init__(text="text", id="id", date="date")

    def parse(self, raw: Raw) -> str:
        """Return the text. Raises ParseError naming the column."""
        row = self.row(raw)
        return text_at(self.needed(raw, row, "text"), "text")


class TextColumns(Params):
    """Which columns of a dataset's rows are texts."""

    columns: tuple[str, ...] = Field((), description="by default those that hold the row's text")


@dataclass(frozen=True)
class RowTexts:
    """Reads columns of another dataset's rows; all columns of a row make one text."""

    wanted: tuple[str, ...] = ()
    beside = False
    options = TextColumns

    def given(self, options: TextColumns) -> RowTexts:
        """Return the format with these options."""
        return RowTexts(options.columns)

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns. Raises ValueError if one is missing or holds no text, or without any column."""
        names = list(self.wanted) or list(of_role(kept, "text"))
        for name in names:
            if name not in kept.names or kept.field(name).type != pa.string():
                raise ValueError(f"has no text {name}")
        if not names:
            raise ValueError("has no text")
        return names

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return the texts of a row, one per line."""
        texts = [row[name] for name in self.columns(kept) if row[name]]
        return Raw(row["id"], row["id"], "\n".join(texts).encode())

    def parse(self, raw: Raw) -> str:
        """Return the text. Raises ParseError."""
        return decoded(raw.content)


FORMATS: dict[str, AnyFormat] = {"columns": RowTexts(), "plain_texts": PlainTexts(), "texts": TextTable()}


def parse_test_sets(records: Sequence[Record]) -> Outcome:
    """Return every record as a text, or reject it with file, line and cause; shape TEST_SETS."""

    def rows(record: Record) -> list[Row]:
        text = FORMATS[record.kind].parse(record.raw).strip()
        check_characters(text, "the text")
        if not text:
            raise ParseError("no text")
        return [
            {
                **row_of(record, "test"),
                "test_set": record.source,
                "document": record.raw.document,
                "month": record.month,
                "text": text,
            }
        ]

    return read_each(records, TEST_SETS, rows)
