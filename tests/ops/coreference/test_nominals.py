"""Which definite noun phrases refer to a name before them, and how surely."""

import pytest

from silverloom.ops.coreference.component import NOMINAL_THRESHOLD, links_of
from silverloom.ops.discofuse.dataset.pipeline import annotator


def nominals(text):
    """The nominals of a text that are sure enough for the rules, with their antecedents."""
    document = annotator()(text)
    return {
        document[slice(*link.mention)].text: document[slice(*link.antecedent)].text
        for link in links_of(document)
        if link.kind == "nominal" and link.score >= NOMINAL_THRESHOLD
    }


@pytest.mark.parametrize(
    ("text", "mention", "antecedent"),
    [
        ("Paris lies on the Seine. The city has two million people.", "The city", "Paris"),
        ("Norway is a kingdom. Its winters are cold. The country exports fish.", "The country", "Norway"),
        ("Bill Clinton spoke first. The former president left.", "The former president", "Bill Clinton"),
        ("Toyota opened a plant. The company hired nine hundred people.", "The company", "Toyota"),
        ("The Lions won the game in May. The team left the town.", "The team", "Lions"),
        ("It is near the Bank of England. The bank is very old.", "The bank", "Bank of England"),
    ],
)
def test_a_noun_refers_to_the_only_name_near_that_it_fits(text, mention, antecedent):
    assert nominals(text)[mention].removeprefix("the ").removeprefix("The ") == antecedent


@pytest.mark.parametrize(
    "text",
    [
        "Bill Clinton spoke first. The president spoke for an hour.",
        "Toyota met Honda. The company hired nine hundred people.",
        "Engineers left Toyota. The company hired nine hundred people.",
        "The sky above Oslo, Norway was dark. The city lost its power.",
        "The World Cup was played in Rome. The team won the match.",
    ],
)
def test_a_noun_that_may_mean_another_one_has_no_sure_link(text):
    assert nominals(text) == {}
