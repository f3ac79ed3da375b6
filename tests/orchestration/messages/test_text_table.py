"""Tables in a terminal are aligned by the type of their columns."""

from silverloom.orchestration.messages import aligned


def test_numbers_are_right_aligned_words_left_aligned_and_no_line_ends_with_spaces():
    assert aligned([["month", "added", "because"], ["2018-06", 7, "a long reason"], ["sum", 1234, "b"]]) == (
        "month    added  because\n2018-06      7  a long reason\nsum       1234  b"
    )


def test_a_table_without_rows_is_its_header():
    assert aligned([["month", "added"]]) == "month  added"
