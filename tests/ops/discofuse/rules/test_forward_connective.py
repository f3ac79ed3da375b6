"""A connective before the first of two clauses."""

from __future__ import annotations

import pytest

from tests.ops.discofuse.rules.fusion_texts import found

MADE = (
    (
        "Although it rained all day , the match was played .",
        "although | It rained all day . | The match was played .",
    ),
    (
        "Since he left the club , the team has lost every match .",
        "since | He left the club . | The team has lost every match .",
    ),
    (
        "Since the company was founded in 1957 , it has grown every year .",
        "since | The company was founded in 1957 . | It has grown every year .",
    ),
    ("Although injured , he finished the race .", "although | He was injured . | He finished the race ."),
    (
        "Although born in Rome , Maria grew up in Paris .",
        "although | Maria was born in Rome . | Maria grew up in Paris .",
    ),
    (
        "In addition to writing novels , she teaches at the local school .",
        "in addition to | She writes novels . | She teaches at the local school .",
    ),
    (
        "Aside from writing novels , she teaches at the local school .",
        "aside from | She writes novels . | She teaches at the local school .",
    ),
    (
        "In addition to being a singer , he is a painter .",
        "in addition to | He is a singer . | He is a painter .",
    ),
    (
        "Although the river , which is long , was frozen , the ship reached the town .",
        "although | The river , which is long , was frozen . | The ship reached the town .",
    ),
    (
        "Although the roads were icy , wet and dark , they drove home .",
        "although | The roads were icy , wet and dark . | They drove home .",
    ),
    (
        "Since the roof leaked , water entered the hall .",
        "since | The roof leaked . | Water entered the hall .",
    ),
    (
        "Although tired , the players won the match .",
        "although | The players were tired . | The players won the match .",
    ),
)

NOTHING = (
    "Since 1957 , he has lived in Rome .",
    "Since then , he has lived in Rome .",
    "Although , he said later , the match was fair .",
    "In addition to the castle , there is a large park .",
    "Since he was ill , did he stay at home ?",
    "As he was ill , he stayed at home .",
)


@pytest.mark.parametrize(("text", "expected"), MADE, ids=[text for text, _ in MADE])
def test_a_text_with_forward_connective_is_split(text, expected):
    assert found(text, "SINGLE_CONN_START") == [expected]


@pytest.mark.parametrize("text", NOTHING)
def test_what_looks_like_forward_connective_is_left(text):
    assert found(text, "SINGLE_CONN_START") == []
