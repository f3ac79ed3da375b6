"""The candidates of a document: controls, order, duplicates, odd documents."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.ops.coreference.links import Link
from silverloom.ops.discofuse.annotation import Annotation
from silverloom.ops.discofuse.rules import RULES, RuleParams, candidates
from silverloom.ops.discofuse.rules.rule import DISCOURSE_TYPES
from tests.ops.discofuse.rules.fusion_texts import annotation, linked, splits


def made(parsed: Annotation, **knobs: float) -> list:
    return list(candidates(parsed, RuleParams(**knobs)))


def test_a_pair_that_no_rule_matches_is_an_unchanged_control():
    (control,) = made(annotation("The road is closed ! Is the tunnel open ?"))
    assert control.rule == "control"
    assert control.example.discourse_type == "PAIR_NONE"
    assert control.example.coherent_first_sentence == control.example.incoherent_first_sentence
    assert (
        control.example.coherent_second_sentence
        == control.example.incoherent_second_sentence
        == "Is the tunnel open ?"
    )
    assert control.score is None


def test_every_two_neighbours_are_a_pair_and_every_sentence_is_examined():
    text = "Bob , who is old , came home . But Anna left . Ann is ill ."
    assert [(each.sentence, each.rule) for each in made(annotation(text))] == [
        (0, "relative_clause"),
        (0, "discourse_connective"),
        (1, "control"),
    ]


def test_a_text_of_one_sentence_has_no_second_one():
    (made_of_one,) = made(annotation("The rain stopped , and the sun came out ."))
    assert made_of_one.example.coherent_first_sentence == "The rain stopped , and the sun came out ."
    assert made_of_one.example.coherent_second_sentence == ""


def test_a_text_gives_a_candidate_for_every_rule_that_matches():
    text = "Anna , who was ill , stayed at home , and her brother , a doctor , came because she called him ."
    assert len({each.rule for each in made(annotation(text))}) >= 3


def test_equal_candidates_appear_once():
    text = "The rain stopped , and the sun came out , and the birds sang ."
    examples = [each.example for each in made(annotation(text))]
    assert len(examples) == len(set(examples))


def test_a_link_below_its_threshold_is_not_used():
    parsed = linked("[Anna] came home . {Her} house was dark .", score=0.6)
    assert [each.rule for each in made(parsed, pronoun_score=0.61)] == ["control"]
    (used,) = made(parsed, pronoun_score=0.6)
    assert (used.rule, used.score) == ("anaphora", 0.6)
    nominal = linked("[The Lions] came home . {The team} had lost .", score=0.6)
    assert [each.rule for each in made(nominal, nominal_score=0.61)] == ["control"]
    assert [each.rule for each in made(nominal, nominal_score=0.6)] == ["anaphora"]


def test_a_name_is_preferred_to_a_nominal_and_a_more_certain_link_to_another():
    parsed = annotation("The player and Bob Hall met Tom . He won .")
    spans = {"player": (0, 2), "Hall": (3, 5), "Tom": (6, 7)}

    def with_links(**scores: float) -> str:
        links = tuple(Link("pronoun", (8, 9), spans[name], score) for name, score in scores.items())
        return made(dataclasses.replace(parsed, links=links))[0].example.incoherent_second_sentence

    assert with_links(player=0.9, Hall=0.8) == "Bob Hall won ."
    assert with_links(Hall=0.8, Tom=0.9) == "Tom won ."


def test_an_antecedent_two_sentences_earlier_is_not_in_the_pair():
    parsed = annotation("Anna came home . The house was dark . She slept .")
    linked_far = dataclasses.replace(parsed, links=(Link("pronoun", (9, 10), (0, 1), 0.9),))
    assert {each.rule for each in made(linked_far)} == {"control"}


def test_a_connective_counts_only_among_the_first_tokens():
    text = "The road was closed . The old tunnel was , however , open again ."
    assert splits(text, "PAIR_CONN") == []
    assert splits(text, "PAIR_CONN", params=RuleParams(connective_within=6)) == [
        "however , | The road was closed . | The old tunnel was open again ."
    ]


def test_a_conjunct_counts_only_near_its_conjunction():
    text = "The rain stopped , and the new mayor of London came home ."
    assert splits(text, "SINGLE_S_COORD") == [
        ", and | The rain stopped . | The new mayor of London came home ."
    ]
    assert splits(text, "SINGLE_S_COORD", params=RuleParams(conjunct_within=2)) == []


@pytest.mark.parametrize(
    ("subject", "within"), [("birds", 2), ("the small birds", 4), ("most of the small birds", 6)]
)
def test_the_verb_of_a_clause_with_a_subject_is_bounded_if_params_say_so(subject, within):
    text = f"The sun came out , and {subject} sang ."
    assert len(splits(text, "SINGLE_S_COORD")) == 1
    assert len(splits(text, "SINGLE_S_COORD", params=RuleParams(clause_within=within))) == 1
    assert splits(text, "SINGLE_S_COORD", params=RuleParams(clause_within=within - 1)) == []


@pytest.mark.parametrize(
    "text",
    [
        ". . . !",
        ", , ,",
        "😀 😀 😀 . 😀 !",
        "Although",
        "However , however , however .",
        "and and and . or or or .",
        "Who , which , whose , whom , .",
        "Running , .",
        "Because .",
    ],
)
def test_texts_that_are_hardly_language_are_accepted(text):
    assert {each.rule for each in made(annotation(text))} <= {"control"}


def test_a_sentence_of_a_thousand_tokens_is_accepted():
    text = " ".join(["the old man and the sea ,"] * 150) + " ."
    assert made(annotation(text)) == []


def test_ten_thousand_sentences_give_a_pair_between_any_two():
    one = annotation("The rain stopped .")
    count, length = 10_000, len(one.words)
    many = Annotation(
        words=list(one.words) * count,
        spaces=list(one.spaces) * count,
        tags=list(one.tags) * count,
        dependencies=list(one.dependencies) * count,
        heads=[head + length * at for at in range(count) for head in one.heads],
        lemmas=list(one.lemmas) * count,
        entities=list(one.entities) * count,
        sentences=[(length * at, length * (at + 1)) for at in range(count)],
        links=(),
    )
    assert sum(1 for _ in candidates(many, RuleParams())) == count - 1


LABELS = [
    "nsubj",
    "ROOT",
    "cc",
    "conj",
    "punct",
    "mark",
    "advcl",
    "relcl",
    "appos",
    "det",
    "aux",
    "advmod",
    "dobj",
    "poss",
]
WORDS = [
    "he",
    ",",
    "and",
    "who",
    "because",
    "although",
    "however",
    "a",
    "walks",
    "(",
    '"',
    "``",
    ".",
    "?",
    "Walking",
    "so",
    "that",
]
TAGS = ["NN", "NNP", "VBD", "VBZ", "VBG", "VBN", "VB", "MD", "PRP", "PRP$", "CC", ",", "IN", "DT", "RB"]


@st.composite
def annotations(draw):
    lengths = draw(st.lists(st.integers(1, 12), min_size=1, max_size=4))
    total = sum(lengths)
    words, tags, dependencies = (
        draw(st.lists(st.sampled_from(values), min_size=total, max_size=total))
        for values in (WORDS, TAGS, LABELS)
    )
    sentences, heads, start = [], [], 0
    for length in lengths:
        # A tree: the head of every token was placed before it.
        order = draw(st.permutations(range(start, start + length)))
        parents = {order[0]: order[0]}
        for at, token in enumerate(order[1:], 1):
            parents[token] = order[draw(st.integers(0, at - 1))]
        heads += [parents[token] for token in range(start, start + length)]
        sentences.append((start, start + length))
        start += length
    spans = st.integers(0, total - 1).flatmap(
        lambda at: st.tuples(st.just(at), st.integers(at + 1, min(total, at + 3)))
    )
    links = draw(
        st.lists(
            st.builds(Link, st.sampled_from(["pronoun", "nominal"]), spans, spans, st.floats(0, 1)),
            max_size=4,
        )
    )
    return Annotation(
        words, [True] * total, tags, dependencies, heads, words, [""] * total, sentences, sorted(links, key=lambda link: link.mention)
    )  # fmt: skip


@settings(max_examples=4 * settings.default.max_examples)
@given(annotations())
def test_the_outcome_is_well_formed_for_any_parse(parsed):
    first = made(parsed)
    assert first == made(parsed)
    names = {rule.name for rule in RULES} | {"anaphora", "control"}
    for each in first:
        example = each.example
        assert example.discourse_type in DISCOURSE_TYPES
        assert (example.coherent_second_sentence == "") == example.discourse_type.startswith("SINGLE")
        assert set(each.rule.split("+")) <= names
        assert bool(each.replaced) == ("ANAPHORA" in example.discourse_type)
        assert bool(example.has_coref_type_pronoun or example.has_coref_type_nominal) == bool(each.replaced)
        assert example.connective_string == example.connective_string.lower()
        assert example.incoherent_first_sentence
        assert example.incoherent_second_sentence
        if example.discourse_type.startswith("SINGLE"):
            assert ", ." not in example.incoherent_first_sentence
            assert example.incoherent_second_sentence.count("(") == example.incoherent_second_sentence.count(
                ")"
            )
