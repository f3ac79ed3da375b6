"""The running text of a row, found by the roles of its columns.

Belongs here: which columns hold the text, and how it divides into passages. Not here: its use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow as pa

from silverloom.ops.core.outcome import HOLES, TEXT, TRANSCRIPT, Role, Row, of_role, role
from silverloom.ops.text.holes import HOLE, opened
from silverloom.ops.text.words import fold

#: Separates two paragraphs of a text.
PARAGRAPH_END = "\n\n"


class Passage(NamedTuple):
    """A part of a text: a section of an article or a paper, a paragraph of a page, or all of it."""

    paragraphs: list[str]
    """One line each, none empty."""
    about: Row
    """The row's fields for the passage; empty for a whole text."""


class RunningText(NamedTuple):
    """The columns that hold the running text of a row."""

    column: pa.Field
    passages: str | None
    """The column with the list of passages."""
    holes: str | None = None
    """The column with the places of holes in the text, or with their number."""

    @classmethod
    def of(cls, schema: pa.Schema) -> RunningText | None:
        """Return the text columns of rows with this schema, None if no role marks a text.

        A list of sentences is preferred to a text, which may also contain headings and page numbers, and a
        text to a transcript.
        """
        for field in schema:
            if TEXT in (roles := _roles_within(field)):
                details = (inner.detail for inner in roles if inner.name == "passage")
                return cls(field, next(details, None))
        for column in of_role(schema, "text"):
            passages, holes = (next(iter(of_role(schema, name)), None) for name in ("passages", "holes"))
            return cls(schema.field(column), passages, holes)
        for column in of_role(schema, "transcript"):
            return cls(schema.field(column), None)
        return None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [name for name in (self.column.name, self.passages, self.holes) if name]

    def read(self, row: Row) -> Iterator[Passage]:
        """Yield the passages of a row, with the signs of holes (ops/text/holes.py).

        The sentences of a passage, or a transcript, form one paragraph.
        """
        value: Any = row[self.column.name] or ()
        about = (row[self.passages] or ()) if self.passages else ()
        if roles := _roles_within(self.column):
            index = next((roles[inner] for inner in roles if inner.name == "passage"), None)
            for place, sentences in groupby(value, lambda sentence: sentence[index] if index else None):
                text = " ".join(_opened(sentence, roles) for sentence in sentences)
                yield Passage(_folded([text]), about[place] if about else {})
        elif role(self.column) == TRANSCRIPT:
            yield Passage(_folded([" ".join(word["text"] for word in value)]), {})
        elif value:
            holes = (row[self.holes] or ()) if self.holes else ()
            holes = [0] * holes if isinstance(holes, int) else holes
            parts: Sequence[Row] = about or ({},)
            for part in parts:
                start, end = part.get("start", 0), part.get("end", len(value))
                places = [hole - start for hole in holes if start <= hole <= end]
                text = opened(value[start:end], places)
                yield Passage(_folded(text.split(PARAGRAPH_END)), part)


def _folded(paragraphs: list[str]) -> list[str]:
    return [paragraph for paragraph in map(fold, paragraphs) if paragraph]


def _opened(sentence: Row, roles: dict[Role, str]) -> str:
    """Return a sentence with as many signs of holes as it has holes, whose places are not known."""
    holes = (sentence.get(roles[HOLES]) or 0) if HOLES in roles else 0
    return HOLE * holes + (sentence[roles[TEXT]] or "")


def _roles_within(field: pa.Field) -> dict[Role, str]:
    """Return the fields of a list of sentences by their roles; empty for any other column."""
    if not (pa.types.is_list(field.type) and pa.types.is_struct(field.type.value_type)):
        return {}
    roles = {known: inner.name for inner in field.type.value_type.fields if (known := role(inner))}
    return roles if TEXT in roles else {}
