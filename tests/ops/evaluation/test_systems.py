"""Comparing systems: which rows belong to which, and the items that two of them share."""

from ops.evaluation.table import Bootstrap, by_system, in_common, mean_scores, paired_tests
from ops.metrics.bootstrap import interval, paired_bootstrap


def row(item, system="lead", model=None, **scores):
    return {"item": item, "system": system, "model": model, **scores}


def test_each_model_is_a_separate_system():
    rows = [row("a", "only", "pointer"), row("a"), row("a", "only", "transformer"), row("b")]
    assert by_system(rows) == {
        ("only", "pointer"): [rows[0]],
        ("lead", ""): [rows[1], rows[3]],
        ("only", "transformer"): [rows[2]],
    }


def test_two_systems_are_compared_on_their_shared_items_in_one_order():
    first = [row("c", f=0.25), row("a", f=0.5), row("b", f=1.0)]
    second = [row("a", f=0.0), row("d", f=0.0), row("c", f=1.0)]
    ours, theirs = in_common(first, second, "item")
    assert ([one["item"] for one in ours], [one["item"] for one in theirs]) == (["a", "c"], ["a", "c"])
    assert paired_tests(ours, theirs, ["f"], Bootstrap(resamples=50, seed=7)) == {
        "f": paired_bootstrap([0.5, 0.25], [0.0, 1.0], 50, 7)._asdict()
    }
    assert in_common(first, [row("e")], "item") == ([], [])


def test_means_cover_the_requested_columns():
    rows = [row("a", f=0.5, p=None), row("b", f=1.0, p=None)]
    assert mean_scores(rows, ["f"], Bootstrap(resamples=50, seed=7)) == {
        "f": interval([0.5, 1.0], 50, 7)._asdict()
    }
