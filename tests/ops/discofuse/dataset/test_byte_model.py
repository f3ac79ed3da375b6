"""The bits of a byte under reference texts, compared with the formula."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.discofuse.dataset.byte_model import LONGEST, ByteModel
from silverloom.ops.filters.test_sets import TEST_SETS
from tests.parts import parts


def model(folder, texts):
    rows = [{"id": f"test-{number}", "text": text} for number, text in enumerate(texts)]
    return ByteModel.learnt(parts(folder / "texts", TEST_SETS.kept, rows[::2], rows[1::2]), folder / "model")


def estimates(texts):
    """Witten and Bell's estimate of a byte after some bytes."""
    folded = [" ".join(text.split()).encode() for text in texts]
    counts = Counter(
        data[place : place + size]
        for data in folded
        for size in range(1, LONGEST + 1)
        for place in range(len(data) - size + 1)
    )
    followers = {}
    for run, count in counts.items():
        followers.setdefault(run[:-1], Counter())[run[-1:]] = count

    def estimate(context, byte):
        shorter = estimate(context[1:], byte) if context else 1 / 256
        seen = followers.get(context)
        if not seen:
            return shorter
        return (seen[byte] + len(seen) * shorter) / (seen.total() + len(seen))

    return estimate


TEXT = st.text("ab é", min_size=1, max_size=30).filter(lambda text: text.split())


@given(
    st.lists(TEXT, min_size=1, max_size=4),
    st.lists(st.text("ab c", min_size=LONGEST, max_size=LONGEST), max_size=4),
)
def test_the_bits_of_a_byte_equal_the_formula(tmp_path_factory, texts, runs):
    learnt = model(tmp_path_factory.mktemp("model"), texts)
    data = np.frombuffer("".join(runs).encode(), np.uint8).reshape(-1, LONGEST)
    assert learnt.bits(data) == pytest.approx(
        [-math.log2(estimates(texts)(run[:-1], run[-1:])) for run in map(str.encode, runs)]
    )


def test_running_text_is_less_surprising_than_a_list_of_numbers(tmp_path):
    learnt = model(
        tmp_path, ["The mill stands on a dam that was built by monks. The tide fills the pond."] * 2
    )

    def bits(text):
        return learnt.bits(np.lib.stride_tricks.sliding_window_view(np.frombuffer(text, np.uint8), LONGEST))

    assert bits(b"The tide fills the dam.").mean() < 3 < bits(b"Tel. 0815/4711 [x] >> #42").mean()


def test_an_empty_model_has_no_bits(tmp_path):
    assert model(tmp_path / "nothing", []).bits(np.zeros((1, LONGEST), np.uint8)) is None


def test_training_holds_the_runs_of_one_part_at_a_time(tmp_path, monkeypatch):
    sizes, unique = [], np.unique
    monkeypatch.setattr(np, "unique", lambda runs, **more: sizes.append(len(runs)) or unique(runs, **more))
    rows = [[{"id": f"test-{number}", "text": "The tide fills the pond."}] for number in range(6)]
    learnt = ByteModel.learnt(parts(tmp_path / "texts", TEST_SETS.kept, *rows), tmp_path / "model")
    assert max(sizes) == len("The tide fills the pond.")
    assert np.load(learnt.folder / "counts-1.npy").sum() == 6 * max(sizes)
