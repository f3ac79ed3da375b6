"""BERT-iBLEU compared with hand-computed values, and with the mean that defines it."""

from statistics import harmonic_mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.metrics import bert_ibleu

SHARES = st.floats(0.01, 0.99)


def test_bert_ibleu_equals_the_hand_computed_value():
    # ((4 / 0.8 + 1 / (1 - 0.3)) / 5)^-1 = 5 / (5 + 10 / 7) = 7 / 9
    assert bert_ibleu(0.8, 0.3) == pytest.approx(7 / 9)
    # ((1 / 0.5 + 1 / 0.5) / 2)^-1
    assert bert_ibleu(0.5, 0.5, beta=1) == pytest.approx(0.5)
    assert bert_ibleu(1, 0) == 1


@given(SHARES, SHARES, st.floats(0.1, 10))
def test_bert_ibleu_is_a_weighted_harmonic_mean(similarity, copied, beta):
    expected = harmonic_mean([similarity, 1 - copied], weights=[beta, 1])
    assert bert_ibleu(similarity, copied, beta) == pytest.approx(expected)


def test_a_copy_and_a_sentence_with_another_meaning_score_zero():
    assert bert_ibleu(1, 1) == bert_ibleu(0, 0.2) == bert_ibleu(-0.1, 0) == 0
    assert bert_ibleu(1e-9, 0) < 1e-8 and bert_ibleu(1, 1 - 1e-9) < 1e-8, "as the mean near these"


def test_a_weight_that_is_not_above_0_is_refused():
    with pytest.raises(ValueError, match="beta is 0"):
        bert_ibleu(0.5, 0.5, beta=0)
