"""The running text of a row, told by the roles of its columns.

Belongs here: which columns hold it, and its paragraphs. Not here: what is made of it.
"""

from __future__ import annotations

from itertools import groupby

import pyarrow as pa

from ops.outcome import PASSAGE, TEXT, TRANSCRIPT, Row, role
from ops.text.space import fold

#: Between two paragraphs of a text.
PARAGRAPH_END = "\n\n"


def text_column(schema: pa.Schema) -> pa.Field | None:
    """Return the column that holds the running text of a row, None where no role tells of one.

    A list of sentences goes before a text, which may have headings and page numbers as well, and a text
    before a transcript.
    """
    for holds in (_sentence_fields, _is_text, _is_transcript):
        if found := next(filter(holds, schema), None):
            return found
    return None


def paragraphs(row: Row, column: pa.Field) -> list[str]:
    """Return the paragraphs of a row's text, `column` being that of `text_column`; each one line, none empty.

    Sentences of one passage are a paragraph, and so is a transcript.
    """
    value = row[column.name] or ()
    if fields := _sentence_fields(column):
        text, passage = fields
        groups = groupby(value, lambda sentence: passage and sentence[passage])
        found = [" ".join(sentence[text] or "" for sentence in group) for _, group in groups]
    elif _is_transcript(column):
        found = [" ".join(word["text"] for word in value)]
    else:
        found = (value or "").split(PARAGRAPH_END)
    return [paragraph for paragraph in map(fold, found) if paragraph]


def _sentence_fields(column: pa.Field) -> tuple[str, str | None] | None:
    """Return the fields of a list of sentences: their text, and their passage where they have one."""
    if not (pa.types.is_list(column.type) and pa.types.is_struct(column.type.value_type)):
        return None
    inner = {role(field): field.name for field in column.type.value_type.fields}
    return (inner[TEXT], inner.get(PASSAGE)) if TEXT in inner else None


def _is_text(column: pa.Field) -> bool:
    return role(column) == TEXT and pa.types.is_string(column.type)


def _is_transcript(column: pa.Field) -> bool:
    return role(column) == TRANSCRIPT
