"""Summaries of a given length, from a ranking of sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.rank.choose import Budget, hybrid, only, truncated, within

SENTENCES = ["Cats sleep all day.", "Dogs bark at night.", "Cats sleep every day.", "Birds sing."]
TEXTS = st.lists(
    st.lists(st.sampled_from(["cats", "dogs", "birds", "the", "sing"]), max_size=6).map(" ".join)
)


def orders(texts):
    return st.permutations(range(len(texts)))


def test_sentences_are_added_by_rank_until_the_next_would_exceed_the_length_and_printed_in_paper_order():
    assert within(SENTENCES, [3, 1, 0, 2], Budget(words=6)) == [1, 3]
    assert within(SENTENCES, [3, 1, 0, 2], Budget(words=9)) == [1, 3]
    assert within(SENTENCES, [3, 1, 0, 2], Budget(sentences=3)) == [0, 1, 3]
    assert only(SENTENCES, [3, 1, 0, 2], 6) == (["Dogs bark at night.", "Birds sing."], [1, 3])
    assert only(SENTENCES, [0, 3], 1).positions == [0]
    assert only([], [], 5) == ([], [])


def test_a_truncated_summary_has_exactly_the_words_and_loses_those_of_the_lowest_rank():
    found = only(SENTENCES, [3, 1, 0, 2], 9, cut=True)
    assert found.text == "Cats sleep all Dogs bark at night. Birds sing."
    assert found.positions == [0, 1, 3]
    assert only(SENTENCES, [1], 3, cut=True).text == "Dogs bark at"
    assert only(SENTENCES, [3], 9, cut=True).text == "Birds sing."
    assert truncated("a  b\nc d", 3) == "a b c"


def test_a_hybrid_summary_is_the_abstract_followed_by_what_does_not_repeat_it():
    abstract = ["We watch animals.", "Cats sleep all day long."]
    found = hybrid(abstract, SENTENCES, [2, 3, 1, 0], 14)
    assert found == ([*abstract, "Dogs bark at night.", "Birds sing."], [1, 3])
    assert hybrid(abstract, SENTENCES, [2, 3, 1, 0], 14, redundant=1.0).positions == [2, 3]
    assert hybrid(abstract, SENTENCES, [2, 3, 1, 0], 11, cut=True).text.endswith("Dogs Birds sing.")


def test_a_sentence_that_repeats_an_extracted_one_is_left_out():
    assert hybrid([], SENTENCES, [0, 2, 3], 150).positions == [0, 3]
    assert hybrid([], ["Of the and.", "Birds sing."], [0, 1], 150).positions == [1]


def test_an_abstract_that_fills_the_summary_is_the_whole_summary():
    abstract = ["We watch animals.", "Cats sleep all day long."]
    assert hybrid(abstract, SENTENCES, [3], 7) == (["We watch animals."], [])
    assert hybrid(abstract, SENTENCES, [3], 7, cut=True).text == "We watch animals. Cats sleep all day"
    assert hybrid(abstract[1:], SENTENCES, [3], 2, cut=True) == (["Cats sleep"], [])
    assert hybrid(abstract[1:], SENTENCES, [3], 2) == (abstract[1:], [])


@pytest.mark.parametrize("choose", [only, lambda *given: hybrid(["A."], *given)])
def test_an_invalid_order_is_refused(choose):
    with pytest.raises(ValueError, match="sentence 4 is ranked, the paper has 4"):
        choose(SENTENCES, [4])
    with pytest.raises(ValueError, match="sentence 1 is ranked twice"):
        choose(SENTENCES, [1, 0, 1])


@given(TEXTS.flatmap(lambda texts: st.tuples(st.just(texts), orders(texts))), st.integers(1, 20))
def test_only_is_the_result_of_a_walk_down_the_order(drawn, words):
    texts, order = drawn
    taken, used = [], 0
    for index in order:
        used += len(texts[index].split())
        if taken and used > words:
            break
        taken.append(index)
    assert only(texts, order, words).positions == sorted(taken)
    whole = sum(len(text.split()) for text in texts)
    assert len(only(texts, order, words, cut=True).text.split()) == min(words, whole)


@given(TEXTS, TEXTS.flatmap(lambda texts: st.tuples(st.just(texts), orders(texts))), st.integers(1, 20))
def test_a_hybrid_summary_keeps_its_limit_and_no_pair_is_redundant(abstract, drawn, words):
    texts, order = drawn
    found = hybrid(abstract, texts, order, words)
    assert sum(len(text.split()) for text in found.sentences) <= words or len(found.sentences) == 1
    assert len(hybrid(abstract, texts, order, words, cut=True).text.split()) <= words
    extracted = [set(texts[index].split()) - {"the"} for index in found.positions]
    assert all(extracted) and len(set(map(frozenset, extracted))) == len(extracted)
    assert found.sentences[len(found.sentences) - len(found.positions) :] == [
        texts[i] for i in found.positions
    ]
