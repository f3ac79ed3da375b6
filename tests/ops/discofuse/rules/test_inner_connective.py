"""A connective between two clauses."""

from __future__ import annotations

import pytest

from ops.discofuse.rules import RULES, RuleParams
from ops.discofuse.rules.rule import ParsedSentence
from tests.ops.discofuse.rules.fusion_texts import annotation, found

MADE = (
    ("He stayed at home because he was ill .", "because | He stayed at home . | He was ill ."),
    ("He stayed at home , because he was ill .", ", because | He stayed at home . | He was ill ."),
    (
        "The old town is quiet , while the new town is noisy .",
        ", while | The old town is quiet . | The new town is noisy .",
    ),
    ("He sang while she was cooking dinner .", "while | He sang . | She was cooking dinner ."),
    (
        "The shop is open every day unless it rains heavily .",
        "unless | The shop is open every day . | It rains heavily .",
    ),
    (
        "She saved money so that she could buy a house .",
        "so that | She saved money . | She could buy a house .",
    ),
    ("He is happy now that the war is over .", "now that | He is happy . | The war is over ."),
    (
        "The lake is deep , although nobody has measured it .",
        ", although | The lake is deep . | Nobody has measured it .",
    ),
    (
        "The lake was famous , although falsely measured by the king .",
        ", although | The lake was famous . | The lake was falsely measured by the king .",
    ),
    (
        "The team won the match , meaning that they reached the final .",
        ", meaning | The team won the match . | They reached the final .",
    ),
    ("He died in 1990 while visiting Rome .", "while | He died in 1990 . | He visited Rome ."),
    (
        "He was born in Rome , hence he speaks Italian well .",
        ", hence | He was born in Rome . | He speaks Italian well .",
    ),
    (
        "The first book was a success , whereas the second book was a failure .",
        ", whereas | The first book was a success . | The second book was a failure .",
    ),
)

NOTHING = (
    "However , Stevenson suffered an injury while training and was replaced by Tyson Griffin .",
    "He stayed at home because of the rain .",
    "The reason is because he was ill .",
    "He stayed only because she asked him .",
    "The wall was so high that he could not climb it .",
    "The team stayed calm , and although they trailed by ten points , they won the match .",
    "The word has a meaning that nobody knows .",
    "Because he was ill , he stayed at home .",
    "Did he stay because he was ill ?",
    "That 's because bonds are still the favoured port of investors .",
)


@pytest.mark.parametrize(("text", "expected"), MADE, ids=[text for text, _ in MADE])
def test_a_text_with_inner_connective_is_split(text, expected):
    assert found(text, "SINGLE_CONN_INNER") == [expected]


@pytest.mark.parametrize("text", NOTHING)
def test_what_looks_like_inner_connective_is_left(text):
    assert found(text, "SINGLE_CONN_INNER") == []


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("He left because it rained .", "it rained ."),
        ("He left because it rained , .", "it rained ,"),
        ("He left because the road , which is long , was icy .", "the road , which is long , was icy ."),
    ],
)
def test_trim_cuts_behind_the_first_punctuation_where_only_punctuation_is_lost(text, second):
    parsed = annotation(text)
    [rule] = [rule for rule in RULES if rule.name == "inner_connective"]
    sentence = ParsedSentence(parsed, [word.lower() for word in parsed.words], 0, len(parsed.words), None)
    [match] = rule.detect(sentence, RuleParams())
    assert " ".join(parsed.words[token] for token in rule.apply(sentence, match).second) == second
