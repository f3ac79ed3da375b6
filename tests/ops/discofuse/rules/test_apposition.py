"""An apposition between two commas."""

from __future__ import annotations

import pytest

from tests.ops.discofuse.rules.fusion_texts import found

MADE = (
    (
        "Her father , Edmond , a French immigrant from Lorraine , moved to Illinois in 1883 .",
        " | Her father , Edmond , moved to Illinois in 1883 . | Edmond was a French immigrant from Lorraine .",
    ),
    (
        "Anna Smith , a teacher from Rome , wrote three novels .",
        " | Anna Smith wrote three novels . | Anna Smith was a teacher from Rome .",
    ),
    (
        "The castle , a ruin since 1700 , stands on a hill .",
        " | The castle stands on a hill . | The castle is a ruin since 1700 .",
    ),
    (
        "The players , the stars of the club , lose every match .",
        " | The players lose every match . | The players are the stars of the club .",
    ),
    (
        "His brother , a doctor , lives in Paris .",
        " | His brother lives in Paris . | His brother is a doctor .",
    ),
    ("The king , his father , died in 1500 .", " | The king died in 1500 . | The king was his father ."),
    (
        "He lived in Bam , a city in Iran , for ten years .",
        " | He lived in Bam for ten years . | Bam was a city in Iran .",
    ),
    (
        "My internist , a friend of the family , sent me a letter .",
        " | My internist sent me a letter . | My internist was a friend of the family .",
    ),
    ("He met Bob , the king , and left the town .", " | He met Bob and left the town . | Bob was the king ."),
    (
        "The Beatles , an English band , were famous .",
        " | The Beatles were famous . | The Beatles were an English band .",
    ),
    (
        "The company , a maker of toys , will close the factory .",
        " | The company will close the factory . | The company is a maker of toys .",
    ),
    (
        "The dog , a brown collie , was barking at us .",
        " | The dog was barking at us . | The dog was a brown collie .",
    ),
)

NOTHING = (
    "Secter made a second film , The Offering , in 1966 .",
    "He lived in Bam , a city in Iran .",
    "Paris , France , is a large city .",
    "He bought a pen , a book , and a lamp .",
    "Anna , teacher of the year , left the school .",
    "On Monday , the first day of May , he left .",
    "The album , her first , was a great success .",
    "The two men , one a baker , went home .",
    "The students , both of them ill , went home .",
)


@pytest.mark.parametrize(("text", "expected"), MADE, ids=[text for text, _ in MADE])
def test_a_text_with_apposition_is_split(text, expected):
    assert found(text, "SINGLE_APPOSITION") == [expected]


@pytest.mark.parametrize("text", NOTHING)
def test_what_looks_like_apposition_is_left(text):
    assert found(text, "SINGLE_APPOSITION") == []
