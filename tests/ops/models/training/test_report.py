"""What the report of a training says about the network."""

from torch import nn

from silverloom.ops.models.training.report import count_weights, learnt_row


def test_weights_that_two_layers_share_count_once():
    first, second = nn.Linear(3, 4), nn.Linear(3, 4)
    assert count_weights(nn.Sequential(first, second)) == 32
    second.weight = first.weight
    assert count_weights(nn.Sequential(first, second)) == 20


def test_rows_of_one_example_in_two_sets_have_distinct_ids():
    unit = {"id": "a", "licence": "MIT", "split": "test", "text": "not of the row"}
    rows = [learnt_row(unit, *within, example_id="a") for within in ((), ("first",), ("second",))]
    assert len({row["id"] for row in rows}) == 3
    assert {tuple(row) for row in rows} == {("id", "source_ids", "licence", "split", "example_id")}
    assert [(row["source_ids"], row["licence"], row["split"]) for row in rows] == 3 * [(["a"], "MIT", "test")]
