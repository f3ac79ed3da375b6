"""Word-level difference of two texts, and characters that nobody sees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.filters.contamination import words_of
from silverloom.ops.filters.duplicates import content
from silverloom.ops.rank import rankers
from silverloom.ops.talksumm.align.emission import observe
from silverloom.ops.text.minhash import signature
from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.text.words import fold, visible, word_difference
from silverloom.ops.wikisum.clones import clone_recall

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


INVISIBLE = "\u00ad\u200b\u2060\ufeff\u200e\u200c\u200d\ufe0f\ufffb\U000e0041"


@given(st.lists(st.text("abcdefgh", min_size=2, max_size=8), min_size=7, max_size=20), st.data())
def test_invisible_characters_change_no_word_anywhere(words, data):
    """A copy with soft hyphens is a near-duplicate, a clone, contamination, and the same observations."""
    plain = " ".join(words)
    places = data.draw(st.sets(st.integers(0, len(plain) - 1), max_size=6))
    sign = data.draw(st.sampled_from(INVISIBLE))
    copy = "".join(sign + letter if place in places else letter for place, letter in enumerate(plain)) + sign
    assert fold(copy) == plain
    assert signature(copy, 8) == signature(plain, 8)
    assert content(copy) == content(plain)
    assert clone_recall(copy, [plain]) == clone_recall(plain, [copy]) == 1.0
    assert words_of(copy) == words_of(plain)
    assert rankers.words(copy) == rankers.words(plain)
    assert normalised(copy) == normalised(plain)
    assert observe(copy.split()) == observe(words)


def test_joiners_stay_in_scripts_that_need_them():
    assert (
        visible("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645")
        == "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    )
    assert visible("\U0001f468\u200d\U0001f4bb") == "\U0001f468\u200d\U0001f4bb"
