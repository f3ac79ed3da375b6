"""Word numbers, compared with the words themselves."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.rank.rankers import words
from silverloom.ops.text.word_numbers import normalised, number_words

TEXT = st.text(st.one_of(st.sampled_from("abA .,-_'é’ \t\n\u2003İΣß𝒜𝟙\ud800"), st.characters()), max_size=40)


def spelled(found, text):
    numbers = found.numbers[found.ends[text] : found.ends[text + 1]]
    return [None if number < 0 else found.word(number) for number in numbers]


@given(st.lists(TEXT, max_size=6))
def test_words_are_those_that_rankers_use(texts):
    found = number_words(texts)
    assert [spelled(found, index) for index in range(len(texts))] == [words(text) for text in texts]


@given(st.lists(TEXT, max_size=4), TEXT)
def test_with_known_words_no_others_have_numbers(texts, known):
    found = number_words(texts, known=known)
    there = list(dict.fromkeys(words(known)))
    assert [found.word(number) for number in range(found.distinct)] == there
    for index, text in enumerate(texts):
        assert spelled(found, index) == [word if word in there else None for word in words(text)]


def test_numbers_follow_the_first_occurrence_also_for_many_words():
    texts = [" ".join(f"w{number}" for number in range(start, start + 700)) for start in (0, 350, 5000)] * 2
    found = number_words(texts)
    assert found.distinct == 1050 + 700
    assert found.numbers[:700].tolist() == list(range(700))
    assert np.array_equal(found.numbers[:2100], found.numbers[2100:])
    assert found.texts[699:701].tolist() == [0, 1]


def test_empty_texts_are_not_errors():
    assert number_words([]).ends.tolist() == [0]
    found = number_words(["", " ,"], known="")
    assert found.distinct == 0 and found.ends.tolist() == [0, 0, 0]


def test_a_text_is_normalised_as_in_the_released_code():
    assert normalised("The U.S.  navy\n(founded 1775)'s") == "the u . s . navy ( founded 1775 ) ' s"
