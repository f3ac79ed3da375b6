"""Recall of an article in a reference, computed by hand and compared with the formula."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.rank.rankers import words
from silverloom.ops.wikisum import clone_recall, clone_recalls

TEXT = st.lists(st.sampled_from(["Sea", "sea", "salt,", "bread", "of", "ÉTÉ", "été", "."]), max_size=9).map(
    " ".join
)


def test_recall_equals_the_formula_computed_by_hand():
    sections = ["The sea is salt.", "Bread: bread, salt"]
    assert clone_recall("sea and SALT", sections) == 0.5  # 2 of 4; 1 of 2
    assert clone_recall("bread of the sea", sections) == 0.5
    assert clone_recall("salt bread", sections) == 1
    assert clone_recall("nothing", sections) == 0


def test_small_sections_can_be_left_out():
    sections = ["The sea is salt.", "Salt"]
    assert clone_recall("salt", sections) == 1
    assert clone_recall("salt", sections, least=2) == 0.25
    with pytest.raises(ValueError, match="at least 1"):
        clone_recall("salt", sections, least=0)
    with pytest.raises(ValueError, match="at least 1"):
        clone_recall("salt", sections, shingle=0)


def test_if_all_sections_are_small_the_article_counts_as_one():
    sections = ["The sea is salt.", "Salt bread"]
    assert clone_recall("salt", sections, least=5) == 0.2
    assert clone_recall("the sea is salt bread", sections, least=5) == 1
    assert clone_recall("the sea is salt bread", sections, shingle=2, least=5) == 1


def test_shingles_are_runs_of_words_within_a_section():
    sections = ["The sea is salt, and the sea is wide.", "Salt bread."]
    assert clone_recall("Once: the sea. Is salt", sections, shingle=3) == pytest.approx(2 / 6)
    assert clone_recall("is the salt sea wide and the bread", sections, shingle=3) == 0
    assert clone_recall("wide salt bread", sections, shingle=3) == 0
    assert clone_recall("salt bread", sections, shingle=2) == 1
    assert clone_recall("the sea", ["sea"], shingle=2) == 0


@pytest.mark.parametrize("sections", [[], [""], ["..."]])
def test_an_article_without_words_has_no_clones(sections):
    assert clone_recall("salt", sections) == 0


def test_a_reference_without_bytes_is_not_a_clone():
    assert clone_recall("", ["salt"]) == 0


def shingles(text, size):
    found = words(text)
    return {tuple(found[place : place + size]) for place in range(len(found) - size + 1)}


@given(st.lists(TEXT, max_size=5), st.lists(TEXT, max_size=5), st.integers(1, 4), st.integers(1, 4))
def test_many_references_at_once_equal_the_formula(references, sections, shingle, least):
    sets = [shingles(section, shingle) for section in sections]
    counted = [section for section in sets if len(section) >= least] or [set().union(*sets)]
    slow = [
        max(len(shingles(reference, shingle) & section) / max(len(section), 1) for section in counted)
        for reference in references
    ]
    assert clone_recalls(references, sections, shingle, least).tolist() == slow
