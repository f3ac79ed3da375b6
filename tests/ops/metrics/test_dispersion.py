"""Dispersion: a hand-computed case, and the best subsets by trying all."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.metrics import dispersion

DOCUMENTS = st.lists(st.frozensets(st.integers(0, 6)), max_size=5)


def test_dispersion_is_the_area_above_the_curve_as_computed_by_hand():
    # Of five statements, the first document holds three; the second, which also holds three, one new one; the
    # third one more. 3/5, 4/5, 1, 1: the area above is (2/5 + 1/5 + 0 + 0) / 4.
    found = dispersion([{0, 1, 2}, {1, 2, 3}, {4}, {0}], documents=4)
    assert (found.statements, found.needed, found.coverage) == (5, 3, (0.6, 0.8, 1, 1))
    assert found.score == pytest.approx(0.15)


def test_one_document_with_all_statements_has_no_dispersion():
    assert dispersion([{1}, {0, 1}, {0}]).score == 0
    assert dispersion([{0}, {1}], documents=1).score == 0.5


def test_among_documents_with_equally_many_new_statements_the_first_is_chosen():
    # After the first two, of three statements each: 5 of 6; with {3, 4, 5} first it would be 6 of 6.
    assert dispersion([{0, 1, 2}, {2, 3, 4}, {3, 4, 5}], 2).coverage == (0.5, 1)
    assert dispersion([{2, 3, 4}, {0, 1, 2}, {3, 4, 5}], 2).coverage == (0.5, 5 / 6)


def test_statements_in_no_document_have_no_dispersion_and_a_curve_needs_a_document():
    assert dispersion([]) is dispersion([set(), set()]) is None
    with pytest.raises(ValueError, match="0 documents"):
        dispersion([{0}], documents=0)


@given(DOCUMENTS, st.integers(1, 6))
def test_the_curve_rises_to_1_and_is_never_above_the_best_subset(held, documents):
    found = dispersion(held, documents)
    total = frozenset().union(*held)
    if not total:
        assert found is None
        return
    assert found.statements == len(total) and len(found.coverage) == documents
    assert list(found.coverage) == sorted(found.coverage)
    assert found.score == pytest.approx(sum(1 - share for share in found.coverage) / documents)
    for size, share in enumerate(found.coverage, 1):
        chosen = combinations(held, min(size, len(held)))
        best = max(len(frozenset().union(*subset)) for subset in chosen) / len(total)
        # The greedy choice has at least 1 - 1/e of the best (Nemhauser et al. 1978).
        assert (1 - 2.718281828**-1) * best - 1e-9 <= share <= best
        assert share == 1 or size < found.needed
