"""Titles that a person considers the same are similar, and titles of other papers are not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from silverloom.ops.talksumm.title_similarity import (
    MAIN_TITLE,
    OTHER_NUMBERS,
    Titles,
    form,
    main_form,
    similarity,
)

TITLE = "What you can cram into a single vector: Probing sentence embeddings for linguistic properties"

#: Texts with many of the characters that matter.
titles = st.text(alphabet="abé :?-–12+& _", max_size=12) | st.text(max_size=12)


@pytest.mark.parametrize(
    "other",
    [
        TITLE.upper(),
        "what you can cram into a single vector probing sentence embeddings for linguistic properties",
        "What you can cram into a single vector?\n Probing sentence em-beddings for linguistic properties.",
        "What you can cram into a single vector — Probing sentence embeddings for linguistic properties",
    ],
)
def test_case_punctuation_and_white_space_do_not_count(other):
    assert similarity(TITLE, other) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Démonette, a French network", "Demonette, a French network"),
        ("Efﬁcient Straße", "efficient strasse"),
        ("Bag & Tag’em", "bag and tagem"),
        ("Code-switching in ＮＬＰ", "codeswitching in NLP"),
    ],
)
def test_accents_ligatures_and_ampersands_do_not_count(one, other):
    assert similarity(one, other) == 1


@pytest.mark.parametrize("mark", [": ", "? ", " - ", " – ", "—"])
def test_a_main_title_matches_the_whole_title_at_a_discount(mark):
    whole = f"Attention is not Explanation{mark}A second look at it"
    assert similarity("attention is not explanation", whole) == MAIN_TITLE
    assert similarity(whole, "Attention is not Explanation?") == MAIN_TITLE


def test_a_hyphen_inside_a_word_starts_no_subtitle():
    assert main_form("Multi-Tiered Functions") is None
    assert main_form("Why?") is None
    assert main_form(": the rest") is None
    assert main_form("GRASP: rich patterns") == form("grasp")


def test_two_subtitles_are_compared_completely():
    one, other = "GRASP: rich patterns for mining", "GRASP: a dataset of gestures"
    assert similarity(one, other) == pytest.approx(
        Levenshtein.normalized_similarity(form(one).letters, form(other).letters), abs=1e-6
    )
    assert similarity(one, other) < 0.6


def test_titles_with_different_numbers_are_further_apart():
    for one, other in [
        ("Findings of the WMT 2018 Shared Task", "Findings of the WMT 2019 Shared Task"),
        ("SemEval Task 4: Hyperpartisan news", "SemEval Task 8: Hyperpartisan news"),
        ("Systems for WMT18", "Systems for WMT19"),
    ]:
        assert similarity(one, other) <= OTHER_NUMBERS


def test_a_number_in_only_one_title_counts_as_a_few_letters():
    assert similarity("Findings of the WMT 2018 Shared Task", "Findings of the WMT 2018 Shared Task 4") > 0.95
    assert similarity("Findings of the WMT 2018 Shared Task", "Findings of the WMT Shared Task") > 0.85


def test_digits_misread_inside_words_are_not_numbers():
    assert similarity("Neural mode1s for 5entiment 2018", "Neural models for Sentiment 2018") > 0.9


def test_recognition_noise_leaves_the_right_title_nearest():
    papers = Titles(
        [
            "Detecting Egregious Conversations between Customers and Virtual Agents",
            "Detecting Sarcasm in Conversations between Agents",
            "Egregious errors of virtual agents",
        ]
    )
    scores = papers.similarities(
        "detecting we gracious conversations between customers in the virtual agents"
    )
    assert scores.argmax() == 0
    assert scores[0] > 0.8 > 0.6 > max(scores[1:])


@settings(deadline=None)
@given(titles, titles)
def test_similarity_is_symmetric_and_between_0_and_1(one, other):
    assert 0 <= similarity(one, other) == similarity(other, one) <= 1


@settings(deadline=None)
@given(titles)
def test_case_and_outer_white_space_never_count(title):
    assert similarity(title, f"  {title.casefold()}\n") == 1


@settings(deadline=None)
@given(st.lists(titles, min_size=1, max_size=5), titles)
def test_a_batch_gives_the_same_similarities_as_single_comparisons(many, title):
    assert Titles(many).similarities(title).tolist() == [similarity(title, other) for other in many]


def test_no_titles_give_no_scores():
    assert Titles([]).similarities("a").shape == (0,)
    assert Titles([]).similarities("a").dtype == np.float64


@pytest.mark.parametrize(
    "unit", ["a: ", "1 ", *(pytest.param(unit, marks=pytest.mark.long) for unit in ("- ", "é", "a1+", " "))]
)
def test_a_hostile_megabyte_of_title_is_bounded(unit):
    huge = unit * (1_000_000 // len(unit))
    assert similarity(huge, "a short title") < 1
