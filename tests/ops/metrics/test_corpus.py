"""Intervals, the paired test, BLEU and columns of items."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.metrics import (
    ROUGE,
    bleu,
    bleu_counts,
    bleu_of_sums,
    exact_match,
    fusion_items,
    interval,
    means,
    paired_bootstrap,
    rouge_items,
    rouge_of_references,
    sari,
    sentence_bleu,
)

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=12)
PAIRS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12)
PREDICTIONS = ["the cat sat on the mat", "a dog", "he reads books all day long"]
REFERENCES = [["the cat is on the mat"], ["a dog barks", "the dog"], ["he reads books all day"]]


@given(SCORES, st.integers(0, 3))
def test_an_interval_contains_the_mean_and_lies_within_the_scores(scores, seed):
    found = interval(scores, 50, seed)
    assert found.mean == pytest.approx(sum(scores) / len(scores), abs=1e-6)
    assert min(scores) - 1e-6 <= found.low <= found.mean <= found.high <= max(scores) + 1e-6
    assert found == interval(scores, 50, seed)


def test_an_interval_is_made_of_the_quantiles_of_resampled_means():
    scores = np.random.Generator(np.random.PCG64(5)).random(40)
    generator = np.random.Generator(np.random.PCG64(7))
    slow = [scores[generator.integers(0, 40, 40)].mean() for _ in range(200)]
    found = interval(scores, 200, seed=7, confidence=0.9)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(slow, (0.05, 0.95))), abs=1e-6)


@given(PAIRS, st.integers(0, 3))
def test_swapping_the_systems_negates_the_difference_and_keeps_p(pairs, seed):
    first, second = zip(*pairs, strict=True)
    there, back = paired_bootstrap(first, second, 50, seed), paired_bootstrap(second, first, 50, seed)
    assert there.p == back.p
    assert 0 < there.p <= 1
    assert there.difference == -back.difference
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=2e-6)
    assert there.low <= there.difference <= there.high


def test_p_is_1_for_equal_scores_and_as_low_as_the_resamples_allow_for_a_clear_winner():
    assert paired_bootstrap([0.1, 0.7, 0.3], [0.1, 0.7, 0.3]).p == 1
    assert paired_bootstrap([0.3, 0.9, 0.5], [0.1, 0.7, 0.3], resamples=999).p == pytest.approx(2 / 1000)


def test_p_of_two_items_is_found_by_counting():
    # Differences 1 and -0.5: of the 4 resamples, only the one with the second item twice is below 0: one in 4.
    assert paired_bootstrap([1.0, 0.0], [0.0, 0.5], resamples=20_000).p == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: interval([]), "no items"),
        (lambda: interval([0.5, float("nan")]), "item 1 has no finite score"),
        (lambda: interval([0.5], resamples=0), "resamples >= 1"),
        (lambda: interval([0.5], confidence=1), "confidence < 1"),
        (lambda: paired_bootstrap([1, 2], [1]), "same items"),
        (lambda: bleu(["a"], []), "1 predictions and references of 0 items"),
        (lambda: bleu([], []), "no items"),
        (lambda: rouge_items(["a"], [[]]), "item 0 has no reference"),
        (lambda: rouge_items(["a"], []), "1 predictions and references of 0 items"),
        (lambda: fusion_items([], ["a"], [["a"]]), "0 sources and 1 predictions"),
        (lambda: means(rouge_items([], [])), "column rouge1_precision: there are no items"),
    ],
)
def test_items_that_cannot_be_scored_are_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_bleu_by_hand_with_its_signature():
    # 6 tokens each: 5 of 6 unigrams, 3 of 5, 1 of 4, 0 of 3; smoothing exp makes the last one 1 / (2 * 3).
    found = bleu(["the cat sat on the mat"], [["the cat is on the mat"]])
    assert found.score == pytest.approx((5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** 0.25)
    assert found.precisions == pytest.approx((5 / 6, 3 / 5, 1 / 4, 1 / 6))
    assert (found.brevity_penalty, found.predicted_tokens, found.reference_tokens) == (1, 6, 6)
    assert found.signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")


def test_bleu_of_a_short_prediction_is_reduced_by_the_brevity_penalty():
    assert sentence_bleu("a b c d", ["a b c d e f g h"], "none") == pytest.approx(np.exp(1 - 8 / 4))
    assert sentence_bleu("a b", ["a b"]) == pytest.approx(1)


@pytest.mark.parametrize("smooth", ["exp", "none", "floor", "add-k"])
def test_bleu_of_summed_counts_equals_that_of_the_corpus(smooth):
    counts = bleu_counts(PREDICTIONS, REFERENCES)
    of_sums = bleu_of_sums(smooth)
    whole = bleu(PREDICTIONS, REFERENCES, smooth=smooth).score
    assert of_sums(counts.sum(axis=0, keepdims=True))[0] == pytest.approx(whole)
    found = interval(counts, 100, of_sums=of_sums)
    assert found.low <= found.mean == pytest.approx(whole, abs=1e-6)
    assert found.mean <= found.high
    assert paired_bootstrap(counts, counts, 100, of_sums=of_sums).p == 1


def test_items_have_the_scores_of_each_in_columns():
    items = rouge_items(PREDICTIONS, REFERENCES, combine="best", words=5)
    assert (items.num_rows, items.num_columns) == (3, 15)
    for index, row in enumerate(items.to_pylist()):
        scores = rouge_of_references(PREDICTIONS[index], REFERENCES[index], "best", words=5)
        assert list(row.values()) == [value for name in ROUGE for value in scores[name]]
    sources = ["the cat sat", "a dog", "he reads"]
    for index, row in enumerate(fusion_items(sources, PREDICTIONS, REFERENCES).to_pylist()):
        found = sari(sources[index], PREDICTIONS[index], REFERENCES[index])
        exact = exact_match(PREDICTIONS[index], REFERENCES[index])
        assert list(row.values()) == [exact, found.score, found.keep, found.add, found.delete]


def test_means_of_columns_are_over_the_same_resamples():
    items = rouge_items(PREDICTIONS, REFERENCES)
    found = means(items, 100, seed=3)
    assert list(found) == items.column_names
    assert found["rouge2_f"] == interval(items["rouge2_f"].to_pylist(), 100, seed=3)
