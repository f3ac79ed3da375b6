"""Holes: closing a text, and counting the holes of its sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.text.holes import HOLE, closed, holes_within, opened


@pytest.mark.parametrize(
    ("text", "plain", "holes"),
    [
        ("It is open.", "It is open.", []),
        ("The current is #.", "The current is.", [14]),
        ("The # mill, # and the # .NET runtime", "The mill, and the .NET runtime", [4, 10, 18]),
        ("#, the town had # people (#).", ", the town had people ().", [0, 15, 23]),
        ("It has salmon. # It ends.", "It has salmon. It ends.", [15]),
        ("Two # # of them", "Two of them", [4, 4]),
        ("a#b", "ab", [1]),
        ("a.# #b", "a. b", [3, 3]),
        ("It is #\n\n# It was", "It is\n\nIt was", [5, 7]),
    ],
)
def test_a_closed_text_shows_no_hole_and_tells_its_place(text, plain, holes):
    assert closed(text.replace("#", HOLE)) == (plain, holes)


@given(st.text(st.sampled_from(f"ab .,\n{HOLE}")))
def test_closing_takes_only_signs_and_blanks_and_opening_puts_the_signs_back(text):
    plain, holes = closed(text)
    assert "".join(plain.split()) == "".join(text.replace(HOLE, "").split())
    assert len(holes) == text.count(HOLE)
    assert closed(opened(plain, holes))[1] == holes
    assert plain.count("\n") == text.count("\n")


def test_a_hole_between_two_sentences_is_in_the_second_only():
    plain, holes = closed(f"It has salmon. {HOLE} It ends.")
    assert [holes_within(holes, 0, 14), holes_within(holes, 15, len(plain))] == [0, 1]
