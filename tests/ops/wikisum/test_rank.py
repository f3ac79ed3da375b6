"""Rankers of paragraphs, computed by hand and compared with slow obvious versions."""

import math
import re
import unicodedata
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.rank.rankers import content_words, sum_basic, text_rank, words
from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.wikisum import rank
from silverloom.ops.wikisum.rank import NO_WEIGHT, NO_WORD, NOT_KNOWN, title_counts

PARAGRAPHS = st.lists(
    st.lists(
        st.sampled_from(
            [
                "salt",
                "Bread",
                "sea",
                "salt,",
                "O'Neil",
                "ß",
                "—",
                ".",
                "Naïve",
                "naïvety",
                "salt—bread",
                "\u2003",
            ]
        ),
        max_size=9,
    ).map(" ".join),
    max_size=9,
)
METHODS = ["identity", "tf_idf", "text_rank", "sum_basic", "cheating"]


def released_tokens(text):
    """The tokens of a normalised text as in the released code.

    It cuts wherever letters and digits (the categories L and N of Unicode) change to other characters, and
    back.
    """
    kinds = groupby(normalised(text), key=lambda sign: unicodedata.category(sign)[0] in "LN")
    return [token for _, signs in kinds if (token := "".join(signs)) != " "]


def test_tf_idf_equals_the_hand_computed_value():
    paragraphs = [
        "It was baked .",  # nothing from the title
        "Bread, bread and salt!",  # bread twice, salt once
        "The salt of the sea.",  # salt once
        "Salt bread",
    ]
    found = rank("Salt Bread (food)", paragraphs, "tf_idf")
    bread, salt = math.log(4 / 2), math.log(4 / 3)
    assert found.scores == pytest.approx([0, 2 * bread + salt, salt, bread + salt])
    assert found.order == [1, 3, 2, 0]
    assert found.note == ""


@given(
    PARAGRAPHS,
    st.sampled_from(["salt bread", "Salt, salt!", "o'neil", "ß", "of the", "naïve sea", "salt—bread"]),
)
def test_tf_idf_equals_the_slow_version(paragraphs, title):
    units = [released_tokens(paragraph) for paragraph in paragraphs]
    query = {word for word in released_tokens(title) if re.search("[a-z0-9]", word)}
    slow = [
        math.fsum(
            unit.count(word) * math.log(len(units) / max(sum(word in other for other in units), 1))
            for word in query
        )
        for unit in units
    ]
    found = rank(title, paragraphs, "tf_idf")
    assert found.scores == pytest.approx(slow, rel=1e-14)
    assert found.order == sorted(range(len(units)), key=lambda index: -round(slow[index], 9))


@pytest.mark.parametrize(
    ("title", "note"),
    [
        ("???", NO_WORD),
        ("", NO_WORD),
        ("東京", NO_WORD),
        ("Zebra", NOT_KNOWN),
        ("The of", NO_WEIGHT),
        ("The Sea", ""),
    ],
)
def test_an_uninformative_title_keeps_the_order_of_the_references_and_says_so(title, note):
    found = rank(title, ["the end of it", "the sea of salt", "of the of"], "tf_idf")
    assert found.note == note
    assert found.order == ([1, 0, 2] if title == "The Sea" else [0, 1, 2])


@pytest.mark.parametrize("text", ["Asia—a name of old", "the name\u2011Asia\u2011is old", "«Asia»: a name"])
def test_a_title_word_next_to_characters_beyond_ascii_counts(text):
    assert rank("Asia", ["the sea", text], "tf_idf").order == [1, 0]
    assert title_counts("Asia—Minor", [text])[:, 0].tolist() == [1]


def test_cheating_equals_the_hand_computed_value():
    found = rank("t", ["a b", "b c d", "d a b c", "c b a"], "cheating", "A b c, b c d.")
    # ab bc cb cd; the pair across two sentences counts, as punctuation does not divide a text
    assert found.scores == [0.25, 0.5, 0.5, 0.25]
    assert found.order == [1, 2, 0, 3]


@given(PARAGRAPHS, PARAGRAPHS.map(" ".join))
def test_cheating_equals_the_slow_version(paragraphs, target):
    def bigrams(text):
        return set(pairwise(words(text)))

    wanted = bigrams(target)
    found = rank("t", paragraphs, "cheating", target)
    assert found.scores == [
        len(wanted & bigrams(paragraph)) / len(wanted) if wanted else 0.0 for paragraph in paragraphs
    ]


@given(PARAGRAPHS)
def test_text_rank_and_sum_basic_follow_their_papers_over_content_words(paragraphs):
    units = [content_words(paragraph) for paragraph in paragraphs]
    assert rank("t", paragraphs, "text_rank").scores == text_rank(units)
    assert rank("t", paragraphs, "sum_basic").order == sum_basic(units)


@given(PARAGRAPHS, st.sampled_from(METHODS))
def test_an_order_has_every_paragraph_once_by_descending_score(paragraphs, method):
    found = rank("salt bread", paragraphs, method, "salt bread")
    assert sorted(found.order) == list(range(len(paragraphs)))
    assert found.order == sorted(found.order, key=lambda index: -found.scores[index])


def test_identity_is_the_order_of_the_references():
    assert rank("t", ["c", "a", "b"], "identity").order == [0, 1, 2]


def test_a_paragraph_of_a_megabyte_is_ranked_like_any_other():
    huge = "salt and bread . " * 60_000
    assert rank("Bread", ["no", huge, "bread"], "tf_idf").order == [1, 2, 0]
    assert rank("Bread", ["no", huge], "cheating", "salt and").scores == [0, 1]


@pytest.mark.parametrize("before", range(4088, 4100))
def test_words_are_counted_at_any_position_of_a_long_text(before):
    """The bytes of all paragraphs are processed in blocks of 4,096."""
    paragraphs = [f"{'.' * before}Salt, sálty salt", "salt", f"salt{'é' * before}", "the salt"]
    assert title_counts("salt", paragraphs)[:, 0].tolist() == [2, 1, 0, 1]


def test_an_unknown_method_or_a_missing_target_is_refused():
    with pytest.raises(ValueError, match="no method 'bm25': there are identity, tf_idf"):
        rank("t", [], "bm25")
    with pytest.raises(ValueError, match="needs the target"):
        rank("t", ["a"], "cheating")
