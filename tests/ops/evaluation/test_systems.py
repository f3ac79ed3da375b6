"""Comparing systems: which rows belong to which, and the items that two of them share."""

import pyarrow as pa

from silverloom.ops.evaluation.table import Bootstrap, by_system, in_common, mean_scores, paired_tests
from silverloom.ops.metrics.bootstrap import interval, paired_bootstrap

SCHEMA = pa.schema(
    [("item", pa.string()), ("system", pa.string()), ("model", pa.string()), ("f", pa.float64())]
)


def row(item, system="lead", model=None, f=0.0):
    return {"item": item, "system": system, "model": model, "f": f}


def table(*rows):
    return pa.Table.from_pylist(rows, SCHEMA)


def test_each_model_is_a_separate_system_and_systems_keep_the_order_of_their_first_rows():
    rows = [row("a", "only", "pointer"), row("a"), row("a", "only", "transformer"), row("b")]
    assert [(name, its.to_pylist()) for name, its in by_system(table(*rows)).items()] == [
        (("only", "pointer"), [rows[0]]),
        (("lead", ""), [rows[1], rows[3]]),
        (("only", "transformer"), [rows[2]]),
    ]


def test_two_systems_are_compared_on_their_shared_items_in_one_order():
    first = table(row("c", f=0.25), row("a", f=0.5), row("b", f=1.0))
    second = table(row("a", f=0.0), row("d", f=0.0), row("c", f=1.0))
    ours, theirs = in_common(first, second, "item")
    assert (ours["item"].to_pylist(), theirs["item"].to_pylist()) == (["a", "c"], ["a", "c"])
    assert paired_tests(ours, theirs, ["f"], Bootstrap(resamples=50, seed=7)) == {
        "f": paired_bootstrap([0.5, 0.25], [0.0, 1.0], 50, 7)._asdict()
    }
    assert [len(its) for its in in_common(first, table(row("e")), "item")] == [0, 0]


def test_means_cover_the_requested_columns():
    assert mean_scores(table(row("a", f=0.5), row("b", f=1.0)), ["f"], Bootstrap(resamples=50, seed=7)) == {
        "f": interval([0.5, 1.0], 50, 7)._asdict()
    }
