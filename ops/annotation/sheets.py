"""Rating sheets as CSV, for spreadsheets.

Belongs here: writing a sheet, and its cells as they are written and read. Not here: what is wrong with an
answer (ratings.py), Label Studio.

A sheet has the columns `questionnaire`, `rater`, `row_id`, those that raters read, and for each question
`question: <name>` (wording and allowed values) and `answer: <name>`, which is to be filled in.
"""

from __future__ import annotations

import csv
import io

import pyarrow as pa

from ops.annotation.questionnaire import Questionnaire
from ops.core.sampling import drawn
from ops.text.space import fold

KEYS = ("questionnaire", "rater", "row_id")
ANSWER = "answer: "
QUESTION = "question: "

#: What a spreadsheet takes for the beginning of a formula, also in its full-width form.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "'")


def guarded(text: str) -> str:
    """Return a text that no spreadsheet runs as a formula: one gets an apostrophe, as does an apostrophe."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def unguarded(cell: str) -> str:
    """Return the text of a cell: what `guarded` made is undone; a spreadsheet may have done so already."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def ordered(rows: pa.Table, rater: str, seed: int) -> pa.Table:
    """Return rows in a rater's own random order, drawn by seed, rater and row id."""
    ids = rows["id"].to_pylist()
    return rows.take(
        pa.array(sorted(range(len(ids)), key=lambda row: drawn(seed, rater, ids[row])), pa.int64())
    )


def csv_sheet(rows: pa.Table, questionnaire: Questionnaire, rater: str, seed: int) -> bytes:
    """Return the sheet of one rater as CSV: UTF-8 with a byte order mark, every cell quoted, CRLF.

    `rows` has the columns `id` and `questionnaire.shown`; white space in texts is folded. Raises KeyError for
    a column that is not there, ValueError for a rater without a name.
    """
    if rater != fold(rater) or not rater:
        raise ValueError(f"a rater needs a name without white space around it, found {rater!r}")
    asked = [(QUESTION + q.name, ANSWER + q.name, q.wording) for q in questionnaire.questions]
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow([*KEYS, *questionnaire.shown, *(name for pair in asked for name in pair[:2])])
    for row in ordered(rows.select(["id", *questionnaire.shown]), rater, seed).to_pylist():
        shown = [shown_text(row[name]) for name in questionnaire.shown]
        cells = [questionnaire.name, rater, row["id"], *shown]
        for _, _, wording in asked:
            cells += [wording, ""]
        writer.writerow([guarded(cell) for cell in cells])
    return text.getvalue().encode("utf-8-sig")


def shown_text(value: object) -> str:
    """Return a value of a row as raters read it: white space folded, nothing where it is missing."""
    return "" if value is None else fold(str(value).replace("\x00", " "))
