"""Two clauses and a conjunction."""

from __future__ import annotations

import pytest

from tests.ops.discofuse.rules.fusion_texts import found

MADE = (
    (
        "Before starting his sentence , Schettino lived in Meta , and has one daughter .",
        ", and | Before starting his sentence , Schettino lived in Meta . | Schettino has one daughter .",
    ),
    ("The rain stopped , and the sun came out .", ", and | The rain stopped . | The sun came out ."),
    ("The rain stopped and the sun came out .", "and | The rain stopped . | The sun came out ."),
    (
        "The rain stopped , but the wind stayed strong .",
        ", but | The rain stopped . | The wind stayed strong .",
    ),
    ("The rain stopped , so we went home .", ", so | The rain stopped . | We went home ."),
    ("It was raining so they went home .", "so | It was raining . | They went home ."),
    ("The rain stopped , yet nobody left the hall .", ", yet | The rain stopped . | Nobody left the hall ."),
    ("You can stay here , or you can go home .", ", or | You can stay here . | You can go home ."),
    ("He did not sing , nor did she dance .", ", nor | He did not sing . | She did not dance ."),
    ("She stayed at home , for she was ill .", ", for | She stayed at home . | She was ill ."),
    (
        "He did not fall , but was still too slow to win .",
        ", but | He did not fall . | He was still too slow to win .",
    ),
    (
        "He fell , but was still able to finish the race .",
        ", but | He fell . | He was still able to finish the race .",
    ),
    (
        "In 1990 he left the club , and in 1991 he joined the army .",
        ", and | In 1990 he left the club . | In 1991 he joined the army .",
    ),
    (
        "In contrast to previous methods , the model directly deals with raw text , and in addition , enjoys several advantages .",
        ", and | In contrast to previous methods , the model directly deals with raw text . "
        "| In addition , the model enjoys several advantages .",
    ),
    (
        "On her way home , Ana is accidentally run off the road by a car , and loses the baby .",
        ", and | On her way home , Ana is accidentally run off the road by a car . | On her way home , Ana loses the baby .",
    ),
    ("The house is old and the garden is large .", "and | The house is old . | The garden is large ."),
    (
        "( func ) is part of it , and the library calls it .",
        ", and | ( func ) is part of it . | The library calls it .",
    ),
    (
        "New cases are appearing , and so we have been working on support for files .",
        ", and | New cases are appearing . | So we have been working on support for files .",
    ),
)

NOTHING = (
    "Errors are defined on the basis of grammaticality and acceptability principles , and classified using comparable categories .",
    "He likes apples and pears .",
    "He bought apples , pears , and plums .",
    "Either he leaves or she leaves .",
    "He said that the rain stopped and that the sun came out .",
    "He is rich , so far as I know .",
    "They work so that their children can eat .",
    "The band wrote , and recorded the song .",
    "You must pay now , or else the police will come for you .",
    "Not only did he win , but he also broke the record .",
    "He ran so fast that she lost him .",
    "Leave now , or the police will come .",
    "Did he win , and did she lose ?",
    "He won 3 - 1 ; and she lost .",
    "In this paper , we describe several challenges of the language and how we solve them in the guidelines .",
    "He wore a gray coat , and which buttoned straight up to the neck .",
    "Each model is trained using the train split , training is monitored using the validation split , and the test split is used for final evaluation .",
    "She lost a life form that saved her life , but negates her telepathy .",
)


@pytest.mark.parametrize(("text", "expected"), MADE, ids=[text for text, _ in MADE])
def test_a_text_with_sentence_coordination_is_split(text, expected):
    assert found(text, "SINGLE_S_COORD") == [expected]


@pytest.mark.parametrize("text", NOTHING)
def test_what_looks_like_sentence_coordination_is_left(text):
    assert found(text, "SINGLE_S_COORD") == []
