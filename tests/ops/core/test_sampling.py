from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.core.sampling import SPLITS, drawn, place_of, split_at


def test_places_are_spread_evenly_so_that_shares_are_met_on_average():
    counts = Counter(split_at(place_of(0, f"row-{index}"), 0.2, 0.1) for index in range(5000))
    assert set(counts) == set(SPLITS)
    assert counts["validation"] / 5000 == pytest.approx(0.2, abs=0.02)
    assert counts["test"] / 5000 == pytest.approx(0.1, abs=0.02)


@given(st.integers(0, 10), st.lists(st.text(), min_size=1, max_size=3))
def test_a_place_depends_on_seed_and_names_alone(seed, names):
    assert 0 <= place_of(seed, *names) < 1
    assert place_of(seed, *names) == place_of(seed, *names) != place_of(seed + 1, *names)
    assert drawn(seed, *names) != drawn(seed, *names, "")


@given(st.floats(0, 0.999), st.floats(0, 0.5), st.floats(0, 0.25), st.floats(0, 0.25))
def test_a_larger_share_of_test_takes_no_row_from_it(place, validation, test, more):
    if split_at(place, validation, test) == "test":
        assert split_at(place, validation, test + more) == "test"
