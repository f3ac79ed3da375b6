"""The reasons in a plan for inputs that are themselves stale."""

import pytest

from silverloom.orchestration.state.plan import if_changed


@pytest.mark.parametrize(
    ("places", "reason"),
    [
        ([("a/b", ["2018-06"])], "if a/b 2018-06 changes"),
        ([("a/b", [""]), ("a/c", ["2018-06"])], "if a/b, a/c 2018-06 changes"),
        ([("a/b", [str(year) for year in range(5)])], "if a/b 0, a/b 1, a/b 2 or one of 2 others changes"),
        ([("a/b", [str(year) for year in range(4)])], "if a/b 0, a/b 1, a/b 2 or another input changes"),
    ],
)
def test_a_reason_names_a_few_inputs_and_counts_the_others(places, reason):
    assert if_changed(places) == reason
