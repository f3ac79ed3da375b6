from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.sampling import SPLITS, drawn, place_of, sample, sample_each, sample_names, split_at


def test_places_are_spread_evenly_so_that_shares_are_met_on_average():
    counts = Counter(split_at(place_of(0, f"row-{index}"), 0.2, 0.1) for index in range(5000))
    assert set(counts) == set(SPLITS)
    assert counts["validation"] / 5000 == pytest.approx(0.2, abs=0.02)
    assert counts["test"] / 5000 == pytest.approx(0.1, abs=0.02)


@given(st.integers(0, 10), st.lists(st.text(), min_size=1, max_size=3))
def test_a_position_depends_only_on_seed_and_names(seed, names):
    assert 0 <= place_of(seed, *names) < 1
    assert place_of(seed, *names) == place_of(seed, *names) != place_of(seed + 1, *names)
    assert drawn(seed, *names) != drawn(seed, *names, "")


@given(st.floats(0, 0.999), st.floats(0, 0.5), st.floats(0, 0.25), st.floats(0, 0.25))
def test_a_larger_share_of_test_removes_no_row_from_it(place, validation, test, more):
    if split_at(place, validation, test) == "test":
        assert split_at(place, validation, test + more) == "test"


def test_a_sample_of_each_value_does_not_depend_on_other_values():
    ids, origins = [f"row-{index}" for index in range(12)], ["a", "b", "c"] * 4
    table = pa.table({"id": ids, "origin": origins})
    found = sample_each([table], "origin", 2, seed=1)
    assert [origins[ids.index(name)] for name in found] == ["a", "a", "b", "b", "c", "c"]
    alone = table.filter(pa.array([origin == "b" for origin in origins]))
    assert sample_each([alone], "origin", 2, seed=1) == found[2:4] == sample(alone, 2, 1)["id"].to_pylist()


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=40),
    st.integers(0, 12),
    st.integers(1, 5),
)
def test_each_value_is_sampled_by_stratum_as_a_sample_of_its_rows_alone(rows, size, split_at):
    table = pa.table(
        {
            "id": [f"row-{index}" for index in range(len(rows))],
            "origin": pa.array([origin for origin, _ in rows], pa.string()),
            "kind": pa.array([kind for _, kind in rows], pa.string()),
        }
    )
    tables = [table.slice(start, split_at) for start in range(0, len(rows), split_at)]
    expected = []
    for origin in sorted({origin for origin, _ in rows}):
        alone = table.filter(pa.array([found == origin for found, _ in rows]))
        expected += sample(alone, size, 1, ["kind"])["id"].to_pylist()
    assert sample_each(tables, "origin", size, 1, "kind") == expected


def test_drawn_names_are_the_same_in_any_order_and_a_larger_sample_begins_with_a_smaller_one():
    names = [f"name-{index}" for index in range(9)]
    assert sample_names(reversed(names), 4, seed=1) == sample_names(names, 9, seed=1)[:4]
    assert sorted(sample_names(names, 20, seed=1)) == names
