"""Examples are read back from disk unchanged, in any order, and few of them are in memory."""

import resource
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from silverloom.ops.models.training.examples import ExampleStore, TokenExample

EXAMPLES = [TokenExample([index, 2], [3] * (index % 5)) for index in range(200)]


def store(count=200):
    return ExampleStore((f"example-{index}", example) for index, example in enumerate(EXAMPLES[:count]))


def test_examples_are_read_back_in_any_order_with_their_names():
    found = store()
    assert list(found) == EXAMPLES
    assert (found[199], found[64], found[-1]) == (EXAMPLES[199], EXAMPLES[64], EXAMPLES[-1])
    assert found[62:66] == EXAMPLES[62:66]
    assert (found.names[130], list(found.names[62:66])[2]) == ("example-130", "example-64")
    assert np.array_equal(found.lengths, [[2, index % 5] for index in range(200)])
    assert found.digest() == store().digest() != store(199).digest()
    with pytest.raises(IndexError):
        found[200]


def test_a_corpus_is_never_completely_in_memory():
    """The examples are generated while they are written, and read one by one: 80 MB never enter the process."""
    before, most = pa.total_allocated_bytes(), []

    def corpus():
        for index in range(4_000):
            most.append(pa.total_allocated_bytes() - before)
            yield str(index), TokenExample(range(5_000), range(100))

    found = ExampleStore(corpus())
    assert max(most) < 4_000_000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert all(len(example.source) == 5_000 for example in found)
    assert all(len(found[index].source) == 5_000 for index in range(0, 4_000, 16))
    assert pa.total_allocated_bytes() - before < 4_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 20_000  # KB


def test_an_example_takes_eight_bytes_of_memory_while_it_is_written():
    """Plus a block: the lengths of source and target."""
    sizes = []

    def corpus():
        for index in range(200_000):
            if index == 100_000:
                tracemalloc.start()
            yield "name", TokenExample((), ())
        sizes.append(tracemalloc.get_traced_memory()[0])

    found = ExampleStore(corpus())
    tracemalloc.stop()
    assert found.lengths.shape == (200_000, 2)
    assert sizes[0] < 16 * 200_000
