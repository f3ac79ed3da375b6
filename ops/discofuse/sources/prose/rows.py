"""Prose of the rows of another dataset: articles, web pages, papers, talks.

Belongs here: a row as a document, and which rows and passages are wanted. Not here: what the running text
of a row is (ops/running_text.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pydantic import Field

from ops.discofuse.sources.prose.document import Document
from ops.outcome import Row, of_role
from ops.params import Params
from ops.parse.characters import check_characters
from ops.parse.records import UnwantedError
from ops.parse.source import ParseError, Raw
from ops.running_text import PARAGRAPH_END, RunningText
from ops.text.space import fold


class RowChoice(Params):
    """Which rows are read, by their columns, and which of their passages: `paragraphs.boilerplate`."""

    below: Mapping[str, float] = Field(default={}, description="a number must be less than this")
    only: Mapping[str, list[str]] = Field(default={}, description="a text must be one of these")
    without: Mapping[str, list[str]] = Field(default={}, description="a text must be none of these")

    @property
    def names(self) -> list[str]:
        """The columns, and the fields of passages, that are looked at."""
        return [*self.below, *self.only, *self.without]

    def refused(self, values: Row, prefix: str = "") -> str | None:
        """Return the first name that is against a row or, by a prefix, a passage; None where nothing is.

        A missing value is neither less than a number nor one of some texts.
        """
        found = {f"{prefix}{name}": value for name, value in values.items()}
        return next(self._against(found), None)

    def _against(self, values: Row) -> Iterator[str]:
        for name in values.keys() & self.below.keys():
            if values[name] is None or values[name] >= self.below[name]:
                yield name
        yield from (name for name in values.keys() & self.only.keys() if values[name] not in self.only[name])
        for name in values.keys() & self.without.keys():
            if values[name] in self.without[name]:
                yield name


EVERYTHING = RowChoice()


@dataclass(frozen=True)
class RowProse:
    """Reads rows that have a text, sentences or a transcript by the roles of their columns."""

    wanted: RowChoice = EVERYTHING
    beside = False
    options = RowChoice

    def given(self, options: RowChoice) -> RowProse:
        """Return the format with these options."""
        return RowProse(options)

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns of text, title and options. Raises ValueError where one is missing."""
        if (text := RunningText.of(kept)) is None:
            raise ValueError("has no text")
        fields = _fields(kept.field(text.passages).type) if text.passages else []
        known = [*kept.names, *(f"{text.passages}.{name}" for name in fields)]
        if missing := sorted({*self.wanted.names} - {*known}):
            raise ValueError(f"has no {missing[0]}")
        return [*text.columns, *of_role(kept, "title"), *({*self.wanted.names} & {*kept.names})]

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return title and paragraphs of a row as JSON; the document is called as the row is."""
        text = RunningText.of(kept)
        assert text is not None, "columns() comes first"
        refused = self.wanted.refused(row)
        paragraphs = [
            paragraph
            for passage in text.read(row)
            if self.wanted.refused(passage.about, f"{text.passages}.") is None
            for paragraph in passage.paragraphs
        ]
        title = next((row[name] for name in of_role(kept, "title") if row[name]), None)
        content = json.dumps({"title": title, "text": PARAGRAPH_END.join(paragraphs)}, ensure_ascii=False)
        against = {"reason": refused, "value": row[refused]} if refused else {}
        return Raw(row["id"], row["id"], content.encode(), companions=against)

    def parse(self, raw: Raw) -> Document:
        """Return the document. Raises ParseError, and UnwantedError for a row that is unwanted or empty."""
        if raw.error is not None:
            raise ParseError(raw.error)
        if raw.companions:
            reason, value = raw.companions["reason"], raw.companions["value"]
            number = value if isinstance(value, (int, float)) else None
            raise UnwantedError(reason, value if isinstance(value, str) else None, number)
        record = json.loads(raw.content)
        title, text = fold(record["title"] or ""), record["text"]
        check_characters(f"{title} {text}", "the text")
        if not text:
            raise UnwantedError("no_text")
        return Document(title or None, "", text)


def _fields(kind: pa.DataType) -> list[str]:
    return [field.name for field in kind.value_type.fields]
