"""Read filled sheets, and decide which answers are valid.

Belongs here: reading CSV sheets and the JSON export of Label Studio into answers (`parse_answers`), and
comparing these with the questionnaire and the rows that were sent out (`validate`). Not here: writing sheets
(sheets.py), votes and agreement (agreement.py).

`silverloom.ops.parse.files` reads the files, up to the source's `max_bytes`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from silverloom.ops.core.identity import made_from_several, row_id
from silverloom.ops.core.outcome import Outcome, Row, Shape, columns, optional, reject, struct
from silverloom.ops.evaluation.questionnaire import Questionnaire
from silverloom.ops.evaluation.sheets import ANSWER_COLUMN, KEYS, QUESTION_COLUMN, shown_text, unguarded
from silverloom.ops.parse import files
from silverloom.ops.parse.bounded import BoundedFormat
from silverloom.ops.parse.decoding import check_characters, csv_rows, decoded, json_value, kind_of
from silverloom.ops.parse.records import Record, read_each, row_of
from silverloom.ops.parse.schemas import RECORD
from silverloom.ops.parse.source import Format, Only, ParseError, Raw, Source
from silverloom.ops.text.words import fold

_TEXT = pa.string()


_ANSWER = columns(
    ("file", _TEXT, "the filled sheet: name of the source, then the file below its folder"),
    ("place", _TEXT, 'where in it: "line 3", "task 7"'),
    optional("questionnaire", _TEXT, "its name"),
    optional("rater", _TEXT, "who answered"),
    ("row_id", _TEXT, "the row that was rated"),
    optional("question", _TEXT, "its name"),
    optional("answer", _TEXT, "as given; null where the rater gave no answer"),
    (
        "shown",
        pa.list_(struct(("column", _TEXT, "of the row"), ("text", _TEXT, "as in the sheet"))),
        "what the sheet shows of the row",
    ),
)


#: The answers in filled sheets, before they are compared with the questions.
ANSWERS = Shape(unit=RECORD, kept=_ANSWER)


#: Valid answers.
RATINGS = Shape(
    unit=_ANSWER,
    kept=columns(
        ("questionnaire", _TEXT, "its name"),
        ("rater", _TEXT, "who answered"),
        ("row_id", _TEXT, "the row that was rated"),
        ("question", _TEXT, "its name"),
        ("value", _TEXT, "of the question's scale"),
    ),
)


_MOST_SHOWN = 2**27


class Answer(NamedTuple):
    """One answer of one rater to one question about one row, exactly as in the file."""

    place: str
    questionnaire: str
    rater: str
    row_id: str
    question: str
    answer: str | None
    shown: Mapping[str, str]


class _RatingSheets:
    """A folder of filled sheets: *.csv written by `csv_sheet`, *.json exported by Label Studio."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        return files.whole_files(folder, source, (".csv", ".json"), only, document=lambda path: path)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        return {"document": raw.document}

    def parse(self, raw: Raw) -> Sequence[Answer]:
        if raw.path.lower().endswith(".csv"):
            text = decoded(raw.content)
            check_characters(text, "the file")
            return list(_bounded(_of_sheet(text)))
        return list(_bounded(_of_export(raw.content)))


FORMATS: dict[str, Format[Sequence[Answer]]] = {"rating_sheets": BoundedFormat(_RatingSheets(), quick=True)}


def parse_answers(records: Sequence[Record]) -> Outcome:
    """Return every answer of every filled sheet; reject a file that is not a sheet, with line and cause."""

    def rows(record: Record) -> list[Row]:
        answers = FORMATS[record.kind].parse(record.raw)
        if not answers:
            raise ParseError("no answer in it")
        return [_row(record, index, answer) for index, answer in enumerate(answers)]

    return read_each(records, ANSWERS, rows)


def validate(answers: pa.Table, rows: pa.Table, questionnaire: Questionnaire) -> Outcome:
    """Return every answer as a rating, or reject it with file, place and cause; shape RATINGS.

    `rows` is the sample: `id`, `licence` and the shown columns. An answer is rejected if it is for another
    questionnaire or an unknown row or question, if its row's text differs from the text sent out (white space
    aside), if it is empty or outside the scale, or if the rater has already answered this question about this
    row: the first answer in the table stays. Raises KeyError for a column that `rows` does not have.
    """
    wanted = {row["id"]: row for row in rows.select(["id", "licence", *questionnaire.shown]).to_pylist()}
    kept: list[Row] = []
    rejected: list[Row] = []
    first: dict[tuple[str, str, str], str] = {}
    units = answers.to_pylist()
    for unit in units:
        cause = _fault(unit, wanted, questionnaire)
        key = (unit["rater"], unit["row_id"], unit["question"])
        place = f"{unit['file']}, {unit['place']}"
        if cause is None and key in first:
            cause = f"{unit['rater']} has answered it already: {first[key]}"
        if cause is not None:
            about = f"row {unit['row_id']!r}, question {unit['question']!r}"
            rejected.append(reject(unit, f"{place}: {about}: {cause}"))
            continue
        first[key] = place
        kept.append(_rating(unit, wanted[unit["row_id"]], questionnaire))
    return Outcome.of(RATINGS, [unit["id"] for unit in units], kept, rejected=rejected)


def _bounded(answers: Iterator[Answer]) -> Iterator[Answer]:
    """Yield the answers. Raises ParseError if their texts, repeated for every answer, are too long in all."""
    shown = 0
    for answer in answers:
        shown += sum(len(name) + len(text) + 1 for name, text in answer.shown.items())
        if shown > _MOST_SHOWN:
            raise ParseError(f"its answers repeat what they show to more than {_MOST_SHOWN} characters")
        yield answer


