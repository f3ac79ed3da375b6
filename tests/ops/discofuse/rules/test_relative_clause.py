"""A relative clause between two commas."""

from __future__ import annotations

import pytest

from tests.ops.discofuse.rules.fusion_texts import found

MADE = (
    (
        "Anna , who lived in Rome , wrote three novels .",
        " | Anna wrote three novels . | Anna lived in Rome .",
    ),
    (
        "The river , which is very long , flows through the town .",
        " | The river flows through the town . | The river is very long .",
    ),
    (
        "Bob , whom Anna married in 1990 , became a monk .",
        " | Bob became a monk . | Anna married Bob in 1990 .",
    ),
    (
        "The castle , which he bought in 1990 , burned down last year .",
        " | The castle burned down last year . | He bought the castle in 1990 .",
    ),
    ("He met Anna , who lived in Rome , in 1990 .", " | He met Anna in 1990 . | Anna lived in Rome ."),
    (
        "The players , who were ill , lost the match .",
        " | The players lost the match . | The players were ill .",
    ),
    (
        "In Paris , which he loved , he wrote three novels .",
        " | In Paris , he wrote three novels . | He loved Paris .",
    ),
    (
        "The players of the club , who were ill , lost the match .",
        " | The players of the club lost the match . | The players of the club were ill .",
    ),
    (
        "The town , which the army had taken over , surrendered in May .",
        " | The town surrendered in May . | The army had taken over the town .",
    ),
    (
        "They say the mayor , who is ill , will resign .",
        " | They say the mayor will resign . | The mayor is ill .",
    ),
    (
        "Maria , whose mother was a singer , became a nurse .",
        " | Maria became a nurse . | Maria 's mother was a singer .",
    ),
    (
        "The books , whose authors are unknown , were sold in London .",
        " | The books were sold in London . | The books ' authors are unknown .",
    ),
)

NOTHING = (
    "He likes the man whose father was a king .",
    "He met Anna , who lived in Rome .",
    "The man who lived in Rome wrote three novels .",
    "The house , in which he lived , burned down .",
    "The players , some of whom were ill , lost the match .",
    "He met Bob , who was a king , Anna , who was a queen , and Tom .",
    "The house is the Wilkins house , which was built in 1693 , and served as a tavern .",
    "Who , he asked , is that ?",
)


@pytest.mark.parametrize(("text", "expected"), MADE, ids=[text for text, _ in MADE])
def test_a_text_with_relative_clause_is_split(text, expected):
    assert found(text, "SINGLE_RELATIVE") == [expected]


@pytest.mark.parametrize("text", NOTHING)
def test_what_looks_like_relative_clause_is_left(text):
    assert found(text, "SINGLE_RELATIVE") == []
