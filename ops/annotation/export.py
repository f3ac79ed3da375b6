"""What is sent to raters: sheets and tasks of several questionnaires, and how to fill them in.

Belongs here: the files of one sample for all of its raters. Not here: which rows are rated (a system's
rating_sheets.py), how one sheet is laid out (sheets.py, label_studio.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ops.annotation.label_studio import config, tasks
from ops.annotation.questionnaire import Questionnaire
from ops.annotation.rounds import Assigned, RaterParams
from ops.annotation.sheets import csv_sheet

#: The file that says how the others are filled in.
README = "README.md"


def sent_files(
    rows: pa.Table,
    questionnaires: Sequence[Questionnaire],
    params: RaterParams,
    about: str,
    leave_empty: str,
) -> Iterator[tuple[str, bytes]]:
    """Yield the files for all raters, by path: README.md, CSV sheets, tasks for Label Studio, its interface.

    `rows` has the columns `id`, `questionnaire` and what each questionnaire shows. `about` is a heading and
    what raters should know before the questions, `leave_empty` what they leave unanswered; both Markdown.
    """
    yield README, _readme(rows, questionnaires, params, about, leave_empty).encode()
    for questionnaire in questionnaires:
        yield f"label_studio/{questionnaire.name}.xml", config(questionnaire).encode()
        ids = rows.filter(pc.equal(rows["questionnaire"], questionnaire.name))["id"].to_pylist()
        yield from rater_files(rows, questionnaire, params.assigned(ids), params.seed)


def rater_files(
    rows: pa.Table, questionnaire: Questionnaire, assigned: Assigned, seed: int
) -> Iterator[tuple[str, bytes]]:
    """Yield the CSV sheet and the tasks of each rater, with the rows that are theirs, by path."""
    name = questionnaire.name
    for rater, ids in assigned.items():
        own = rows.filter(pc.is_in(rows["id"], pa.array(sorted(ids), pa.string())))
        yield f"sheets/{rater}/{name}.csv", csv_sheet(own, questionnaire, rater, seed)
        yield f"label_studio/{rater}/{name}.json", tasks(own, questionnaire, rater, seed)


def _readme(
    rows: pa.Table,
    questionnaires: Sequence[Questionnaire],
    params: RaterParams,
    about: str,
    leave_empty: str,
) -> str:
    """Return how the sheets are filled in, for people who know nothing of the project."""
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
