"""Which rows are shown: all kinds, the same ones every time, and never too many."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.assets.rows.ancestry import opened
from silverloom.pages.sampling import fair, sample
from tests.rows_corpus import JULY, JUNE, row, together, write

NAME = "sources/sentences"


@given(st.lists(st.integers(0, 50), max_size=20), st.integers(0, 200))
def test_shares_are_fair(sizes, total):
    shares = fair(sizes, total)
    assert sum(shares) == min(total, sum(sizes))
    assert all(share <= size for share, size in zip(shares, sizes, strict=True))
    cut = [share for share, size in zip(shares, sizes, strict=True) if share < size]
    if cut:  # no one whose share is cut gets less than another, except for an indivisible remainder
        assert max(shares) <= min(cut) + 1


def rows(prefix, number):
    return [row(f"{prefix}-{at}", "paper", text="t") for at in range(number)]


@pytest.fixture
def many(tmp_path):
    return together(
        write(tmp_path, NAME, JUNE, rows("a", 400), [(one, "short", 1.0) for one in rows("b", 90)]),
        write(tmp_path, NAME, JULY, rows("c", 30), [(one, "odd", None) for one in rows("d", 2)], [(rows("e", 1)[0], "bad")]),
    )  # fmt: skip


def chosen(everything, limit):
    with opened(everything) as ancestry:
        return {place.id: place for place in sample(ancestry, NAME, limit)}


def test_rare_reasons_and_months_are_always_included(many):
    ids = chosen(many, 50)
    assert len(ids) == 50
    assert Counter(name[0] for name in ids) == {"a": 15, "b": 16, "c": 16, "d": 2, "e": 1}


def test_all_rows_of_a_small_dataset_are_shown_in_their_order(many):
    ids = list(chosen(many, 5_000))
    assert len(ids) == 523
    assert ids[:2] == ["a-0", "a-1"] and ids[-1] == "e-0"


def test_the_same_rows_are_chosen_whatever_their_position(tmp_path):
    first = write(tmp_path / "one", NAME, JUNE, rows("a", 300))
    again = write(tmp_path / "two", NAME, JUNE, rows("a", 300)[::-1])
    assert set(chosen(first, 20)) == set(chosen(again, 20)) != {f"a-{at}" for at in range(20)}


def test_a_sample_of_no_rows_is_empty(tmp_path):
    assert chosen(write(tmp_path, NAME, JUNE), 20) == {}
