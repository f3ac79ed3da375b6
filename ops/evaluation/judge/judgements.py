"""Send rating sheets to a model, and keep its answers as a crawl keeps what it fetches.

Belongs here: the dataset of a model's ratings; which rows are asked about; requests and answers, which
survive interruptions and are reused from the former version. Not here: the wording (asking.py), sending a
request (client.py), the summary of ratings (ops/evaluation/human_evaluation.py).

An answer belongs to its request: the same row, wording, model and body. Whatever else changes, published
answers are reused, and the model is asked again only on demand. Only a chat completion is an answer. A
request without one is an error of its row, and is sent again whenever the dataset is made.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import TEXT, Outcome, Outcomes, Row, Shape, columns, drop, reject
from silverloom.ops.core.parts import Parts
from silverloom.ops.crawl.journal import Journal, UrlOutcome
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.evaluation.answers import RATINGS
from silverloom.ops.evaluation.human_evaluation import People
from silverloom.ops.evaluation.judge.asking import UnsoundError, answers, request, said
from silverloom.ops.evaluation.judge.client import (
    Asked,
    JudgeError,
    NoAnswerError,
    RefusedRequestError,
    ask_all,
)
from silverloom.ops.evaluation.judge.params import JudgeParams

#: The file of requests and answers next to the rows, one per line.
ASKED = "asked.jsonl"

_TEXT = pa.string()

#: The journal is kept whatever the params are, because an answer belongs to its request.
_FORM = hashlib.md5(b"a request and its answer", usedforsecurity=False).hexdigest()


def judgements_shape(people: People) -> Shape:
    """Return the shape of a model's ratings for a system's rows."""
    return Shape(
        unit=people.sheets.kept,
        kept=columns(
            *(RATINGS.kept.field(name) for name in ("questionnaire", "rater", "row_id", "question", "value")),
            ("model", _TEXT, "that answered"),
            ("answer", _TEXT, "all that it wrote about the row", TEXT),
            ("request", _TEXT, f"hash of the request, whose body is in {ASKED}"),
        ),
    )


def judgements(people: People, rating_sheets: Parts, params: JudgeParams, place: CrawlPlace) -> Outcomes:
    """Yield a model's answer to each question about each row that was sent out; the units are the rows.

    Without an address, all rows are dropped as `no_judge`. Otherwise, rows are dropped if their questionnaire
    is not one of the model's (`other_questionnaire`), if people did not get them (`not_asked`), or if the
    model cannot judge them (`no_answer`). A row is rejected, with the cause, if it gets no answer or its
    answer does not count. Raises LookupError without the key, JudgeError if the model cannot be asked at all.
    """
    units = [unit for table in rating_sheets for unit in table.to_pylist()]
    chosen = {
        questionnaire.name: questionnaire
        for questionnaire in people.questionnaires
        if params.questionnaires is None or questionnaire.name in params.questionnaires
    }
    lost = {unit["id"]: reason for unit in units if (reason := _left_out(unit, chosen, params))}
    requests = {
        unit["id"]: request(unit, chosen[unit["questionnaire"]], people, params)
        for unit in units
        if unit["id"] not in lost
    }
    outcomes = _asked(requests, params, place) if requests else {}
    kept: list[Row] = []
    dropped = [drop(unit, lost[unit["id"]]) for unit in units if unit["id"] in lost]
    rejected: list[Row] = []
    for unit in units:
        if unit["id"] in lost:
            continue
        try:
            rows = list(_ratings(unit, outcomes[unit["id"]], chosen, params))
        except UnsoundError as error:
            rejected.append(reject(unit, f"{params.model} about row {unit['id']!r}: {error}"))
        else:
            kept += rows
            dropped += [] if rows else [drop(unit, "no_answer")]
    lines = dict.fromkeys(outcome.line for outcome in outcomes.values() if isinstance(outcome, Asked))
    files = {ASKED: b"".join(lines)} if lines else {}
    shape = judgements_shape(people)
    yield Outcome.of(shape, [unit["id"] for unit in units], kept, dropped, rejected, files=files)


def _left_out(unit: Row, chosen: Mapping[str, object], params: JudgeParams) -> str | None:
    """Return why the model is not asked about a row, None if it is."""
    if params.address is None:
        return "no_judge"
    if unit["questionnaire"] not in chosen:
        return "other_questionnaire"
    return None if unit.get("asked", True) else "not_asked"


def _ratings(
    unit: Row, outcome: Asked | NoAnswerError, chosen: Mapping[str, Any], params: JudgeParams
) -> Iterator[Row]:
    """Yield the rating of each answered question. Raises UnsoundError."""
    if isinstance(outcome, NoAnswerError):
        raise UnsoundError(str(outcome))
    text = said(outcome.response)
    for question, value in answers(text, chosen[unit["questionnaire"]]).items():
        yield {
            **made_from(unit, "judgement", params.rater, unit["id"], question),
            "questionnaire": unit["questionnaire"],
            "rater": params.rater,
            "row_id": unit["id"],
            "question": question,
            "value": value,
            "model": params.model,
            "answer": text,
            "request": _digest(outcome.request),
        }


def _asked(
    requests: Mapping[str, Mapping[str, Any]], params: JudgeParams, place: CrawlPlace
) -> dict[str, Asked | NoAnswerError]:
    """Return the outcome of each request by row. Requests that were answered before are not sent again."""
    wanted = {_digest(body): body for body in requests.values()}
    former = {} if place.recrawl else _published(place.former)
    with contextlib.closing(Journal(place.working / params.rater, _FORM)) as journal:
        recorded = {
            name: Asked.of(journal.record(journal.entries[name])) if name in journal.entries else former[name]
            for name in wanted
            if name in journal.entries or name in former
        }
        known = {name: outcome for name, outcome in recorded.items() if not outcome.refusal}
        missing = {name: body for name, body in wanted.items() if name not in known}
        failed: dict[str, NoAnswerError] = {}

        def keep(name: str, outcome: Asked | NoAnswerError) -> None:
            if isinstance(outcome, Asked):
                line = outcome.line
                record = UrlOutcome(url=name, fate="fetched", status=outcome.status, bytes=len(line))
                journal.add(record, line)
                known[name] = outcome
            else:
                failed[name] = outcome
            place.tell(len(known) + len(failed), len(wanted))

        if missing:
            ask_all(missing, params, keep)
    refused = any(isinstance(error, RefusedRequestError) for error in failed.values())
    if failed and len(failed) == len(missing) and not (known and refused):
        first = next(iter(failed.values()))
        raise JudgeError(f"no answer to any of {len(failed)} requests: {first}") from first
    outcomes: dict[str, Asked | NoAnswerError] = {**failed, **known}
    return {row: outcomes[_digest(body)] for row, body in requests.items()}


def _published(folder: Path | None) -> dict[str, Asked]:
    """Return the requests and responses of the former version, by the hash of the request."""
    file = folder / ASKED if folder else None
    if file is None or not file.is_file():
        return {}
    with file.open("rb") as lines:
        outcomes = [Asked.of(line) for line in lines]
    return {_digest(outcome.request): outcome for outcome in outcomes}


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:32]
