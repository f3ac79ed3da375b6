"""A participle whose subject follows."""

from __future__ import annotations

import pytest

from tests.ops.discofuse.rules.fusion_texts import found

MADE = (
    (
        "Visiting the grave , Alice met an old friend .",
        " | Alice visited the grave . | Alice met an old friend .",
    ),
    (
        "Having won the race , he retired from the sport .",
        " | He had won the race . | He retired from the sport .",
    ),
    (
        "Being a good swimmer , she reached the shore .",
        " | She was a good swimmer . | She reached the shore .",
    ),
    ("Using a new method , we solve the problem .", " | We use a new method . | We solve the problem ."),
    (
        "Playing football in the park , they lost the ball .",
        " | They played football in the park . | They lost the ball .",
    ),
    (
        "Leaving the club in 1990 , Smith joins the army .",
        " | Smith leaves the club in 1990 . | Smith joins the army .",
    ),
    (
        "Fearing the storm , the Lions cancelled the match .",
        " | The Lions feared the storm . | The Lions cancelled the match .",
    ),
    (
        "Hoping to win , John Smith trained every day .",
        " | John Smith hoped to win . | John Smith trained every day .",
    ),
    ("Telling lies , I lost my friends .", " | I told lies . | I lost my friends ."),
)

NOTHING = (
    "Stemming from the events of that match , Stevens feuded briefly with Zbyszko .",
    "Walking home , the tired man saw a fox .",
    "Including Anna , they are seven people .",
    "According to Anna , he left the house .",
    "Following the war , he moved to London .",
    "Beginning in 1960 , he worked as a teacher .",
    "Swimming is fun , and he likes it .",
    "Depending on the weather , they play outside .",
    "Raining heavily , it was cold .",
    "He left , smiling at her .",
    "Driven by hunger , he stole bread .",
)


@pytest.mark.parametrize(("text", "expected"), MADE, ids=[text for text, _ in MADE])
def test_a_text_with_cataphora_is_split(text, expected):
    assert found(text, "SINGLE_CATAPHORA") == [expected]


@pytest.mark.parametrize("text", NOTHING)
def test_what_looks_like_cataphora_is_left(text):
    assert found(text, "SINGLE_CATAPHORA") == []
