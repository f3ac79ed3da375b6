"""Changed stages are committed with as few DVC commits as possible."""

from types import SimpleNamespace

import pytest

from silverloom.assets.declare.declaration import Dataset, Input, Key
from silverloom.assets.declare.graph import AssetGraph
from silverloom.orchestration.dvc.stages import grouped

#: Two datasets made from one, a last one made from both, and an unrelated one.
READS = {"first": (), "left": ("first",), "right": ("first",), "last": ("left", "right"), "apart": ()}


def declared(name):
    inputs = tuple(Input(read, Key("group", read), False) for read in READS[name])
    return Dataset(Key("group", name), lambda: None, None, None, False, inputs, None, {})


@pytest.mark.parametrize(
    ("moved", "targets"),
    [
        ("first left right last", {"last": True}),
        ("first left right last apart", {"last": True, "apart": True}),
        ("first left right", {"left": True, "right": True}),
        ("first", {"first": True}),
        ("left right last", {"last": True}),
        ("first right last", {"last": True}),
        ("last", {"last": False}),
        ("", {}),
    ],
)
def test_a_stage_takes_its_ancestors_along_if_enough_of_them_have_changed(moved, targets):
    graph = AssetGraph([])
    graph.datasets = {
        f"group/{name}": declared(name) for name in READS
    }  # these need no sources in params.yaml
    found = grouped(SimpleNamespace(graph=graph), [graph.datasets[f"group/{name}"] for name in moved.split()])
    assert list(found.items()) == [(f"group-{name}", whole) for name, whole in targets.items()]
