"""Filled sheets: what they say.

Belongs here: reading CSV sheets and the JSON export of Label Studio into answers. Not here: whether an answer
is sound (ratings.py).

Files are read by `ops.parse.files`, bounded by the source's `max_bytes`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ops.annotation.schemas import ANSWERS
from ops.annotation.sheets import ANSWER, KEYS, QUESTION, unguarded
from ops.identity import row_id
from ops.outcome import Outcome, Row
from ops.parse import files
from ops.parse.bounded import BoundedFormat
from ops.parse.characters import check_characters
from ops.parse.csv_rows import csv_rows
from ops.parse.decoding import decoded, json_value, kind_of
from ops.parse.records import Record, read_each
from ops.parse.source import Format, Only, ParseError, Raw, Source
from ops.text.space import fold

_MOST_SHOWN = 2**27


class Answer(NamedTuple):
    """One answer of one rater to one question about one row; all as it stands in the file."""

    place: str
    questionnaire: str
    rater: str
    row_id: str
    question: str
    answer: str | None
    shown: Mapping[str, str]


class _RatingSheets:
    """A folder of filled sheets: *.csv as `csv_sheet` wrote them, *.json as Label Studio exports it."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        return files.whole_files(folder, source, (".csv", ".json"), only, document=lambda path: path)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        return {"document": raw.document}

    def parse(self, raw: Raw) -> Sequence[Answer]:
        if raw.error is not None:
            raise ParseError(raw.error)
        if raw.path.lower().endswith(".csv"):
            text = decoded(raw.content)
            check_characters(text, "the file")
            return list(_bounded(_of_sheet(text)))
        return list(_bounded(_of_export(raw.content)))


FORMATS: dict[str, Format[Sequence[Answer]]] = {"rating_sheets": BoundedFormat(_RatingSheets(), quick=True)}


def parse_answers(records: Sequence[Record]) -> Outcome:
    """Return every answer of every filled sheet; a file that is no sheet is rejected, with line and cause."""

    def rows(record: Record) -> list[Row]:
        answers = FORMATS[record.kind].parse(record.raw)
        if not answers:
            raise ParseError("no answer in it")
        return [_row(record, index, answer) for index, answer in enumerate(answers)]

    return read_each(records, ANSWERS, rows, formats=FORMATS)


def _bounded(answers: Iterator[Answer]) -> Iterator[Answer]:
    """Yield the answers, each of which repeats what its row shows. Raises ParseError if that is too much."""
    shown = 0
    for answer in answers:
        shown += sum(len(name) + len(text) + 1 for name, text in answer.shown.items())
        if shown > _MOST_SHOWN:
            raise ParseError(f"its answers repeat what they show to more than {_MOST_SHOWN} characters")
        yield answer


def _of_sheet(text: str) -> Iterator[Answer]:
    # Spreadsheets of some countries write semicolons, or tabs.
    header = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    for line, cells in csv_rows(text, _header, delimiter):
        yield from _of_line(f"line {line}", {name: unguarded(cell) for name, cell in cells.items()})


def _header(cells: Sequence[str], line: int) -> list[str]:
    names = [fold(cell) for cell in cells]
    if missing := [name for name in KEYS if name not in names]:
        raise ParseError(f"line {line}: the header has no column {', '.join(missing)}")
    if twice := sorted(name for name, count in Counter(names).items() if name and count > 1):
        raise ParseError(f"line {line}: the header has the column {twice[0]} twice")
    if not any(name.startswith(ANSWER) for name in names):
        raise ParseError(f"line {line}: the header has no column that begins with {ANSWER!r}")
    return names


def _of_line(place: str, cells: Mapping[str, str]) -> Iterator[Answer]:
    questionnaire, rater, row = (fold(cells[name]) for name in KEYS)
    shown = {
        name: text
        for name, text in cells.items()
        if name not in KEYS and not name.startswith((ANSWER, QUESTION))
    }
    for name, cell in cells.items():
        if name.startswith(ANSWER):
            question = name.removeprefix(ANSWER)
            yield Answer(place, questionnaire, rater, row, question, fold(cell) or None, shown)


def _of_export(content: bytes) -> Iterator[Answer]:
    found = json_value(content)
    if not isinstance(found, list):
        raise ParseError(f"expected a list of tasks, found {kind_of(found)}")
    for number, task in enumerate(found, start=1):
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
        "id": row_id("answer", record.id, str(index), *answer[:5]),
        "source_ids": [record.id],
        "licence": record.licence,
        "file": f"{record.source}/{record.raw.path}",
        "shown": [{"column": name, "text": text} for name, text in answer.shown.items()],
    }
