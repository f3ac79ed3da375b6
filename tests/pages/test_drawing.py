from __future__ import annotations

import itertools
import random
import re

from hypothesis import given
from hypothesis import strategies as st

from silverloom.pages.overview import HEIGHT, WIDTH, draw


@st.composite
def graphs(draw_from):
    size = draw_from(st.integers(1, 12))
    return {
        f"d{at}": [f"d{parent}" for parent in range(at) if draw_from(st.integers(0, 3)) == 0]
        for at in range(size)
    }


@given(graphs())
def test_no_two_boxes_overlap_and_all_are_inside_the_drawing(inputs):
    drawn = draw(inputs)
    assert drawn.corners.keys() == inputs.keys()
    for (x1, y1), (x2, y2) in itertools.combinations(drawn.corners.values(), 2):
        assert abs(x1 - x2) >= WIDTH or abs(y1 - y2) >= HEIGHT
    for x, y in drawn.corners.values():
        assert 0 <= x <= drawn.width - WIDTH and 0 <= y <= drawn.height - HEIGHT


@given(graphs())
def test_every_input_is_above_what_is_made_from_it(inputs):
    corners = draw(inputs).corners
    assert all(
        corners[parent][1] < corners[name][1] for name, parents in inputs.items() for parent in parents
    )


def test_arrows_go_from_box_to_box_and_implied_ones_are_left_out():
    drawn = draw({"papers": [], "pairs": ["papers"], "summaries": ["pairs", "papers"]})
    ends = [re.findall(r"[\d.]+,[\d.]+", path) for path in drawn.arrows]
    x = drawn.corners["papers"][0] + WIDTH // 2
    assert [(one[0], one[-1]) for one in ends] == [
        (f"{x},{drawn.corners[above][1] + HEIGHT}", f"{x},{drawn.corners[below][1] - 4}")
        for above, below in (("pairs", "summaries"), ("papers", "pairs"))
    ]


def test_unconnected_parts_are_side_by_side():
    corners = draw({"a": [], "b": ["a"], "c": []}).corners
    assert corners["c"][0] >= corners["a"][0] + WIDTH and corners["c"][1] == corners["a"][1]


def test_a_graph_is_drawn_the_same_wherever_its_boxes_are_in_memory():
    dice = random.Random(3)
    for size in range(10, 26):
        names = [f"n{at:02d}" for at in range(size)]
        inputs = {name: dice.sample(names[:at], min(at, dice.randrange(4))) for at, name in enumerate(names)}
        drawings, kept = [], []
        for _ in range(5):
            drawings.append(draw(inputs))
            kept += [bytearray(dice.randrange(10, 500)) for _ in range(dice.randrange(500))]
        assert all(drawn == drawings[0] for drawn in drawings)
