"""Each rule splits the texts that it is for, and leaves those that only look similar (rules.yaml).

Belongs here: one rule at a time. Not here: rules together (test_rule_candidates.py), the paper's examples.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import yaml

from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.dataset.unfuse import annotated
from silverloom.ops.discofuse.rules import RULES, RuleParams
from silverloom.ops.discofuse.rules.connectives import BACKWARD
from silverloom.ops.discofuse.rules.rule import DISCOURSE_TYPES, ParsedDocument, ParsedSentence
from tests.ops.discofuse.rules.fusion_texts import annotation, linked, splits

EXAMPLES = yaml.safe_load(Path(__file__).with_name("rules.yaml").read_text())


def made(text, kind):
    return splits(linked(text) if kind.endswith("_ANAPHORA") else text, kind)


def parsed_sentence(parsed):
    return ParsedSentence(ParsedDocument(parsed), 0, len(parsed.words))


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [(kind, text, expected) for kind, of in EXAMPLES.items() for text, expected in of["split"].items()],
)
def test_a_text_is_split(kind, text, expected):
    assert made(text, kind) == [expected]


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, of in EXAMPLES.items() for text in of["left"]]
)
def test_a_text_that_only_looks_similar_is_left_alone(kind, text):
    assert made(text, kind) == []


def test_it_and_they_need_a_more_certain_link():
    text = "[The old company] grew . In 1990 , Bob sold {it} ."
    made = " | The old company grew . | In 1990 , Bob sold the old company ."
    assert splits(linked(text, score=0.75), "PAIR_ANAPHORA") == []
    params = RuleParams(pronoun_score=0.7, thing_score=0.75)
    assert splits(linked(text, score=0.75), "PAIR_ANAPHORA", params=params) == [made]


FINAL = {
    "They saw the town , which contains a mill .": ["sure", "all"],
    "They bought a house , which stands on the hill .": ["sure", "all"],
    "They read the books , which were very old .": ["sure", "all"],
    "The town built the tower , which dominated the view .": ["all"],
    "He won the election , which took everybody by surprise .": ["all"],
    "The committee rejected the plan , which surprised nearly everyone .": [],
    "He sold the car , which was a pity .": [],
    "They bought a house , which was a relief .": [],
    "He sold the car , which was a rare event .": ["all"],
    "They saw the castle , which was the seat of the king .": ["sure", "all"],
    "We propose a method for mapping words onto a space , which adapts the model .": ["all"],
    "We reached a score of 70 with our best approach , which corresponds to the third place .": ["all"],
    "We study a version of the methods with a memory , which outperforms the others .": ["all"],
    "They resort to experiments for assessing the quality , which are expensive .": [],
    "They use the tool to build a model , which works well .": ["sure", "all"],
    "The bank uses trees to show the structure , which is simple .": ["all"],
    "The paper has a new score , which the authors ascribe to the data .": ["all"],
    "The paper has a new model , which halves the cost .": [],
    "They use soap , which is an old product .": ["all"],
    "The patient has a bad experience , which has the effect of a cure .": ["all"],
    "We keep the books in a house , which stands on the hill .": ["sure", "all"],
}


@pytest.mark.parametrize(("text", "split"), FINAL.items())
@pytest.mark.parametrize("final_relatives", ["none", "sure", "all"])
def test_a_final_clause_with_which_is_split_if_it_is_as_surely_about_a_noun_as_asked(
    text, split, final_relatives
):
    made = splits(text, "SINGLE_RELATIVE", params=RuleParams(final_relatives=final_relatives))
    assert len(made) == (final_relatives in split)


ANAPHORA_TYPES = [kind for kind in DISCOURSE_TYPES if kind.endswith("ANAPHORA")]
SUBJECTS = "[The old company] grew . In 1990 , {it} left the town ."


def test_a_subject_that_refers_to_the_previous_subject_needs_a_lower_score():
    made = " | The old company grew . | In 1990 , the old company left the town ."
    assert splits(linked(SUBJECTS, score=0.55), "PAIR_ANAPHORA") == [made]
    params = RuleParams(thing_subject_score=0.6)
    assert splits(linked(SUBJECTS, score=0.55), "PAIR_ANAPHORA", params=params) == []
    # Either may climb.
    assert (
        splits(linked("[The dog] chased the cat . {It} climbed a tree .", score=0.7), "PAIR_ANAPHORA") == []
    )
    person = "[Anna Smith] sold the house . In 1990 , {she} left the town ."
    assert splits(linked(person, score=0.75), "PAIR_ANAPHORA") == []
    params = RuleParams(subject_score=0.7)
    assert len(splits(linked(person, score=0.75), "PAIR_ANAPHORA", params=params)) == 1


CONTINUED = "[Anna Smith] told Eve that {she} was ill . In May {she} left the town ."


@pytest.mark.parametrize(
    ("scores", "more", "made"),
    [
        ((0.9, 0.45), (), ["In May Anna Smith left the town ."]),
        ((0.9, 0.35), (), []),
        ((0.7, 0.45), (), []),
        ((0.9, 0.45), [(3, 0.3)], []),  # she may be Eve
        ((0.9, 0.45), [(3, 0.2)], ["In May Anna Smith left the town ."]),
    ],
)
def test_a_pronoun_that_goes_on_with_the_person_of_sure_pronouns_needs_a_lower_score(scores, more, made):
    parsed = linked(CONTINUED)
    known = [link._replace(score=score) for link, score in zip(parsed.links, scores, strict=True)]
    known += [known[1]._replace(antecedent=(at, at + 1), score=score) for at, score in more]
    parsed = dataclasses.replace(parsed, links=known)
    assert [splits.split(" | ")[2] for splits in splits(parsed, "PAIR_ANAPHORA")] == made


def test_a_clause_with_another_subject_in_between_needs_the_higher_score():
    kind = "SINGLE_S_COORD_ANAPHORA"
    direct = "[The trip] was long , but {it} was cheap ."
    made = ", but | The trip was long . | The trip was cheap ."
    assert splits(linked(direct, score=0.7), kind) == [made]
    between = "[The trip] was long , but I went with friends , and {it} was cheap ."
    assert splits(linked(between, score=0.7), kind) == []
    third = "[The trip] was long , but it was good , and I slept . {It} was cheap ."
    assert splits(linked(third, score=0.7), "PAIR_ANAPHORA") == []
    again = "[The trip] was long , but it was good . {It} was cheap ."
    made = " | The trip was long , but it was good . | The trip was cheap ."
    assert splits(linked(again, score=0.7), "PAIR_ANAPHORA") == [made]


@pytest.mark.parametrize(
    "text",
    [
        "He sold [the old company] . In 1990 , {it} left the town .",
        "[The old company] grew . In 1990 , nobody thought that {it} would leave .",
        "[The old company] grew , so {it} left the town .",
        "[The old company] grew . In 1990 , {its} owner left the town .",
    ],
)
def test_other_mentions_need_the_higher_score(text):
    kinds = ("PAIR_ANAPHORA", "SINGLE_S_COORD_ANAPHORA")
    assert splits(linked(text, score=0.75), *kinds) == []
    assert len(splits(linked(text, score=0.85), *kinds)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hill Park is a school . It admits children .", "Hill Park admits children ."),
        ("The bread is a gift . It was baked in Rome .", "The bread was baked in Rome ."),
        ("Hill Park is a school although it admits children .", "Hill Park admits children ."),
        ("The house is a ruin , but it has a tower .", "The house has a tower ."),
    ],
)
def test_it_is_the_thing_that_the_previous_sentence_defines(text, expected):
    kinds = ("PAIR_ANAPHORA", "SINGLE_CONN_INNER_ANAPHORA", "SINGLE_S_COORD_ANAPHORA")
    [made] = splits(text, *kinds)
    assert made.split(" | ")[2] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Ann was a stalwart . It showed in every match .",
        "Hill Park is a school . It is easy to find the place .",
        "Hill Park is a school . It is said that the place is old .",
        "Polo is a game , because when it arrived there , they liked horses .",
        "Hill Park is a school , but nobody knows when it was built .",
        "The mayor is a woman . It rained all day .",
        "The task of the corpus is a game , and it contains many words .",
        "Hill Park is a school . So is it",  # this ends the text
        "The bread is a gift . What is it",
        "The bread is a gift . Here comes it",
    ],
)
def test_a_pronoun_that_may_refer_to_something_else_or_nothing_is_left_alone(text):
    assert splits(text, *ANAPHORA_TYPES) == []


def test_an_addressed_person_is_not_the_antecedent():
    for text in ("Come in , [Bob] . {He} was tired .", "Thank you , [Bob] . {He} was tired ."):
        assert splits(linked(text), "PAIR_ANAPHORA") == []
    assert len(splits(linked("She knew [Bob] . {He} was tired ."), "PAIR_ANAPHORA")) == 1


def test_a_name_has_no_preposition_that_begins_the_sentence():
    text = "Alongside Perri's slowed vocals and lyrics a montage is played. Perri's music video was shot in Rome."
    assert splits(text, "PAIR_ANAPHORA") == []


def test_a_one_word_name_tagged_as_a_place_needs_a_more_certain_link():
    text = "[London] won the cup . {He} was tired ."
    parsed = linked(text, score=0.85)
    parsed = dataclasses.replace(parsed, entities=["GPE", *parsed.entities[1:]])
    made = [" | London won the cup . | London was tired ."]
    assert splits(parsed, "PAIR_ANAPHORA") == made
    assert splits(parsed, "PAIR_ANAPHORA", params=RuleParams(name_score=0.9)) == []


def test_a_word_that_began_the_sentence_is_lower_case_wherever_it_is_moved():
    text = "[The house] stood alone . {It} was near the town , but {it} was old ."
    assert splits(linked(text), "PAIR_ANAPHORA") == [
        " | The house stood alone . | The house was near the town , but the house was old ."
    ]


@pytest.mark.parametrize("dash", ["-", "–"])
def test_a_compound_with_a_dash_is_no_antecedent_without_its_beginning(dash):
    text = f"The fission{dash}fusion dynamics changed the groups. These dynamics may enhance certain skills."
    assert splits(annotated(text, annotator()), "PAIR_ANAPHORA") == []


def test_a_relative_clause_is_not_about_a_part_of_a_word_with_a_hyphen():
    parsed = annotation("They use multi - head networks , which were old .")
    made = " | They use multi - head networks . | Multi - head networks were old ."
    assert splits(parsed, "SINGLE_RELATIVE") == [made]
    # The parser ties "multi" and the hyphen to the verb.
    heads = [*parsed.heads[:2], 1, 1, *parsed.heads[4:]]
    assert splits(dataclasses.replace(parsed, heads=heads), "SINGLE_RELATIVE") == []


def test_the_plural_name_of_a_newspaper_is_singular():
    parsed = annotation("The owner of the Times , a newspaper , died in 1990 .")
    tags = [*parsed.tags[:4], "NNPS", *parsed.tags[5:]]
    made = " | The owner of the Times died in 1990 . | The Times was a newspaper ."
    assert splits(dataclasses.replace(parsed, tags=tags), "SINGLE_APPOSITION") == [made]


RELEASED = {
    "PAIR_CONN": [
        "The town is small . It is still a popular place .",
        "He was poor . Now he is rich .",
        "He is on the one hand rich . On the other hand , he is alone .",
    ],
    "SINGLE_RELATIVE": [
        "He met the son of the king , who was ill .",
        "He lost the match , which made her sad .",
    ],
    "SINGLE_APPOSITION": ["He met the son of Tom Hill , a baker from Rome ."],
    "SINGLE_CATAPHORA": [
        "Walking home , the tired dog saw a fox .",
        "Beginning in 1960 , he worked as a teacher .",
    ],
    "SINGLE_CONN_INNER": ["He was born in Rome , hence his name ."],
    "SINGLE_S_COORD": [
        "The club was old , was poor , but became famous in 1990 .",
        "You pay , or the shop will not help .",
    ],
    "SINGLE_VP_COORD": ["The sensors suffer from a narrow bandwidth or require a strong magnetic field ."],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, of in RELEASED.items() for text in of])
def test_the_released_profile_splits_what_a_careful_builder_leaves(kind, text):
    assert splits(text, kind) == []
    assert len(splits(text, kind, params=RuleParams(profile="released"))) == 1


def test_the_released_profile_accepts_less_certain_links():
    text = "[The old company] grew . In 1990 , Bob sold {it} ."
    assert splits(linked(text, score=0.4), "PAIR_ANAPHORA") == []
    assert len(splits(linked(text, score=0.4), "PAIR_ANAPHORA", params=RuleParams(profile="released"))) == 1


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [(kind, text, expected) for kind, of in EXAMPLES.items() for text, expected in of["split"].items()],
)
def test_the_released_profile_finds_every_type_that_the_strict_one_finds(kind, text, expected):
    parsed = linked(text) if kind.endswith("_ANAPHORA") else text
    assert splits(parsed, kind, params=RuleParams(profile="released"))


@pytest.mark.parametrize(
    "text",
    [
        "The rain stopped\n\nThe sun came out , and the birds sang .",
        "The old road was closed . The sun came out , and the birds sang .",
    ],
)
def test_a_text_with_a_missed_sentence_end_is_left_alone(text):
    parsed = annotation(text)
    assert splits(dataclasses.replace(parsed, sentences=[(0, len(parsed.words))]), "SINGLE_S_COORD") == []


@pytest.mark.parametrize(("end", "made"), [("pests , including", 0), ("pests , such as", 0), ("pests", 1)])
def test_a_sentence_that_announces_a_lost_list_is_left_alone(end, made):
    parsed = annotation(f"The plants suffer from many {end} : However , they need much light .")
    second = parsed.words.index("However")
    parsed = dataclasses.replace(parsed, sentences=[(0, second), (second, len(parsed.words))])
    assert len(splits(parsed, "PAIR_CONN")) == made


def test_every_connective_of_table_12_counts_before_a_comma():
    unheard = [
        name
        for name in BACKWARD
        if splits(f"The road was closed . {name.capitalize()} , the town stayed calm .", "PAIR_CONN")
        != [f"{name} , | The road was closed . | The town stayed calm ."]
    ]
    # "Meaning" joins clauses of one sentence; nothing was first.
    assert unheard == ["second", "third", "meaning"]


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("He left because it rained .", "it rained ."),
        ("He left because it rained , .", "it rained ,"),
        ("He left because the road , which is long , was icy .", "the road , which is long , was icy ."),
    ],
)
def test_trim_cuts_after_the_first_punctuation_if_only_punctuation_is_lost(text, second):
    parsed = annotation(text)
    [rule] = [rule for rule in RULES if rule.name == "inner_connective"]
    sentence = parsed_sentence(parsed)
    [match] = rule.detect(sentence, RuleParams())
    assert " ".join(parsed.words[token] for token in rule.apply(sentence, match).second) == second


def test_a_hyphen_continues_a_word_within_the_sentence():
    sentence = parsed_sentence(annotated("A home-grown idea.", annotator(), space_tokenised=False))
    assert [sentence.continues_word(at) for at in range(9)] == [False] * 3 + [True] + [False] * 5
