"""Recall of an article in a reference, by hand and against the formula as it is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.rank.tokens import words
from ops.wikisum import clone_recall, clone_recalls

TEXT = st.lists(st.sampled_from(["Sea", "sea", "salt,", "bread", "of", "ÉTÉ", "été", "."]), max_size=9).map(
    " ".join
)


def test_the_formula_by_hand():
    sections = ["The sea is salt.", "Bread: bread, salt"]
    assert clone_recall("sea and SALT", sections) == 0.5  # 2 of 4; 1 of 2
    assert clone_recall("bread of the sea", sections) == 0.5
    assert clone_recall("salt bread", sections) == 1
    assert clone_recall("nothing", sections) == 0


def test_small_sections_can_be_left_out():
    sections = ["The sea is salt.", "Salt"]
    assert clone_recall("salt", sections) == 1
    assert clone_recall("salt", sections, least_words=2) == 0.25
    assert clone_recall("salt", sections, least_words=5) == 0
    with pytest.raises(ValueError, match="at least 1"):
        clone_recall("salt", sections, least_words=0)


@pytest.mark.parametrize("sections", [[], [""], ["..."]])
def test_an_article_without_words_has_no_clones(sections):
    assert clone_recall("salt", sections) == 0


def test_a_reference_without_bytes_is_no_clone():
    assert clone_recall("", ["salt"]) == 0


@given(st.lists(TEXT, max_size=5), st.lists(TEXT, max_size=5), st.integers(1, 4))
def test_many_references_at_once_equal_the_formula(references, sections, least_words):
    sets = [set(words(section)) for section in sections]
    slow = [
        max(
            (
                len(set(words(reference)) & section) / len(section)
                for section in sets
                if len(section) >= least_words
            ),
            default=0,
        )
        for reference in references
    ]
    assert clone_recalls(references, sections, least_words).tolist() == slow
