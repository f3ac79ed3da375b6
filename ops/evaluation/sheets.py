"""Files for raters: CSV sheets for spreadsheets, tasks for Label Studio, and instructions.

Belongs here: all files that raters get for one sample, and how the cells of a sheet are written and read. Not
here: which rows are rated (ops/<system>/evaluation/human_evaluation.py), reading filled sheets (answers.py).

A sheet has the columns `questionnaire`, `rater` and `row_id`, the columns that raters read, and for each
question `question: <name>` (wording and allowed values) and `answer: <name>`, which the rater fills in. Label
Studio imports a list of `{"data": {...}}`, whose values its configuration refers to as `$name`. It exports a
choice under the choice's `alias`, if there is one (labelstud.io/tags/choice).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.ops.core.sampling import drawn
from silverloom.ops.evaluation.questionnaire import Questionnaire
from silverloom.ops.evaluation.raters import Assigned, RaterParams
from silverloom.ops.text.words import fold

KEYS = ("questionnaire", "rater", "row_id")
ANSWER_COLUMN = "answer: "
QUESTION_COLUMN = "question: "


#: Characters that make a spreadsheet read a cell as a formula, including their full-width forms.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "'")


#: The file with the instructions for raters.
README = "README.md"


def sent_files(
    rows: pa.Table,
    questionnaires: Sequence[Questionnaire],
    params: RaterParams,
    about: str,
    leave_empty: str,
) -> Iterator[tuple[str, bytes]]:
    """Yield all files for raters by path: README.md, CSV sheets, Label Studio's tasks and interface.

    `rows` has the columns `id`, `questionnaire` and those that each questionnaire shows. `about` is a heading
    and what raters should know before the questions; `leave_empty` is what they leave unanswered. Both are
    Markdown.
    """
    yield README, _readme(rows, questionnaires, params, about, leave_empty).encode()
    for questionnaire in questionnaires:
        yield f"label_studio/{questionnaire.name}.xml", label_studio_config(questionnaire).encode()
        ids = rows.filter(pc.equal(rows["questionnaire"], questionnaire.name))["id"].to_pylist()
        yield from rater_files(rows, questionnaire, params.assigned(ids), params.seed)


def rater_files(
    rows: pa.Table, questionnaire: Questionnaire, assigned: Assigned, seed: int
) -> Iterator[tuple[str, bytes]]:
    """Yield the CSV sheet and the tasks of each rater by path, with the rows assigned to that rater."""
    name = questionnaire.name
    for rater, ids in assigned.items():
        own = rows.filter(pc.is_in(rows["id"], pa.array(sorted(ids), pa.string())))
        yield f"sheets/{rater}/{name}.csv", csv_sheet(own, questionnaire, rater, seed)
        yield f"label_studio/{rater}/{name}.json", label_studio_tasks(own, questionnaire, rater, seed)


def csv_sheet(rows: pa.Table, questionnaire: Questionnaire, rater: str, seed: int) -> bytes:
    """Return the sheet of one rater as CSV: UTF-8 with a byte order mark, every cell quoted, CRLF.

    `rows` has the columns `id` and `questionnaire.shown`; white space in texts is folded. Raises KeyError for
    a missing column, ValueError for a rater without a name.
    """
    if rater != fold(rater) or not rater:
        raise ValueError(f"a rater needs a name without white space around it, found {rater!r}")
    asked = [(QUESTION_COLUMN + q.name, ANSWER_COLUMN + q.name, q.wording) for q in questionnaire.questions]
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


def guarded(text: str) -> str:
    """Return the text, with an apostrophe before it if a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def unguarded(cell: str) -> str:
    """Return the text of a cell without the apostrophe of `guarded`, which a spreadsheet may have removed."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def ordered(rows: pa.Table, rater: str, seed: int) -> pa.Table:
    """Return the rows in the rater's own random order, drawn by seed, rater and row id."""
    ids = rows["id"].to_pylist()
    return rows.take(
        pa.array(sorted(range(len(ids)), key=lambda row: drawn(seed, rater, ids[row])), pa.int64())
    )


def shown_text(value: object) -> str:
    """Return a value as raters read it: white space folded, empty if missing."""
    return "" if value is None else fold(str(value).replace("\x00", " "))


def label_studio_config(questionnaire: Questionnaire) -> str:
    """Return the labelling configuration: the shown columns, then one required choice per question."""
    view = ElementTree.Element("View")
    for name in questionnaire.shown:
        ElementTree.SubElement(view, "Header", value=name)
        ElementTree.SubElement(view, "Text", name=name, value=f"${name}")
    for question in questionnaire.questions:
        ElementTree.SubElement(view, "Header", value=question.text)
        about = {"name": question.name, "toName": questionnaire.shown[-1]}
        choices = ElementTree.SubElement(view, "Choices", about, choice="single-radio", required="true")
        for value in question.scale.values:
            ElementTree.SubElement(choices, "Choice", value=question.scale.shown(value), alias=value)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def label_studio_tasks(rows: pa.Table, questionnaire: Questionnaire, rater: str, seed: int) -> bytes:
    """Return the tasks of one rater as JSON, in the order of the rater's CSV sheet.

    Raises KeyError for a missing column.
    """
    tasks = []
    for row in ordered(rows.select(["id", *questionnaire.shown]), rater, seed).to_pylist():
        shown = {name: shown_text(row[name]) for name in questionnaire.shown}
        keys = {"questionnaire": questionnaire.name, "rater": rater, "row_id": row["id"]}
        tasks.append({"data": {**keys, **shown}})
    return (json.dumps(tasks, ensure_ascii=False, indent=1) + "\n").encode()


def _readme(
    rows: pa.Table,
    questionnaires: Sequence[Questionnaire],
    params: RaterParams,
    about: str,
    leave_empty: str,
) -> str:
    """Return the instructions for raters, who know nothing about the project."""
    counts = [
        pc.sum(pc.equal(rows["questionnaire"], questionnaire.name)).as_py() or 0
        for questionnaire in questionnaires
    ]
    asked = "\n".join(
        f"- `{questionnaire.name}` ({count} rows): {question.wording}"
        for questionnaire, count in zip(questionnaires, counts, strict=True)
        for question in questionnaire.questions
    )
    several = f" Each row goes to {params.per_row} of them." if params.raters_per_row else ""
    return f"""\
{about}

{asked}

Raters: {", ".join(params.raters)}.{several} Each rates alone and has an order of the rows of their own.

## In a spreadsheet

1. Open the files in `sheets/<your name>/`: UTF-8, separated by commas, all columns as text.
2. Fill in the column `answer: ...`; the allowed answers stand beside it. Leave empty what you cannot judge,
   {leave_empty}
3. Change nothing else, neither texts nor ids; the order of the rows does not matter.
4. Save as CSV in UTF-8 (commas, semicolons and tabs are all understood).

## In Label Studio

1. Make a project for each questionnaire; paste `label_studio/<questionnaire>.xml` as its labelling interface.
2. Import `label_studio/<your name>/<questionnaire>.json`, answer, and export as JSON.

Give the filled sheets and exports back: they go into one folder, one folder a rater.
"""
