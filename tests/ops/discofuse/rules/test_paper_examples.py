"""Every example of Geva et al. (2019): Tables 1, 3, 4 and 15, Figures 1 and 2."""

from __future__ import annotations

import pytest

from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.dataset.unfuse import fusion_examples
from silverloom.ops.discofuse.rules import CONTROL, RULES, RuleParams, candidates
from tests.ops.discofuse.rules.fusion_texts import annotation, linked, splits, written

TABLE_1 = (
    (
        "PAIR_CONN",
        "Hebden Bridge is a popular place to live . However , space is limited due to the steep valleys and lack of flat land .",
        "however , | Hebden Bridge is a popular place to live . | Space is limited due to the steep valleys and lack of flat land .",
    ),
    (
        "SINGLE_CONN_START",
        "Although the friendship somewhat healed years later , it was a devastating loss to Croly .",
        "although | The friendship somewhat healed years later . | It was a devastating loss to Croly .",
    ),
    (
        "SINGLE_CONN_INNER",
        "Open workouts are held every Sunday unless the gym is closed for a holiday or other special events .",
        "unless | Open workouts are held every Sunday . | The gym is closed for a holiday or other special events .",
    ),
    (
        "SINGLE_CATAPHORA",
        "Stating that the proponents were unlikely to succeed in this appeal , Walker rejected the stay request on October 23 .",
        " | Walker stated that the proponents were unlikely to succeed in this appeal . | Walker rejected the stay request on October 23 .",
    ),
    (
        "SINGLE_S_COORD",
        "The time of the autumn floods came , and the hundred streams poured into the Yellow River .",
        ", and | The time of the autumn floods came . | The hundred streams poured into the Yellow River .",
    ),
    (
        "SINGLE_VP_COORD",
        "The Sharks started the year 0 - 4 , yet recovered to claim sixth spot .",
        ", yet | The Sharks started the year 0 - 4 . | The Sharks recovered to claim sixth spot .",
    ),
    (
        "SINGLE_RELATIVE",
        "Kubler , who retired from cycling in 1957 , remained a revered figure in the wealthy alpine nation .",
        " | Kubler remained a revered figure in the wealthy alpine nation . | Kubler retired from cycling in 1957 .",
    ),
    (
        "SINGLE_APPOSITION",
        "The frigidarium , the last stop in the bathhouse , was where guests would cool off in a large pool .",
        " | The frigidarium was where guests would cool off in a large pool . | The frigidarium is the last stop in the bathhouse .",
    ),
)
FIGURE_2 = (
    " | The Jacksonville Jazz Piano Competition takes place at the Florida Theatre . "
    "| The Jacksonville Jazz Piano Competition is a 30 year tradition ."
)


@pytest.mark.parametrize(("discourse_type", "text", "expected"), TABLE_1, ids=[each[0] for each in TABLE_1])
def test_the_examples_of_table_1_are_reproduced(discourse_type, text, expected):
    made = list(candidates(annotation(text), RuleParams()))
    assert [(each.example.discourse_type, written(each)) for each in made] == [(discourse_type, expected)]


def test_the_anaphora_of_table_1_is_reproduced():
    marked = (
        "[Rider] entered the weekend averaging 23.0 points , good for 10th in the league . "
        "{He} said those numbers mean little because of the Hawks ’ 11 - 18 record ."
    )
    (made,) = candidates(linked(marked), RuleParams())
    assert made.example.discourse_type == "PAIR_ANAPHORA"
    assert made.example.incoherent_second_sentence == (
        "Rider said those numbers mean little because of the Hawks ’ 11 - 18 record ."
    )
    assert (made.example.has_coref_type_pronoun, made.example.has_coref_type_nominal) == (1.0, 0.0)
    assert made.score == 0.9


def test_both_operations_of_figure_1_apply_to_one_pair():
    marked = "[Zeitler] was injured in the first match . However , {he} returned in the second half ."
    made, alone = candidates(linked(marked), RuleParams())
    assert alone.rule == "discourse_connective"
    assert (made.rule, made.example.discourse_type) == ("discourse_connective+anaphora", "PAIR_CONN_ANAPHORA")
    assert made.example.incoherent_second_sentence == "Zeitler returned in the second half ."


