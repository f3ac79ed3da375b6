"""Tables in a terminal are aligned by what their columns hold."""

from orchestration.messages import aligned


def test_numbers_stand_to_the_right_and_words_to_the_left_and_no_line_ends_with_spaces():
    assert aligned([["month", "added", "because"], ["2018-06", 7, "a long reason"], ["sum", 1234, "b"]]) == (
        "month    added  because\n2018-06      7  a long reason\nsum       1234  b"
    )


def test_a_header_alone_is_a_line():
    assert aligned([["month", "added"]]) == "month  added"
