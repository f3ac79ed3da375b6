"""Logarithms against those of the C library."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.core.exact import log, log_of_one


@given(st.floats(1e-300, 1e300))
def test_a_logarithm_is_that_of_the_c_library_but_for_its_last_bits(value):
    assert log(value) == pytest.approx(math.log(value), rel=1e-14, abs=1e-15)


@given(st.floats(1e-300, 1e300))
def test_the_logarithm_of_one_number_has_the_bits_of_that_of_many(value):
    assert log_of_one(value) == log([value])[0]


def test_logarithms_of_powers_and_of_arrays():
    assert log([1.0, 2.0, 0.5]).tolist() == [0, math.log(2), -math.log(2)]
    assert log([]).tolist() == []
