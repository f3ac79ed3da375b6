"""Counts of what two thresholds keep together, compared with the rule applied to every unit."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.assets.declare.declaration import Knob, Threshold
from silverloom.ops.core.thresholds import RULES
from silverloom.ops.talksumm.pairing import PairParams
from silverloom.pages.what_if import STEPS, Axis, kept_at, two_thresholds

SCORES = st.one_of(
    st.sampled_from([0.2, 0.5, 0.8, np.inf, -np.inf]), st.floats(0, 1, allow_nan=False).map(lambda x: round(x, 3))
)  # fmt: skip


def axis(rule, now=0.5, values=(0.2, 0.8)):
    threshold = Threshold(PairParams, "threshold", rule, lambda: (), values, "how near", "talks")
    return Axis(threshold, Knob("talksumm.pairs.threshold", "", now))


def table(units):
    return pa.table({"first": [first for first, _ in units], "second": [second for _, second in units]})


@pytest.mark.parametrize("rule", RULES)
@given(units=st.lists(st.tuples(SCORES, SCORES), max_size=30), cut=st.integers(0, 30))
def test_every_point_of_the_grid_counts_what_both_rules_keep(rule, units, cut):
    first, second = axis(rule), axis(RULES[0], 0.45)
    parts = [part for part in (units[:cut], units[cut:]) if part]
    content = two_thresholds(map(table, parts), first, second)
    assert content["total"] == len(units)
    assert len(content["counts"]) == len(second.values) and len(content["counts"][0]) == len(first.values)
    for across in first.values:
        for up in second.values:
            slow = sum(bool(rule(one, across)) and bool(RULES[0](other, up)) for one, other in units)
            assert kept_at(content, across, up) == slow


def test_the_grid_has_the_values_to_try_and_the_current_one_and_is_bounded():
    values = axis(RULES[0], now=0.123456).values
    assert {0.2, 0.8, 0.123456} <= set(values) and values == sorted(values)
    assert len(values) <= STEPS + 1 + 3


def test_a_unit_without_a_score_is_kept_nowhere():
    units = pa.table({"first": pa.array([None, 0.9]), "second": pa.array([0.9, None])})
    content = two_thresholds([units], axis(RULES[0]), axis(RULES[0]))
    assert content["total"] == 2 and not np.any(content["counts"])
