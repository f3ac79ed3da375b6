"""A connective in the second sentence: deleted with its commas, and left where it is none."""

from __future__ import annotations

import pytest

from ops.discofuse.rules.connectives import BACKWARD
from tests.ops.discofuse.rules.fusion_texts import found

MADE = (
    (
        "The club lost again . However , the fans stayed loyal .",
        "however , | The club lost again . | The fans stayed loyal .",
    ),
    (
        "The club lost again . However the fans stayed loyal .",
        "however | The club lost again . | The fans stayed loyal .",
    ),
    (
        "The road was closed . It is , however , open again in summer .",
        "however , | The road was closed . | It is open again in summer .",
    ),
    (
        "The road was closed . The tunnel , therefore , was crowded .",
        "therefore , | The road was closed . | The tunnel was crowded .",
    ),
    (
        "In 1990 he left . In 1991 , however , he came back .",
        "however , | In 1990 he left . | In 1991 , he came back .",
    ),
    (
        "The plan failed . As a result , the mayor resigned .",
        "as a result , | The plan failed . | The mayor resigned .",
    ),
    ("She studied law . She then moved to Rome .", "then | She studied law . | She moved to Rome ."),
    ("She studied law . Then she moved to Rome .", "then | She studied law . | She moved to Rome ."),
    ("He was ill . But he finished the race .", "but | He was ill . | He finished the race ."),
    ("He was ill . And he finished the race .", "and | He was ill . | He finished the race ."),
    (
        "He did not leave . Instead , he stayed for years .",
        "instead , | He did not leave . | He stayed for years .",
    ),
    (
        "He likes tea . For example , he drinks green tea at noon .",
        "for example , | He likes tea . | He drinks green tea at noon .",
    ),
    (
        "The town is small . It is still a popular place .",
        "still | The town is small . | It is a popular place .",
    ),
    ("He was poor . Now he is rich .", "now | He was poor . | He is rich ."),
    (
        "The company grew fast . Further , it opened an office in Rome .",
        "further , | The company grew fast . | It opened an office in Rome .",
    ),
    (
        "He left the band . Meanwhile , the band found a new singer .",
        "meanwhile , | He left the band . | The band found a new singer .",
    ),
    (
        "The rain stopped . On the other hand , the wind became stronger .",
        "on the other hand , | The rain stopped . | The wind became stronger .",
    ),
    ("He sold the house . Or so he said .", "or | He sold the house . | So he said ."),
    (
        "The coach was angry . Although the team won the match .",
        "although | The coach was angry . | The team won the match .",
    ),
    ("He came first . Again , nobody was surprised .", "again , | He came first . | Nobody was surprised ."),
)

NOTHING = (
    "The plan failed . As a result of the storm , the mayor resigned .",
    "The first goal came late . Second place went to the hosts .",
    "He arrived on Monday . The next day he left .",
    "The team released a new version . This release adds a parser .",
    "The team released a new version . This is a great release .",
    "He did not leave . Instead of leaving , he stayed for years .",
    "The town is small . Still life was his favourite genre .",
    "He was tired . Rather than rest , he kept on running .",
    "He was happy in the city . Now that he is old , he lives at sea .",
    "He won the race . Yet another rider was faster .",
    "He has won the race . He has not yet finished his studies .",
    "The company grew fast . Further expansion was planned for 2005 .",
    "The rain stopped . Finally !",
    "The coach was angry . Although the team won , he left .",
)


@pytest.mark.parametrize(("text", "expected"), MADE, ids=[text for text, _ in MADE])
def test_a_text_with_discourse_connective_is_split(text, expected):
    assert found(text, "PAIR_CONN") == [expected]


@pytest.mark.parametrize("text", NOTHING)
def test_what_looks_like_discourse_connective_is_left(text):
    assert found(text, "PAIR_CONN") == []


def test_every_connective_of_table_12_counts_before_a_comma():
    unheard = [
        name
        for name in BACKWARD
        if found(f"The road was closed . {name.capitalize()} , the town stayed calm .", "PAIR_CONN")
        != [f"{name} , | The road was closed . | The town stayed calm ."]
    ]
    assert unheard == ["meaning"], "which ties clauses of one sentence"
