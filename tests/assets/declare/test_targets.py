"""The targets of params.yaml: what commands are about that get no selection."""

import pytest
import yaml

from silverloom.assets.declare.graph import AssetGraph
from silverloom.assets.declare.params_file import ParamsError, params_from, read_again, settings
from silverloom.orchestration.definitions import DECLARED

PROSE = {"texts": {"kind": "table", "path": ".", "licence": "MIT"}}


@pytest.fixture
def graph(tmp_path):
    """A function that returns the graph and the document of a project with some targets."""

    def graph(*targets):
        content = {"discofuse": {}, "partitions": {"every": "none"}, "sources": {"prose": PROSE}}
        content |= {"targets": [*targets]} if targets else {}
        (tmp_path / "params.yaml").write_text(yaml.safe_dump(content))
        return AssetGraph(DECLARED.values()), content

    with params_from(tmp_path):
        yield graph


def test_without_a_selection_the_targets_and_what_they_need_are_selected(graph):
    chosen, _ = graph("discofuse/examples")
    names = [dataset.name for dataset in chosen.selected(None)]
    assert names == [dataset.name for dataset in chosen.selected("discofuse/examples")]
    assert names[-1] == "discofuse/examples" and "discofuse/balanced" not in names
    assert "discofuse/balanced" in [dataset.name for dataset in chosen.selected("discofuse/balanced")]


def test_without_targets_everything_is_selected(graph):
    chosen, _ = graph()
    assert [dataset.name for dataset in chosen.selected(None)] == [*chosen.datasets]


def test_systems_without_sources_are_told_unless_a_project_names_what_it_wants(graph):
    assert "talksumm (no sources.papers" in graph()[0].unconfigured
    read_again()
    assert graph("discofuse/examples")[0].unconfigured is None


def test_an_unknown_dataset_is_refused_by_name_with_the_nearest(graph):
    with pytest.raises(
        LookupError, match=r"^no dataset is called 'discofuse/example' \(did you mean disc.*s\?\)$"
    ):
        graph()[0].datasets["discofuse/example"]


def test_an_unknown_target_is_refused_by_name(graph):
    chosen, content = graph("discofuse", "discofuse/exampels")
    with pytest.raises(ParamsError, match=r"params\.yaml: targets: nothing is called 'discofuse/exampels'"):
        chosen.check(content, settings())
