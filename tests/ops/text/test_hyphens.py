"""Words that were hyphenated at the end of a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.text.hyphens import join_lines, words_of


@pytest.mark.parametrize(
    ("found", "document", "joined"),
    [
        ("transla-\ntion", "", "translation"),
        ("transla- \n  tion", "", "translation"),
        ("state-of-\nthe-art", "", "state-of-the-art"),
        ("state-\nof-the-art", "", "state-of-the-art"),
        ("user-\nagent", "the user and the agent", "user-agent"),
        ("over-\nlooked", "they looked it over", "overlooked"),
        ("over-\nlooked", "looked over, over-looked", "over-looked"),
        ("process-\ning", "we process it; ing", "processing"),
        ("commit-\nment", "we commit; ment", "commitment"),
        ("inter-\naction", "to inter an action; interaction", "interaction"),
        ("co-\noperate", "they co-operate", "co-operate"),
        ("co-\noperate", "they cooperate", "cooperate"),
        ("word-\nlevel", "", "word-level"),
        ("self-\nattention", "", "self-attention"),
        ("physics-\nguided", "", "physics-guided"),
        ("automatically-\ndetected", "", "automatically-detected"),
        ("analy-\nzed", "", "analyzed"),
        ("Penn-\nTreebank", "", "Penn-Treebank"),
        ("GPU-\nmemory", "", "GPU-memory"),
        ("pre-\nand post-editing", "", "pre- and post-editing"),
        ("inter-\nna-\ntional", "", "international"),
        ("soft\u00ad\nly", "", "softly"),
        ("1990-\n2000", "", "1990-2000"),
        ("an F1-\nscore", "", "an F1-score"),
        ("10 (ten)-\nfold", "", "10 (ten)-fold"),
        ("5-\nand 10-fold", "", "5-\nand 10-fold"),
        ("a -\nb", "", "a -\nb"),
    ],
)
def test_the_document_decides_whether_a_hyphen_stays(found, document, joined):
    assert join_lines(found, words_of(f"{document} {found}")) == joined


def test_a_space_is_a_line_break_only_if_the_source_folded_its_lines():
    known = words_of("the ap- plications of Smith- Jones")
    assert join_lines("ap- plications", known) == "ap- plications"
    assert join_lines("ap- plications of Smith- Jones", known, spaces=True) == "applications of Smith- Jones"


def test_halves_of_words_do_not_count_as_words_of_a_document():
    assert words_of("a transla-\ntion of state-of-the-art") == {"a", "of", "state-of-the-art"}


@given(st.text(st.sampled_from("ab-\n \u00adX1"), max_size=80))
def test_nothing_but_hyphens_and_white_space_is_lost(text):
    kept = [character for character in text if character not in "-\u00ad" and not character.isspace()]
    joined = join_lines(text, words_of(text))
    assert [each for each in joined if each not in "-\u00ad" and not each.isspace()] == kept


@pytest.mark.parametrize(
    "seed",
    [
        "a-",
        "a-\n",
        *(pytest.param(seed, marks=pytest.mark.long) for seed in ("a", "-", "a- ", "a\u2010", "- ", "_")),
    ],
)
def test_a_line_of_a_megabyte_is_joined(seed):
    """Quadratic work on it takes hours: the limit of every test ends it."""
    text = seed * (1_000_000 // len(seed)) + "- b."
    assert "".join(join_lines(text, words_of(text), spaces=True)).endswith("b.")
