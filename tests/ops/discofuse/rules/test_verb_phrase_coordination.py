"""Two verb phrases and a conjunction: the subject is repeated."""

from __future__ import annotations

import pytest

from tests.ops.discofuse.rules.fusion_texts import found

MADE = (
    (
        "The band recorded an album and toured Europe .",
        "and | The band recorded an album . | The band toured Europe .",
    ),
    (
        "The band recorded an album , but never toured Europe .",
        ", but | The band recorded an album . | The band never toured Europe .",
    ),
    ("He was born in Rome and died in Paris .", "and | He was born in Rome . | He died in Paris ."),
    ("He was born in Rome and raised in Paris .", "and | He was born in Rome . | He was raised in Paris ."),
    (
        "She has won the cup twice and lost one final .",
        "and | She has won the cup twice . | She has lost one final .",
    ),
    ("He will sell the house and buy a boat .", "and | He will sell the house . | He will buy a boat ."),
    (
        "In 1990 , he left the club and joined the army .",
        "and | In 1990 , he left the club . | In 1990 , he joined the army .",
    ),
    (
        "In 1990 , he left the club and returned in 1995 .",
        "and | In 1990 , he left the club . | He returned in 1995 .",
    ),
    (
        "However , he left the club and joined the army .",
        "and | However , he left the club . | He joined the army .",
    ),
    ("He never married and died young .", "and | He never married . | He died young ."),
    (
        "The book , which sold well , made him rich and was filmed in 1999 .",
        "and | The book , which sold well , made him rich . | The book , which sold well , was filmed in 1999 .",
    ),
    (
        "He left the club in 1990 and later moved to Spain .",
        "and | He left the club in 1990 . | He later moved to Spain .",
    ),
    (
        "He founded the club and in 1990 sold it to a friend .",
        "and | He founded the club . | In 1990 he sold it to a friend .",
    ),
    (
        "From there he moved to Rome and was then hired by the club .",
        "and | From there he moved to Rome . | He was then hired by the club .",
    ),
    ("He did not win or draw .", "or | He did not win . | He did not draw ."),
)

NOTHING = (
    "He does not sing but plays the piano .",
    "She wrote and directed the film .",
    "He wants to sing and dance .",
    "The old and tired man slept .",
    "He came , saw and won .",
    "Sit down and eat your soup .",
    "There was a fire and burned for days .",
    "The study shows that it works and can help people .",
    "The album has been praised by critics and sold a million copies .",
    "The team has been beaten twice and won two prizes .",
    "She has never won the cup but reached the final twice .",
    "She has not won the cup but played in the final .",
    "Glen also wrote about and created paintings of the town .",
    "The packet would simply not be checked for a match and thus also not used as a carrier .",
    "Two years later , Smith became a police inspector and assigned to the Fifth District by the mayor .",
    "The gains are both getting better results and being able to learn features .",
    "This paper presents a method based on words and aimed at improving texts .",
    "He has never won it and died young .",
    "She lost a life form that saved her life and negates her telepathy .",
)


@pytest.mark.parametrize(("text", "expected"), MADE, ids=[text for text, _ in MADE])
def test_a_text_with_verb_phrase_coordination_is_split(text, expected):
    assert found(text, "SINGLE_VP_COORD") == [expected]


@pytest.mark.parametrize("text", NOTHING)
def test_what_looks_like_verb_phrase_coordination_is_left(text):
    assert found(text, "SINGLE_VP_COORD") == []
