"""One definition of a word for all that measures texts: that of Python's str.split()."""

import sys

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.core.measures import count_words, measure
from ops.core.row_measures import measured
from ops.text.words import word_difference
from pages.rows import columns

SPACES = "".join(chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace())


@given(st.lists(st.none() | st.text(st.sampled_from(f"ab{SPACES}\u200b\u2060"))))
def test_words_are_those_of_split(texts):
    expected = [None if text is None else len(text.split()) for text in texts]
    assert count_words(pa.array(texts, pa.string())).to_pylist() == expected


def test_what_is_drawn_is_what_is_expected_and_what_is_shown():
    table = pa.table({"text": ["a\u00a0b c\u2003d"], "title": ["a\u00a0b\u00a0c\u2003d\u2003e"]})
    assert measure(table, "text.words").to_pylist() == measured(table, "text.words").to_pylist() == [4]
    assert {column.name: column.part for column in columns(table)} == {"text": "facts", "title": "texts"}


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
def test_differences_are_least(old, new, expected):
    assert word_difference(old, new) == expected


def test_long_texts_are_compared_as_well():
    assert [sign for sign, _ in word_difference("a " * 100_000 + "b", "a " * 100_000 + "c")] == [
        "=",
        "-",
        "+",
    ]
    assert [sign for sign, _ in word_difference("a b " * 50_000, "c d " * 50_000)] == ["-", "+", "="]
