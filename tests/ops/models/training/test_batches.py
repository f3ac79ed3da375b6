import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.models.training import processes
from silverloom.ops.models.training.params import TrainingParams
from silverloom.ops.models.training.processes import parts_of


def batches(*arguments):
    return list(processes.batches(*arguments))


def in_lists(costs, size, limit, seed, epoch, parts):
    """The same batches, put together in lists."""
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(len(costs)).tolist()
    found, window = [], 50 * size * parts
    for start in range(0, len(order), window):
        batch = []
        for index in sorted(order[start : start + window], key=costs.__getitem__):
            largest = -(-(len(batch) + 1) // parts)
            if largest > size or (limit and largest > 1 and largest * costs[index] > limit):
                found.append(tuple(batch))
                batch = []
            batch.append(index)
        found.append(tuple(batch))
    return [found[place] for place in random.permutation(len(found))]


COSTS = st.lists(st.integers(1, 50), max_size=300)


@given(
    COSTS,
    st.integers(1, 9),
    st.none() | st.integers(1, 120),
    st.integers(0, 5),
    st.integers(0, 5),
    st.integers(1, 4),
)
def test_every_example_is_in_one_part_and_parts_keep_their_limits(costs, size, limit, seed, epoch, number):
    assert batches(costs, size, limit, seed, epoch, number) == in_lists(
        costs, size, limit, seed, epoch, number
    )
    found = [parts_of(batch, number) for batch in batches(costs, size, limit, seed, epoch, number)]
    assert sorted(index for parts in found for part in parts for index in part) == list(range(len(costs)))
    for parts in found:
        assert 1 <= len(parts) <= number and len(parts[0]) - len(parts[-1]) <= 1
        for part in parts:
            assert 1 <= len(part) <= size
            assert limit is None or len(part) == 1 or max(costs[index] for index in part) * len(part) <= limit


def test_the_rate_rises_and_falls_with_the_schedule():
    params = TrainingParams(learning_rate=1.0, warmup=0.2, schedule="linear")
    assert [params.rate(step, 10) for step in (0, 1, 2, 6)] == [0.5, 1.0, 1.0, 0.5]
    cosine = params.model_copy(update={"schedule": "cosine"})
    assert cosine.rate(6, 10) == 0.5 and cosine.rate(2, 10) == 1.0
    assert params.model_copy(update={"schedule": "constant", "warmup": 0.0}).rate(9, 10) == 1.0
