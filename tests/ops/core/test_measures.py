"""Scores of parts add up to the score over all rows, and are missing if there are no values."""

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.measures import DatasetScore, Sum

KINDS = ("mean", "share", "greatest")
VALUES = st.lists(st.none() | st.floats(-1e6, 1e6) | st.just(math.nan), max_size=20)


def table(values, marks=None):
    marks = [True] * len(values) if marks is None else marks
    return pa.table({"x": pa.array(values, pa.float64()), "marked": pa.array(marks, pa.bool_())})


def slow(kind, values):
    found = [value for value in values if value is not None and not math.isnan(value)]
    if not found:
        return None
    if kind == "mean":
        return round(math.fsum(found) / len(found), 6)
    return round(max(found) if kind == "greatest" else sum(value > 0 for value in found) / len(found), 6)


@given(VALUES, st.integers(0, 20), st.sampled_from(KINDS))
def test_a_score_over_parts_is_the_score_over_all_rows(values, cut, kind):
    score = DatasetScore("x", kind)
    parts = [score.read(table(values[:cut])), score.read(table(values[cut:]))]
    assert score.value(parts) == pytest.approx(slow(kind, values), abs=2e-6)
    assert score.value(parts) == score.value(reversed(parts)) == score.value([Sum.of(parts)])


def test_only_marked_rows_count():
    rows = table([1.0, 5.0, 3.0], [True, False, True])
    assert DatasetScore("x", where="marked").value([DatasetScore("x", where="marked").read(rows)]) == 2.0
    assert DatasetScore("x", where="marked").columns == ["x", "marked"]


@pytest.mark.parametrize("kind", KINDS)
def test_without_values_there_is_no_score(kind):
    score = DatasetScore("x", kind)
    assert score.value([]) is None
    assert score.value([score.read(table([])), score.read(table([None, math.nan]))]) is None
    assert score.value([score.read(table([2.0], [False])), score.read(table([]))]) is not None


def test_a_score_may_look_into_texts_and_lists():
    rows = pa.table({"text": ["one two", "three"], "labels": [[0, 1, 1], [0]]})
    assert DatasetScore("text.words").value([DatasetScore("text.words").read(rows)]) == 1.5
    share = DatasetScore("labels.items", "share")
    assert share.value([share.read(rows)]) == 0.5
    assert share.columns == ["labels"]
