"""Logarithms against those of the C library; compiled loops are cached on disk, and run without the GIL."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from silverloom.ops.core.compiled import compiled
from silverloom.ops.core.logarithms import log, logs
from silverloom.ops.talksumm.align import kernels as alignment
from silverloom.ops.text import word_kernels
from silverloom.ops.wikisum import kernels


@given(st.floats(1e-300, 1e300))
def test_a_logarithm_equals_that_of_the_c_library_except_for_its_last_bits(value):
    assert log(value) == pytest.approx(math.log(value), rel=1e-14, abs=1e-15)


@given(
    arrays(np.float64, array_shapes(min_dims=0, max_dims=2, min_side=0), elements=st.floats(1e-300, 1e300))
)
def test_the_logarithms_of_an_array_have_the_bits_of_those_of_its_numbers(values):
    assert (
        logs(values).tolist() == np.reshape([log(value) for value in values.ravel()], values.shape).tolist()
    )


def test_logarithms_of_powers_and_of_zero():
    assert logs([1, 2.0, 0.5, 0]).tolist() == [0, math.log(2), -math.log(2), -math.inf]


@compiled
def twice(values):
    for place in range(len(values)):
        values[place] *= 2
    return values


def test_a_compiled_function_gives_the_right_result_without_the_gil():
    assert twice(np.array([1, 2, 3])).tolist() == [2, 4, 6]
    assert twice.targetoptions["nogil"]
    assert len(twice.signatures) == 1  # compiled for one type of arguments


def test_every_compiled_loop_of_the_systems_runs_without_the_gil():
    found = [
        loop
        for module in (alignment, word_kernels, kernels)
        for loop in vars(module).values()
        if hasattr(loop, "signatures")
    ]
    own = {loop.__name__ for loop in found}
    assert {"number", "greatest_recalls"} <= own
    assert all(loop.targetoptions["nogil"] for loop in found)
