"""Rankers compared with obvious slow versions, and computed by hand."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.rank.rankers import (
    best_first,
    bigram_gains,
    content_words,
    lead,
    oracle_of_references,
    shuffled,
    sum_basic,
    text_rank,
    words,
)

UNITS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=9), max_size=9)


def test_words_are_runs_of_letters_and_digits_as_in_rouge():
    found = words("State-of-the-art: 63 % of A_b's, naïve!")
    assert " ".join(found) == "state of the art 63 of a b s naïve"
    assert content_words("We don't know what the model's heads do.") == ["know", "model", "heads"]


def test_scores_give_an_order_with_ties_to_the_lowest_index():
    assert best_first([1.0, 3.0, 1.0, 3.0, 2.0]) == [1, 3, 4, 0, 2]
    assert best_first([]) == lead(0) == []
    with pytest.raises(ValueError, match="unit 1 is not a number"):
        best_first([0.0, math.nan])


def test_a_random_order_depends_only_on_seed_and_document():
    assert shuffled(6, 0, "a") == shuffled(6, 0, "a")
    assert sorted(shuffled(100, 0, "a")) == lead(100)
    assert len({tuple(shuffled(100, *key)) for key in [(0, "a"), (1, "a"), (0, "b")]}) == 3
    firsts = Counter(shuffled(4, 0, str(number))[0] for number in range(2000))
    assert all(420 < firsts[index] < 580 for index in range(4))


def dense_text_rank(units, damping):
    def weight(i, j):
        below = math.log(len(units[i]) or 1) + math.log(len(units[j]) or 1)
        return len(set(units[i]) & set(units[j])) / below if i != j and below else 0.0

    everything = range(len(units))
    weights = np.array([[weight(i, j) for j in everything] for i in everything], dtype=float).reshape(
        len(units), len(units)
    )
    degrees = weights.sum(axis=1)
    scores = np.ones(len(units))
    for _ in range(400):
        given = np.divide(scores, degrees, out=np.zeros(len(units)), where=degrees > 0)
        scores = 1 - damping + damping * weights.T @ given
    return scores.tolist()


@given(UNITS, st.sampled_from([0.0, 0.5, 0.85]))
def test_text_rank_equals_the_dense_version(units, damping):
    assert text_rank(units, damping) == pytest.approx(dense_text_rank(units, damping), abs=2e-6)


@given(UNITS, st.randoms())
def test_text_rank_does_not_depend_on_the_order_of_units_or_words(units, random):
    order = random.sample(range(len(units)), len(units))
    moved = [random.sample(units[index], len(units[index])) for index in order]
    scores = text_rank(units)
    assert text_rank(moved) == pytest.approx([scores[index] for index in order], abs=2e-6)


def test_text_rank_of_units_of_very_many_lengths_equals_the_dense_version():
    units = [[f"w{(number * step) % 97}" for step in range(1, number + 2)] for number in range(150)]
    assert text_rank(units) == pytest.approx(dense_text_rank(units, 0.85), abs=2e-6)


def test_text_rank_gives_the_teleport_share_to_isolated_units():
    found = text_rank([["a"], ["a"], [], ["b", "c"], ["d", "a"]])
    assert found[2] == found[3] == 0.15
    assert found[0] == found[1] < found[4]
    assert text_rank([]) == [] and text_rank([[], []]) == pytest.approx([0.15, 0.15])
    with pytest.raises(ValueError, match="damping"):
        text_rank([["a"]], 1.0)


def slow_sum_basic(units):
    every = [word for unit in units for word in unit]
    chance = {word: every.count(word) / len(every) for word in every}
    left = [index for index, unit in enumerate(units) if unit]
    order = []
    while left:
        known = [word for word in dict.fromkeys(every) if any(word in units[index] for index in left)]
        top = max(known, key=lambda word: chance[word])
        weight = {index: math.fsum(map(chance.get, units[index])) / len(units[index]) for index in left}
        best = max(
            (index for index in left if top in units[index]), key=lambda index: (weight[index], -index)
        )
        order.append(best)
        left.remove(best)
        for word in set(units[best]):
            chance[word] **= 2
    return order + [index for index, unit in enumerate(units) if not unit]


@given(UNITS)
def test_sum_basic_equals_the_slow_version(units):
    assert sum_basic(units) == slow_sum_basic(units)


def test_sum_basic_prefers_words_that_are_new():
    units = [["rain", "rain", "wind"], ["rain", "rain"], ["snow", "ice"], []]
    # rain 4/7: 'rain rain' has the greatest weight; then rain is 16/49, and still the most probable word.
    assert sum_basic(units) == [1, 0, 2, 3]
    assert sum_basic([]) == [] and sum_basic([["a"]] * 600) == lead(600)


def rouge(unit_words, reference, order, measure):
    def grams(tokens):
        return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))

    mine = sum((grams(unit) for unit in unit_words), Counter())
    wanted = grams(reference)
    matched = (mine & wanted).total()
    below = wanted.total() if measure == "recall" else wanted.total() + mine.total()
    return (1 if measure == "recall" else 2) * matched / below if matched else 0.0


def rouge_of_several(unit_words, references, order, measure):
    def grams(texts):
        return Counter(tuple(one[i : i + order]) for one in texts for i in range(len(one) - order + 1))

    mine, wanted = grams(unit_words), [grams(one) for one in references]
    matched = sum((mine & one).total() for one in wanted)
    below = sum(one.total() + (mine.total() if measure == "f" else 0) for one in wanted)
    return (1 if measure == "recall" else 2) * matched / below if matched else 0.0


def slow_oracle(units, reference, sizes, budget, orders, measure, rouge=rouge):
    chosen, score = [], 0.0
    while True:
        tries = {}
        for index in range(len(units)):
            if index in chosen or (chosen and sum(sizes[i] for i in chosen) + sizes[index] > budget):
                continue
            taken = [units[i] for i in [*chosen, index]]
            tries[index] = sum(rouge(taken, reference, order, measure) for order in orders)
        best = max(tries, key=lambda index: (tries[index], -index), default=None)
        if best is None or tries[best] <= score:
            return chosen
        chosen.append(best)
        score = tries[best]


@given(
    UNITS,
    st.lists(st.sampled_from("abcd"), max_size=12),
    st.integers(1, 20),
    st.sampled_from([(1,), (2,), (1, 2), (3, 1)]),
    st.sampled_from(["recall", "f"]),
)
def test_the_oracle_equals_the_slow_version(units, reference, budget, orders, measure):
    sizes = [len(unit) for unit in units]
    found = oracle_of_references(units, [[reference]], sizes, budget, orders, measure)
    assert found == slow_oracle(units, reference, sizes, budget, orders, measure)


@given(
    UNITS,
    st.lists(st.lists(st.lists(st.sampled_from("abcd"), max_size=5), max_size=3), max_size=3),
    st.integers(1, 20),
    st.sampled_from([(1,), (2,), (1, 2), (3, 1)]),
    st.sampled_from(["recall", "f"]),
)
def test_the_oracle_of_several_references_equals_the_slow_version(units, references, budget, orders, measure):
    sizes = [len(unit) for unit in units]
    found = oracle_of_references(units, references, sizes, budget, orders, measure)
    assert found == slow_oracle(units, references, sizes, budget, orders, measure, rouge_of_several)


def test_content_of_two_references_counts_more_than_content_that_one_repeats():
    references = [[["a", "x", "x"]], [["a", "y"]]]
    assert oracle_of_references([["x"], ["a"]], references, [1, 1], 1) == [1]


def test_the_oracle_refuses_mismatched_input():
    with pytest.raises(ValueError, match="1 units, 2 sizes"):
        oracle_of_references([["a"]], [[["a"]]], [1, 2], 3)
    with pytest.raises(ValueError, match="orders of n-grams are 1 or more"):
        oracle_of_references([["a"]], [[["a"]]], [1], 3, orders=(0,))


def test_gains_per_word_are_as_counted_by_hand():
    reference = ["a", "b", "c", "d", "a", "b"]
    units = [
        ["a", "b"],
        ["a", "b", "a", "b", "a", "b", "x", "x", "x", "x"],
        ["a", "b", "c", "d", "e", "f", "g", "h"],
        [],
        ["a"],
    ]
    # Shared pairs, clipped: 1 in 8 (of 2), 2 ("a b" twice) in 10, 3 in 8; the best has 3/8.
    expected = [1 / 3, (2 / 10) / (3 / 8), 1.0, 0.0, 0.0]
    # "b a" is not a pair of the reference.
    assert bigram_gains(units, reference) == pytest.approx(expected)
    assert bigram_gains(units, reference, least=1) == pytest.approx([1.0, 0.4, 0.75, 0.0, 0.0])
    assert bigram_gains(units, ["z"]) == [0.0] * 5
    assert bigram_gains([], reference) == []
