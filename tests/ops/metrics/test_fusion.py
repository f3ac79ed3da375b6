"""Exact match and SARI, computed by hand, and compared with SARI written out with fractions and sets."""

import os
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.metrics import exact_match, sari

WORDS = st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join)
REFERENCES = st.lists(WORDS, min_size=1, max_size=3)


def test_sari_with_one_reference_by_hand():
    # source a b, prediction a c, reference a c d.
    # n = 1: keep {a} of {a}: 1. add {c} of {c, d}: P 1, R 1/2, F1 2/3. delete {b} of {b}: 1.
    # n = 2: keep none of none: 1. add {ac} of {ac, cd}: 2/3. delete {ab} of {ab}: 1.
    # n = 3: keep 0/0: 1. add none of {acd}: P 1, R 0: 0. delete 0/0: 1.
    # n = 4: no text has any: 1, 1, 1.
    found = sari("a b", "a c", ["a c d"])
    add = (2 / 3 + 2 / 3 + 0 + 1) / 4
    assert found == pytest.approx((1, add, 1, (1 + add + 1) / 3))


def test_sari_with_two_references_by_hand():
    # source a b, prediction a, references "a b" and "a c".
    # n = 1: a is wanted by 2 of 2, b by 1 of 2. keep {a}: P 1, R 1 / (1 + 1/2) = 2/3, F1 4/5.
    #        add: none chosen, {c} to add: R 0: 0. delete {b}: P 1/2, R (1/2) / (1/2) = 1, F1 2/3.
    # n = 2: ab is wanted by 1 of 2. keep: none chosen, R 0: 0. add: none of {ac}: 0.
    #        delete {ab}: P 1/2, R 1, F1 2/3.
    # n = 3, 4: no text has any: 1, 1, 1.
    keep, add, delete = (4 / 5 + 0 + 2) / 4, (0 + 0 + 2) / 4, (2 / 3 + 2 / 3 + 2) / 4
    found = sari("a b", "a", ["a b", "a c"])
    assert found == pytest.approx((keep, add, delete, (keep + add + delete) / 3))


def test_copying_the_source_keeps_all_and_deletes_nothing():
    # source and prediction a b, reference b: n = 1: keep P 1/2, R 1, F1 2/3; delete: none of {a}: 0; n = 2: keep
    # {ab}: P 0: 0; delete: none of {ab}: 0; all else 1.
    assert sari("a b", "a b", ["b"]) == pytest.approx((2 / 3 / 4 + 2 / 4, 1, 2 / 4, (2 / 3 / 4 + 2) / 3))


@given(WORDS, WORDS)
def test_the_only_reference_scores_1_in_any_case(source, reference):
    assert sari(source, reference.upper(), [reference]) == (1, 1, 1, 1)


@given(WORDS, WORDS, REFERENCES)
def test_sari_is_between_0_and_1_and_does_not_depend_on_the_order_of_references(
    source, prediction, references
):
    found = sari(source, prediction, references)
    assert all(0 <= value <= 1 for value in found)
    assert found == sari(source, prediction, references[::-1])


def slow_f1(chosen, wanted):
    hits = sum((wanted.get(gram, Fraction(0)) for gram in chosen), Fraction(0))
    precision = hits / len(chosen) if chosen else Fraction(1)
    recall = hits / sum(wanted.values()) if sum(wanted.values()) else Fraction(1)
    return 2 * precision * recall / (precision + recall) if precision and recall else Fraction(0)


@given(WORDS, WORDS, REFERENCES)
def test_sari_equals_the_version_with_fractional_weights(source, prediction, references):
    def grams(text, n):
        tokens = text.split()
        return {tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)}

    parts = []
    for n in range(1, 5):
        s, p, asked = grams(source, n), grams(prediction, n), [g for r in references if (g := grams(r, n))]
        share = {
            gram: Fraction(sum(gram in one for one in asked), len(asked)) for one in asked for gram in one
        }
        parts.append(
            (
                slow_f1(s & p, {gram: share[gram] for gram in share if gram in s}),
                slow_f1(p - s, {gram: Fraction(1) for gram in share if gram not in s}),
                slow_f1(s - p, {gram: 1 - share.get(gram, Fraction(0)) for gram in s}),
            )
        )
    means = [float(sum(column) / 4) for column in zip(*parts, strict=True)]
    assert sari(source, prediction, references) == pytest.approx((*means, sum(means) / 3))


def test_an_exact_match_compares_token_sequences_in_any_letter_case():
    assert exact_match("He left , but  I stayed .", ["no", "he left , But I stayed ."])
    assert not exact_match("he left , but I stayed.", ["he left , but I stayed ."])


@pytest.mark.parametrize("metric", [exact_match, lambda *args: sari("a", *args)], ids=["exact", "sari"])
def test_a_string_or_nothing_instead_of_references_is_refused(metric):
    with pytest.raises(TypeError, match="references are a list"):
        metric("a", "a")
    with pytest.raises(ValueError, match="no reference"):
        metric("a", [])


def test_the_package_loads_neither_torch_nor_sacrebleu_nor_nltk():
    code = "import sys, silverloom.ops.metrics; print(sorted({'torch', 'sacrebleu', 'nltk', 'numba'} & set(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert run.stdout == "[]\n"
