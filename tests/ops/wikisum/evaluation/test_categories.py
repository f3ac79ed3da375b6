"""The groups of Table 7 that an article belongs to, from its own categories or its lead."""

import re

import pytest
import yaml

from silverloom.assets.declare.project import checkout
from silverloom.ops.wikisum.evaluation.scores import EvaluationParams, Group, groups_of

ACTOR, TOWN = "maren holt was an american actor .", "holt is a town ."
ACTORS = Group(category="actors$", lead=r"\bactor\b")


@pytest.mark.parametrize(
    ("categories", "lead", "expected"),
    [
        (["1879 births", "American Male Actors"], TOWN, True),
        (["1879 births"], ACTOR, False),  # editors know better than the lead
        (["Lists of actors of Varn"], TOWN, False),
        ([], ACTOR, True),
        ([], TOWN, False),
    ],
)
def test_categories_decide_if_there_are_any_and_otherwise_the_lead(categories, lead, expected):
    assert ACTORS.has(categories, lead) is expected


def test_a_group_with_one_pattern_is_decided_by_it_alone():
    assert Group(lead="actor").has(["Towns"], ACTOR)
    assert not Group(category="actor").has([], ACTOR)
    assert Group.model_validate("actor") == Group(lead="actor")


def test_an_article_may_be_in_several_groups():
    groups = {"actors": ACTORS, "births": Group(category="births"), "towns": Group(category="towns")}
    assert groups_of(["1879 births", "American actors"], TOWN, groups) == ["actors", "births"]


@pytest.mark.parametrize(
    ("categories", "lead", "expected"),
    [
        (["Infectious diseases"], "", ["Diseases"]),
        (["Autosomal recessive disorders", "Rare syndromes"], "", ["Diseases"]),
        (["Infectious disease deaths in California"], "", []),
        (["American male film actors", "1950 births"], "", ["American Actors"]),
        (["20th-century American actresses"], "", ["American Actors"]),
        (["English male actors", "American singers"], "", []),
        ([], "dengue fever is a viral disease of the tropics .", ["Diseases"]),
        ([], "maren holt ( born 1950 ) is an american film actress .", ["American Actors"]),
    ],
)
def test_the_documented_groups_are_those_of_the_paper(categories, lead, expected):
    text = (checkout() / "docs/explanation/wikisum.md").read_text()
    [block] = re.findall(r"```yaml\n(    categories:\n.*?)```", text, re.DOTALL)
    params = EvaluationParams.model_validate(yaml.safe_load(block))
    assert groups_of(categories, lead, params.categories) == expected
