"""What the report of a training says of the network."""

from torch import nn

from ops.models.training.report import count_weights


def test_weights_that_two_layers_share_count_once():
    first, second = nn.Linear(3, 4), nn.Linear(3, 4)
    assert count_weights(nn.Sequential(first, second)) == 32
    second.weight = first.weight
    assert count_weights(nn.Sequential(first, second)) == 20
