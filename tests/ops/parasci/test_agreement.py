"""Disagreements of two sentences that word similarity misses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parasci.dataset.agreement import agreement, directions, names, negated, numbers
from silverloom.ops.parasci.dataset.scorer import ScorerParams, consistency


@pytest.mark.parametrize(
    "sentence, found",
    [
        ("It has 1,200 words of 3.5 letters.", {"1200", "3.5"}),
        ("We found twelve of them, twice.", {"12", "2"}),
        ("One may use IBM4 and ROUGE-2.", set()),
    ],
)
def test_numbers_are_found_in_digits_and_words(sentence, found):
    assert numbers(sentence) == found


@pytest.mark.parametrize(
    "sentence, found",
    [
        ("Trees of the SemCor corpus", {"semcor"}),
        ("We use GIZA++ and the Penn Tree-Banks", {"giza", "penn", "treebank"}),
        ("LSTMs and an LSTM", {"lstm"}),
        ("in small letters none is told", set()),
    ],
)
def test_names_are_words_with_capitals(sentence, found):
    assert names(sentence) == found


def test_a_negation_is_a_word_or_an_ending():
    assert negated("It doesn't help.") and negated("It fails.") and negated("a non-projective tree")
    assert not negated("Nothingness is a note.")


def test_directions_are_up_down_both_or_none():
    assert directions("Recall is higher, precision lower.") == {"up", "down"}
    assert directions("A tree is a graph.") == set()


def test_sentences_agree_as_far_as_they_say_the_same():
    first = "BLEU rises by 2 points on WMT14, not less."
    found = agreement(first, "BLEU drops by 3 points on WMT14.")
    assert found == (0.0, 0.0, 1.0, 1.0), "the first sentence has both directions"
    assert agreement("BLEU rises.", "BLEU drops.").direction == 0
    assert agreement("BLEU is 2.", "METEOR is 2.") == (1.0, 1.0, 0.0, 1.0)


@given(st.text(), st.text())
def test_agreement_is_a_share_that_is_symmetric_and_1_with_itself(first, second):
    found = agreement(first, second)
    assert found == agreement(second, first)
    assert all(0 <= value <= 1 for value in found)
    assert agreement(first, first) == (1, 1, 1, 1)


def test_the_prediction_is_a_weighted_sum_of_features_and_f1_alone_is_the_papers():
    features = {"f1": 0.84, "numbers": 0.5, "names": 1.0}
    assert consistency(features, ScorerParams(intercept=0, weights={"f1": 1})) == 0.84
    assert consistency(features, ScorerParams(intercept=1, weights={"f1": 2, "numbers": -1})) == 2.18


def test_weights_for_unknown_features_are_refused():
    with pytest.raises(ValueError, match="colour"):
        ScorerParams(weights={"colour": 1.0})
