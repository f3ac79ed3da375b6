"""Both JSON forms of an evaluation can be read, and verdicts claim no more than the tests allow."""

import pytest

from silverloom.ops.evaluation.table import EvaluationTable, PairedTest, read_table
from silverloom.ops.metrics.bootstrap import Comparison, Interval

SCORE = {"mean": 0.5, "low": 0.4, "high": 0.6}
DIFFERENCE = {"difference": 0.1, "low": 0.05, "high": 0.2, "p": 0.01}


def compared(difference: float, p: float, items: int = 98, **more: Comparison) -> PairedTest:
    score = Comparison(difference, difference - 0.1, difference + 0.1, p)
    return PairedTest("only", "lead", (), items, {"f": score, **more})


@pytest.mark.parametrize(
    ("difference", "p", "items", "verdict"),
    [
        (0.1, 0.049, 98, "above"),
        (-0.1, 0.049, 98, "below"),
        (0.1, 0.05, 98, "no significant difference"),
        (0.1, 0.002, 6, "above"),
        (0.1, 0.002, 5, "too few to tell"),
        (0.1, 0.002, 1, "too few to tell"),
    ],
)
def test_a_verdict_needs_enough_items_and_a_small_p(difference, p, items, verdict):
    assert compared(difference, p, items).verdict("f") == verdict


def test_metrics_that_disagree_are_mixed():
    assert compared(0.1, 0.01, g=Comparison(0.1, -0.1, 0.2, 0.3)).verdict("f", "g") == "mixed"


def test_a_test_is_turned_to_the_requested_system():
    test = compared(-0.2, 0.01)
    assert test.seen_from("only") is test and test.seen_from("oracle") is None
    turned = test.seen_from("lead")
    assert (turned.first, turned.second) == ("lead", "only")
    assert turned.scores["f"] == pytest.approx(Comparison(0.2, 0.1, 0.3, 0.01))


def test_systems_of_one_test_set_and_of_several_are_read_alike():
    one_set = {
        "metrics": ["f"],
        "systems": [{"system": "only", "model": "a/b", "chosen": False, "papers": 3, "scores": {"f": SCORE}}],
        "tests": [{"first": "lead", "second": "only (a/b)", "papers": 3, "scores": {"f": DIFFERENCE}}],
    }
    several = {
        "systems": [{"system": "only", "model": "a/b", "domain": "x", "examples": 3, "scores": {"f": SCORE}}],
        "tests": [
            {
                "first": {"system": "lead", "model": None},
                "second": {"system": "only", "model": "a/b"},
                "domain": "x",
                "examples": 3,
                "scores": {"f": DIFFERENCE},
            }
        ],
    }
    first, second = read_table(one_set, "papers"), read_table(several, "examples", ["domain"])
    assert first.metrics == ("f",) and second.metrics == ()
    for table, test in ((first, ()), (second, ("x",))):
        [system] = table.systems
        assert (system.name, system.items, system.test) == ("only (a/b)", 3, test)
        assert system.scores == {"f": Interval(0.5, 0.4, 0.6)}
        [found] = table.tests
        assert (found.first, found.second, found.items, found.test) == ("lead", "only (a/b)", 3, test)
        assert found.scores == {"f": Comparison(0.1, 0.05, 0.2, 0.01)}
    assert not first.systems[0].chosen and second.systems[0].chosen


def test_breakdowns_have_the_scores_and_the_outputs_of_each_kind():
    rows = [
        {"model": "a", "connective": "and", "examples": 4, "accuracy": SCORE,
         "predicted": [{"output": "and", "count": 3, "share": 0.75}, {"output": "but", "count": 1, "share": 0.25}]},
        {"model": "a", "connective": "so", "examples": 0, "accuracy": None, "predicted": []},
    ]  # fmt: skip
    content = {"systems": [], "tests": [], "connectives": rows}
    found = read_table(content, "examples", breakdowns={"connectives": "connective"}).breakdowns[
        "connectives"
    ]
    assert found[0].scores["accuracy"].mean == 0.5 and found[0].predicted == {"and": 3, "but": 1}
    assert (found[1].kind, found[1].items, found[1].scores, found[1].predicted) == ("so", 0, {}, {})


def test_a_missing_file_is_an_empty_evaluation():
    assert read_table(None, "papers") == EvaluationTable()
