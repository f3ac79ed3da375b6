"""Ask a model about a row, and read its answer.

Belongs here: the wording of a request, reading an answer. Not here: the questionnaires
(ops/<system>/evaluation/people.py), sending requests (judgements.py).

A model gets what people get: what they should know before the questions, the columns that they read, and each
question with its wording and scale. In addition it gets only the format of the answer.
"""

from __future__ import annotations

import json
from typing import Any

from silverloom.ops.core.outcome import Row
from silverloom.ops.evaluation.human_evaluation import People
from silverloom.ops.evaluation.judge.params import JudgeParams
from silverloom.ops.evaluation.questionnaire import Questionnaire
from silverloom.ops.evaluation.sheets import shown_text
from silverloom.ops.parse.decoding import check_characters
from silverloom.ops.parse.source import ParseError

#: What a model writes when it cannot judge; people leave the cell empty.
UNANSWERED = "-"
#: Reasoning models write this between their thoughts and the answer.
_THOUGHTS = "</think>"
_AROUND = " \t*`\"'#>_"


class UnsoundError(ValueError):
    """An answer that does not count; the message says why."""


class NoCompletionError(UnsoundError):
    """A response that is not a chat completion, so the model has not answered."""


def request(row: Row, questionnaire: Questionnaire, people: People, params: JudgeParams) -> dict[str, Any]:
    """Return the body of the request about a row, in the format of OpenAI's chat completions."""
    shown = "\n\n".join(f"{name}:\n{shown_text(row[name])}" for name in questionnaire.shown)
    asked = "\n".join(f"{question.name}: {question.wording}" for question in questionnaire.questions)
    text = f"""\
{people.about}

{asked}

Answer with one line for each question: its name, a colon, and one of the allowed answers. Write nothing else.
Write {UNANSWERED} in the place of an answer to what you cannot judge, {people.leave_empty}

{shown}"""
    return {"model": params.model, "messages": [{"role": "user", "content": text}], **params.body}


def said(response: str) -> str:
    """Return the text that a model wrote in a response.

    Raises NoCompletionError if the response is not a chat completion, UnsoundError if its content is empty or
    is not text.
    """
    try:
        choice = json.loads(response)["choices"][0]
        text = choice["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise NoCompletionError(f"no chat completion: {' '.join(response.split())[:200]!r}") from None
    if not isinstance(text, str) or not text.strip():
        raise UnsoundError(f"it says nothing; it ended by {choice.get('finish_reason')!r:.200}")
    try:
        check_characters(text, "the answer")
    except ParseError as error:
        raise UnsoundError(str(error)) from None
    return text


def answers(text: str, questionnaire: Questionnaire) -> dict[str, str]:
    """Return the value of each answered question, as its scale writes it.

    If several lines name a question, the last one counts. If there is only one question, its name may be
    missing. Raises UnsoundError for a question that no line names, and for a value outside its scale.
    """
    lines = text.rpartition(_THOUGHTS)[2].strip().splitlines()
    given = _by_name(lines)
    if len(questionnaire.questions) == 1 and len(lines) == 1:
        given.setdefault(questionnaire.questions[0].name, lines[0].strip(_AROUND + ",."))
    values = {}
    for question in questionnaire.questions:
        if question.name not in given:
            raise UnsoundError(f"no line answers {question.name}")
        answer = given[question.name]
        if answer == UNANSWERED:
            continue
        value = question.scale.value_of(answer)
        if value is None:
            allowed = ", ".join(question.scale.values)
            raise UnsoundError(f"{question.name}: {answer[:40]!r} is not one of {allowed}")
        values[question.name] = value
    return values


def _by_name(lines: list[str]) -> dict[str, str]:
    named = (line.partition(":") for line in lines)
    return {name.strip(_AROUND + "-"): answer.strip(_AROUND + ",.") for name, colon, answer in named if colon}
