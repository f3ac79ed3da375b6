"""Aligning a fusion with its gold text, by hand and compared with all possible alignments."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.discofuse.evaluation.alignment import (
    CONNECTIVES,
    OTHER,
    aligned,
    both_pronouns,
    placed,
    predicted_connective,
    pronouns,
    slot,
    words,
)
from silverloom.ops.discofuse.rules import connectives as of_rules

TOKENS = st.lists(st.sampled_from(["a", "b", "he", "she"]), max_size=5)


def cost(gold, predicted, alignment):
    pairs = [(gold[at], predicted[place]) for at, place in enumerate(alignment) if place is not None]
    equal = sum(one == other for one, other in pairs)
    alike = sum(one != other and both_pronouns(one, other) for one, other in pairs)
    edits = len(gold) + len(predicted) - len(pairs) - equal
    return edits, -equal, -alike


def all_alignments(gold, predicted):
    for size in range(min(len(gold), len(predicted)) + 1):
        for ours in combinations(range(len(gold)), size):
            for theirs in combinations(range(len(predicted)), size):
                partner = dict(zip(ours, theirs, strict=True))
                yield [partner.get(at) for at in range(len(gold))]


@given(TOKENS, TOKENS)
def test_no_alignment_is_better(gold, predicted):
    best = min(cost(gold, predicted, one) for one in all_alignments(gold, predicted))
    alignment = aligned(gold, predicted)
    places = [place for place in alignment if place is not None]
    assert len(alignment) == len(gold) and places == sorted(set(places))
    assert cost(gold, predicted, alignment) == best


def test_a_replaced_word_is_aligned_with_what_replaces_it():
    assert aligned(words("x and he said"), words("x but she said")) == [0, 1, 2, 3]
    assert aligned(words("x . he said"), words("x . the team said")) == [0, 1, 3, 4]
    assert aligned(words("x who won left"), words("x left")) == [0, None, None, 1]


def test_among_minimal_edits_a_pronoun_is_aligned_with_a_pronoun():
    assert aligned(words("x however , he left"), words("x she left")) == [0, None, 1, 2]
    assert aligned(words("x he however , left"), words("x she left")) == [0, 1, None, 2]


def test_words_are_lower_case_and_without_commas():
    assert words("However , Ann 's dog , Rex , left .") == ["however", "ann", "'s", "dog", "rex", "left", "."]
    assert words(", but") == words("But") == ["but"]


def test_of_several_connectives_the_one_that_the_source_lacks_counts():
    source = words("Ann and Bob came . Chi and Dan left .")
    gold = words("Ann and Bob came , and Chi and Dan left .")
    assert placed("and", gold, source) == (4, 5)
    assert placed("but", gold, source) is None
    assert placed("", gold, source) is None


def test_a_slot_lies_between_the_nearest_words_that_both_texts_have():
    gold, predicted = words("a b , but c d ."), words("a b . however , c d .")
    assert slot(gold, predicted, aligned(gold, predicted), 2, 3) == [".", "however"]
    assert slot(gold, gold, aligned(gold, gold), 2, 3) == ["but"]
    gold, predicted = words("although a b , c"), words("a b . c")
    assert slot(gold, predicted, aligned(gold, predicted), 0, 1) == []


# The sentences are from the paper's Table 1 and Figure 1; the predictions are modelled on section 5.4.
COFFEE = "Hebden Bridge is a popular place to live . Space is limited due to the steep valleys ."


@pytest.mark.parametrize(
    ("connective", "source", "gold", "predicted", "output"),
    [
        ("however", COFFEE, "Hebden Bridge is a popular place to live . However , space is limited due to the steep valleys .",
         "Hebden Bridge is a popular place to live , but space is limited due to the steep valleys .", "but"),
        ("however", COFFEE, "Hebden Bridge is a popular place to live . However , space is limited due to the steep valleys .",
         COFFEE, OTHER),
        ("however", COFFEE, "Hebden Bridge is a popular place to live . However , space is limited due to the steep valleys .",
         "Hebden Bridge is a popular place to live . However space is limited due to the steep valleys .", "however"),
        ("and", "The time of the floods came . The streams poured into the river .",
         "The time of the floods came , and the streams poured into the river .",
         "The time of the floods came so that the streams poured into the river .", "so that"),
        ("although", "The friendship somewhat healed . It was a loss to Croly .",
         "Although the friendship somewhat healed , it was a loss to Croly .",
         "The friendship somewhat healed , but it was a loss to Croly .", OTHER),
        ("although", "The friendship somewhat healed . It was a loss to Croly .",
         "Although the friendship somewhat healed , it was a loss to Croly .",
         "While the friendship somewhat healed , it was a loss to Croly .", "while"),
        ("because", "Ruiz ordered his shot to be retaken . Players entered before Ruiz 's kick .",
         "Ruiz ordered his shot to be retaken because players entered before his kick .",
         "Ruiz ordered his shot to be retaken , as players entered before his kick .", OTHER),
        ("for example", "Many stayed . Ann stayed .", "Many stayed . For example , Ann stayed .",
         "Many stayed . For instance , Ann stayed .", "for instance"),
        ("but", "A b .  C d .", "A b , and C d .", "A b , but C d .", None),
        ("but", "A b . C d .", "A b , but C d .", "", OTHER),
    ],
)  # fmt: skip
def test_the_predicted_connective_is_the_one_in_the_slot_of_the_gold_one(
    connective, source, gold, predicted, output
):
    texts = map(words, (gold, predicted, source))
    assert predicted_connective(connective, *texts, CONNECTIVES) == output


def test_every_connective_of_the_rules_is_recognised_in_a_prediction():
    sets = (of_rules.BACKWARD, of_rules.INNER, of_rules.FORWARD, of_rules.COORDINATING)
    assert set().union(*sets) <= CONNECTIVES


def test_copied_pronouns_do_not_count():
    source = words("Zeitler lost his seat . Zeitler kept his name .")
    gold = words("Zeitler lost his seat . He kept his name .")
    assert pronouns(gold, gold, source) == [("he", "he")]
    assert pronouns(gold, source, source) == [("he", OTHER)]
    assert pronouns(gold, words("Zeitler lost his seat , but she kept his name ."), source) == [("he", "she")]
    assert pronouns(source, source, source) == []


def test_a_possessive_pronoun_that_was_not_inserted_counts_as_other():
    source = words("Ruiz ran . Players entered before Ruiz 's kick .")
    gold = words("Ruiz ran because players entered before his kick .")
    assert pronouns(gold, source, source) == [("his", OTHER)]
    assert pronouns(gold, words("Ruiz ran , and players entered before their kick ."), source) == [
        ("his", "their")
    ]


@given(TOKENS, TOKENS, TOKENS)
def test_each_pronoun_of_the_gold_text_counts_at_most_once(gold, predicted, source):
    predictions = pronouns(gold, predicted, source)
    assert len(predictions) <= sum(token in ("he", "she") for token in gold)
    assert {one.predicted for one in predictions} <= {"he", "she", OTHER}
    assert all(one.predicted == one.gold for one in pronouns(gold, gold, source))
