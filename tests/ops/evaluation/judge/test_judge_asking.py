"""The prompt about a row, and which parts of the answer count."""

import json

import pytest

from silverloom.ops.evaluation.judge.asking import NoCompletionError, UnsoundError, answers, request, said
from silverloom.ops.evaluation.judge.params import JudgeParams
from silverloom.ops.parasci.evaluation.people import PAIRS, PEOPLE
from silverloom.ops.wikisum.evaluation.people import PREFERENCE
from tests.ops.evaluation.judge.served import completion

ALL = "consistency: 4\nlexical: 2\nphrasal: 1\nsentential: 1"
PARAMS = JudgeParams(address="http://localhost/v1", model="m", body={"temperature": 0, "seed": 1})
FOUR = {"consistency": "4", "lexical": "2", "phrasal": "1", "sentential": "1"}


def test_a_model_sees_what_people_see_with_wording_and_scale():
    row = {"id": "r", "sentence_1": "One  is\nhere.", "sentence_2": None, "origin": "intra"}
    body = request(row, PAIRS, PEOPLE, PARAMS)
    assert {name: body[name] for name in ("model", "temperature", "seed")} == {
        "model": "m",
        "temperature": 0,
        "seed": 1,
    }
    [message] = body["messages"]
    text = message["content"]
    assert PEOPLE.about in text and PEOPLE.leave_empty in text
    assert [question.wording in text for question in PAIRS.questions] == [True] * 4
    assert text.endswith("sentence_1:\nOne is here.\n\nsentence_2:\n")
    assert "intra" not in text, "raters do not see the origin"


@pytest.mark.parametrize(
    "text",
    [
        ALL,
        ALL.replace("4", "4 (mostly equivalent, but some unimportant details differ)"),
        "Sure!\n\n- **consistency**: 4.0\n- **lexical**: 2\n* phrasal: **1**\nsentential: `1`.",
        f"<think>consistency: 1\nlexical: 1</think>\n{ALL}",
        f"consistency: 5\nNo, rather:\n{ALL}",
        '{\n "consistency": 4,\n "lexical": "2",\n "phrasal": 1,\n "sentential": 1\n}',
    ],
)  # fmt: skip
def test_answers_are_read_by_the_names_of_questions(text):
    assert answers(text, PAIRS) == FOUR


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            ALL.replace("consistency: 4", "consistency: high"),
            "consistency: 'high' is not one of 1, 2, 3, 4, 5",
        ),
        (ALL.replace("4", "6"), "consistency: '6' is not one of"),
        (ALL.replace("4", "4 or 5"), "'4 or 5' is not one of"),
        ("4 2 1 1", "no line answers consistency"),
        (ALL.replace("lexical: 2\n", ""), "no line answers lexical"),
        ("", "no line answers consistency"),
    ],
)
def test_an_invalid_answer_says_why(text, cause):
    with pytest.raises(UnsoundError, match=cause):
        answers(text, PAIRS)


def test_questions_that_cannot_be_judged_are_left_out_and_a_single_one_needs_no_name():
    assert answers(ALL.replace("lexical: 2", "lexical: -"), PAIRS) == {
        name: value for name, value in FOUR.items() if name != "lexical"
    }
    [question] = PREFERENCE.questions
    for text in ("-2", f"{question.name}: -2", "**-2**"):
        assert answers(text, PREFERENCE) == {question.name: "-2"}
    assert answers("-", PREFERENCE) == {}


def test_a_completion_is_read_and_anything_else_is_reported():
    assert said(json.dumps(completion("yes"))) == "yes"
    with pytest.raises(UnsoundError, match="it says nothing; it ended by 'length'"):
        said(json.dumps(completion("", "length")))
    for text in ("<html>busy</html>", "[]", '{"choices": []}', '{"error": {"message": "no"}}', "null", ""):
        with pytest.raises(NoCompletionError, match="no chat completion"):
            said(text)


def test_json_that_is_nested_too_deeply_is_not_a_completion():
    deep = "[" * 100_000 + "]" * 100_000
    with pytest.raises(NoCompletionError, match="no chat completion"):
        said(f'{{"choices": [{{"message": {{"content": "yes"}}, "more": {deep}}}]}}')


@pytest.mark.parametrize("character", ["\ud83d", "\x00", "\x1b"])
def test_content_that_is_not_text_does_not_count(character):
    with pytest.raises(UnsoundError, match=f"the answer holds the character U\\+{ord(character):04X}"):
        said(json.dumps(completion(f"yes{character}")))


@pytest.mark.parametrize("key", ["sk-se\ncret", "sk-se\rcret", "sk-se cret", "sk-se\x00cret", "sk-sécret"])
def test_a_key_that_does_not_fit_into_a_header_is_refused_and_not_printed(monkeypatch, key):
    monkeypatch.setattr("os.environ", {"MY_KEY": key})
    with pytest.raises(LookupError, match="the environment variable MY_KEY holds") as caught:
        JudgeParams(address="http://host/v1", model="m", key="MY_KEY").secret()
    assert "cret" not in str(caught.value)
    monkeypatch.setattr("os.environ", {"MY_KEY": " sk-secret\n"})
    assert JudgeParams(key="MY_KEY").secret() == "sk-secret"


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"address": "localhost:8000"}, "begins with http://"),
        ({"address": "http://me:secret@host/v1"}, "keys are no part of the address"),
        ({"address": "http://host/v1?key=secret"}, "keys are no part of the address"),
        ({"address": "http://host/v1", "model": ""}, "an address needs a model"),
        ({"body": {"stream": True}}, "are not to be given here"),
    ],
)
def test_unusable_params_say_why(change, cause):
    with pytest.raises(ValueError, match=cause):
        JudgeParams(**{"address": "http://host/v1", "model": "m", **change})
