"""Inner loops are compiled, kept on disk, and run without the GIL."""

import numpy as np

from ops.core.compiled import compiled
from ops.talksumm.align import kernels as alignment
from ops.text import word_kernels
from ops.wikisum import kernels


@compiled
def twice(values):
    for place in range(len(values)):
        values[place] *= 2
    return values


def test_a_compiled_function_does_what_it_says_without_the_gil():
    assert twice(np.array([1, 2, 3])).tolist() == [2, 4, 6]
    assert twice.targetoptions["nogil"]
    assert len(twice.signatures) == 1  # one type of arguments was compiled for


def test_every_loop_of_the_systems_is_compiled_so():
    found = [
        loop
        for module in (alignment, word_kernels, kernels)
        for loop in vars(module).values()
        if hasattr(loop, "signatures")
    ]
    own = {loop.__name__ for loop in found}
    assert {"number", "greatest_recalls"} <= own
    assert all(loop.targetoptions["nogil"] for loop in found)
