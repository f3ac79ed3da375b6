"""Word-level difference of two texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.text.words import word_difference

TEXTS = st.text("ab c.’é\n\u0301", max_size=30)


@given(TEXTS, TEXTS)
def test_the_pieces_of_a_difference_give_back_both_texts(old, new):
    found = word_difference(old, new)
    assert "".join(piece.text for piece in found if piece.sign != "+") == old
    assert "".join(piece.text for piece in found if piece.sign != "-") == new
    assert all(piece.text for piece in found)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        ("same words", "same words", [("=", "same words")]),
        ("", "new", [("+", "new")]),
        ("old", "", [("-", "old")]),
        ("a b c", "a x c", [("=", "a "), ("-", "b"), ("+", "x"), ("=", " c")]),
        ("a b", "a a b", [("=", "a "), ("+", "a "), ("=", "b")]),
        ("Größe 1", "Größe 2", [("=", "Größe "), ("-", "1"), ("+", "2")]),
    ],
)
def test_differences_are_minimal(old, new, expected):
    assert word_difference(old, new) == expected


def test_long_texts_are_compared_as_well():
    assert [sign for sign, _ in word_difference("a " * 100_000 + "b", "a " * 100_000 + "c")] == [
        "=",
        "-",
        "+",
    ]
    assert [sign for sign, _ in word_difference("a b " * 50_000, "c d " * 50_000)] == ["-", "+", "="]