def _of_sheet(text: str) -> Iterator[Answer]:
    for line, cells in csv_rows(text, _header):
        yield from _of_line(f"line {line}", {name: unguarded(cell) for name, cell in cells.items()})


def _header(cells: Sequence[str], line: int) -> list[str]:
    names = [fold(cell) for cell in cells]
    if missing := [name for name in KEYS if name not in names]:
        raise ParseError(f"line {line}: the header has no column {', '.join(missing)}")
    if twice := sorted(name for name, count in Counter(names).items() if name and count > 1):
        raise ParseError(f"line {line}: the header has the column {twice[0]} twice")
    if not any(name.startswith(ANSWER_COLUMN) for name in names):
        raise ParseError(f"line {line}: the header has no column that begins with {ANSWER_COLUMN!r}")
    return names


def _of_line(place: str, cells: Mapping[str, str]) -> Iterator[Answer]:
    questionnaire, rater, row = (fold(cells[name]) for name in KEYS)
    shown = {
        name: text
        for name, text in cells.items()
        if name not in KEYS and not name.startswith((ANSWER_COLUMN, QUESTION_COLUMN))
    }
    for name, cell in cells.items():
        if name.startswith(ANSWER_COLUMN):
            question = name.removeprefix(ANSWER_COLUMN)
            yield Answer(place, questionnaire, rater, row, question, fold(cell) or None, shown)


def _of_export(content: bytes) -> Iterator[Answer]:
    tasks = json_value(content)
    if not isinstance(tasks, list):
        raise ParseError(f"expected a list of tasks, found {kind_of(tasks)}")
    for number, task in enumerate(tasks, start=1):
        place = f"task {number}"
        data = task.get("data") if isinstance(task, dict) else None
        if not isinstance(data, dict) or not isinstance(task.get("annotations"), list):
            raise ParseError(f"{place}: needs an object `data` and a list `annotations`")
        for annotation in task["annotations"]:
            if not isinstance(annotation, dict) or not isinstance(annotation.get("result"), list):
                raise ParseError(f"{place}: an annotation needs a list `result`")
            if not annotation.get("was_cancelled"):
                yield from _of_annotation(place, data, annotation)


def _of_annotation(place: str, data: Mapping[str, Any], annotation: Mapping[str, Any]) -> Iterator[Answer]:
    texts = {_text(name): _text(value) for name, value in data.items()}
    by = annotation.get("completed_by")
    person = by.get("email") or by.get("id") if isinstance(by, dict) else by
    rater = fold(texts.get("rater", "")) or f"user {_text(str(person))}"
    keys = (fold(texts.get("questionnaire", "")), rater, fold(texts.get("row_id", "")))
    shown = {name: text for name, text in texts.items() if name not in KEYS}
    for result in annotation["result"]:
        value = result.get("value") if isinstance(result, dict) else None
        if not isinstance(value, dict) or not isinstance(result.get("from_name"), str):
            raise ParseError(f"{place}: a result needs a text `from_name` and an object `value`")
        given = value.get("choices", value.get("rating"))
        said = given if isinstance(given, list) else [] if given is None else [given]
        yield Answer(place, *keys, _text(result["from_name"]), " and ".join(map(_text, said)) or None, shown)
    if not annotation["result"]:
        yield Answer(place, *keys, "", None, shown)


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    check_characters(text, "the file")
    return text


def _row(record: Record, index: int, answer: Answer) -> Row:
    return {
        **answer._asdict(),
        **row_of(record, "answer"),
        "id": row_id("answer", record.id, str(index), *answer[:5]),
        "file": f"{record.source}/{record.raw.path}",
        "shown": [{"column": name, "text": text} for name, text in answer.shown.items()],
    }


def _fault(unit: Row, wanted: Mapping[str, Row], questionnaire: Questionnaire) -> str | None:
    """Return what is wrong with an answer, None if nothing is."""
    if unit["questionnaire"] != questionnaire.name:
        return f"the questionnaire is {unit['questionnaire']!r}, expected {questionnaire.name!r}"
    if unit["row_id"] not in wanted:
        return "no such row was sent out"
    question = questionnaire.question(unit["question"])
    if question is None:
        known = ", ".join(question.name for question in questionnaire.questions)
        return f"no such question; known: {known}" if unit["question"] else "nothing is answered"
    if not unit["rater"]:
        return "it names no rater"
    there = {cell["column"]: shown_text(cell["text"]) for cell in unit["shown"]}
    sent = wanted[unit["row_id"]]
    for name in questionnaire.shown:
        if there.get(name) != shown_text(sent[name]):
            return f"the text in column {name} is not the one that was sent out"
    if unit["answer"] is None:
        return "no answer"
    if question.scale.value_of(unit["answer"]) is None:
        return f"{unit['answer'][:40]!r} is none of {', '.join(question.scale.values)}"
    return None


def _rating(unit: Row, row: Row, questionnaire: Questionnaire) -> Row:
    question = questionnaire.question(unit["question"])
    assert question is not None
    return {
        **made_from_several(
            [unit, row], "rating", questionnaire.name, unit["rater"], unit["row_id"], unit["question"]
        ),
        "questionnaire": questionnaire.name,
        "rater": unit["rater"],
        "row_id": unit["row_id"],
        "question": unit["question"],
        "value": question.scale.value_of(unit["answer"]),
    }