@pytest.mark.parametrize(
    "text",
    [
        "The Jacksonville Jazz Piano Competition, a 30 year tradition, takes place at the Florida Theatre.",
        "The Jacksonville Jazz Piano Competition , a 30 year tradition , takes place at the Florida Theatre .",
    ],
    ids=["natural", "tokenised"],
)
def test_the_apposition_of_figure_2_is_reproduced(text):
    assert splits(text) == [FIGURE_2]


def test_two_rules_are_executed_as_in_table_15():
    marked = (
        "[Ruiz] ordered his first shot to be retaken because Brazilian players entered the penalty area "
        "before {his} kick ."
    )
    made, alone = candidates(linked(marked), RuleParams())
    assert alone.example.discourse_type == "SINGLE_CONN_INNER"
    assert made.example.discourse_type == "SINGLE_CONN_INNER_ANAPHORA"
    assert made.example.incoherent_first_sentence == "Ruiz ordered his first shot to be retaken ."
    assert made.example.incoherent_second_sentence == (
        "Brazilian players entered the penalty area before Ruiz 's kick ."
    )


def test_table_15_is_reproduced_from_text_with_the_links_that_coreference_finds():
    """Alone, the sentence is not enough: its first word is tagged as a common noun."""
    text = (
        "The referee was Carlos Ruiz . Ruiz ordered his first shot to be retaken because Brazilian players "
        "entered the penalty area before his kick ."
    )
    examples = fusion_examples(text, annotator())
    [made] = [example for example in examples if example.discourse_type == "SINGLE_CONN_INNER_ANAPHORA"]
    assert (made.connective_string, made.has_coref_type_pronoun) == ("because", 1.0)
    assert made.incoherent_first_sentence == "Ruiz ordered his first shot to be retaken ."
    assert (
        made.incoherent_second_sentence == "Brazilian players entered the penalty area before Ruiz 's kick ."
    )


@pytest.mark.parametrize(
    "text",
    [
        "UPDATE: Peat falls because footwork and quickness.",
        "He told reporters after the game his reaction was because he missed a wide-open Randall Cobb in the end zone.",
    ],
)
def test_bad_examples_that_table_3_blames_on_text_or_rules_are_not_produced(text):
    assert splits(text) == []


def test_the_split_of_table_3_that_only_lacks_context_is_produced():
    assert splits("We were right on the heels of Spurs, although Everton were closing in.") == [
        ", although | We were right on the heels of Spurs . | Everton were closing in ."
    ]


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("The wall was moved . The space behind it is blocked off , however .", None),
        ("The wall was moved . The space is , however , blocked off .", "The space is blocked off ."),
        ("The wall was moved . However , , the space is blocked off .", "The space is blocked off ."),
        (
            "The wall was moved , but the space , which is small , is blocked off , .",
            "The space , which is small , is blocked off .",
        ),
    ],
)
def test_no_comma_is_left_before_a_full_stop_as_in_table_4(text, second):
    made = list(candidates(annotation(text), RuleParams()))
    for each in made:
        if each.rule != CONTROL:
            assert ", ." not in each.example.incoherent_first_sentence
            assert ", ." not in each.example.incoherent_second_sentence
            assert ", ," not in each.example.incoherent_second_sentence
    if second is None:
        assert {each.rule for each in made} == {CONTROL}
    else:
        assert second in [each.example.incoherent_second_sentence for each in made]


def test_a_noun_phrase_keeps_its_determiner_unlike_in_table_4():
    assert splits(
        "My internist , a friend of the family , sent me for a mammogram and sonogram .", "SINGLE_APPOSITION"
    ) == [
        " | My internist sent me for a mammogram and sonogram . | My internist was a friend of the family ."
    ]


def test_a_pronoun_next_to_its_name_is_not_replaced_unlike_in_table_4():
    marked = "[Lions] won the cup . {They} have a 3 - 1 record overall against Lions ."
    (made,) = candidates(linked(marked), RuleParams())
    assert made.rule == "control"


def test_every_row_of_table_14_has_a_rule():
    assert sorted({rule.row for rule in RULES} | {"Anaphora"}) == [
        "Anaphora",
        "Apposition",
        "Cataphora",
        "Discourse connective",
        "Forward connective",
        "Inner connective",
        "Relative clause",
        "Sentence coordination",
        "Verb phrase coordination",
    ]
