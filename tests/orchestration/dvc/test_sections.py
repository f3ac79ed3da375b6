"""DVC watches a section of params.yaml by itself, or the whole around it where params.yaml lacks a part."""

import copy

import pytest
import yaml

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.declaration import declared
from silverloom.assets.declare.params_file import document, params_from, read_again
from silverloom.ops.core.outcome import Outcome, Outcomes, Shape, columns
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.talksumm.schemas import PAIRS
from silverloom.orchestration.dvc import stages

SHAPE = Shape(unit=PAIRS.kept, kept=columns())


class NewParams(Params, section="talksumm.new"):
    """The section of a dataset that was just added."""

    share: float = 0.5
    names: tuple[str, ...] = ("a", "b")


@pytest.fixture
def project(tmp_workspace, own_declarations):
    """A project with the params of the checkout, and its dvc.yaml; then a dataset is declared."""
    content = copy.deepcopy(dict(document()))
    write(tmp_workspace, content)
    with params_from(tmp_workspace.root):
        (tmp_workspace.root / "dvc.yaml").write_text(stages.render(tmp_workspace))

        @dataset(group="talksumm", shape=SHAPE, consumes="pairs")
        def added(pairs: Parts, params: NewParams) -> Outcomes:
            """Nothing."""
            yield Outcome.of(SHAPE, [], [])

        declared(added)
        tmp_workspace.__dict__.pop("graph", None)  # it was made before the dataset
        yield tmp_workspace
    read_again()


def write(project, content):
    (project.root / "params.yaml").write_text(yaml.safe_dump(content))
    read_again()


def watched(project, name):
    rendered = yaml.safe_load(stages.render(project))["stages"][name]
    return set(rendered["params"][0]["params.yaml"])


def test_a_section_that_a_new_dataset_lacks_is_watched_with_all_around_it(project):
    assert watched_before(project, "talksumm-pairs").isdisjoint({"talksumm"})
    assert "talksumm" in watched(project, "talksumm-added")
    assert "talksumm" in watched(project, "talksumm-pairs")


@pytest.mark.parametrize("section", [{}, {"share": 0.7}])
def test_a_section_that_is_there_leaves_the_params_of_other_stages_alone(project, section):
    before = watched_before(project, "talksumm-pairs")
    content = copy.deepcopy(dict(document(project.root)))
    content["talksumm"]["new"] = section
    write(project, content)
    assert watched(project, "talksumm-pairs") == before
    assert "talksumm.new" in watched(project, "talksumm-added")


def watched_before(project, name):
    rendered = yaml.safe_load((project.root / "dvc.yaml").read_text())["stages"][name]
    return set(rendered["params"][0]["params.yaml"])


def test_a_project_that_lists_only_what_differs_needs_no_section(project):
    content = {**document(project.root), "talksumm": {}}
    write(project, content)
    (project.root / "dvc.yaml").unlink()
    (project.root / "dvc.yaml").write_text(stages.render(project))
    write(project, {**content, "talksumm": {"hmm": {}}})
    assert "talksumm" in watched(project, "talksumm-added")


def test_a_section_that_dvc_watched_may_be_removed(project):
    content = copy.deepcopy(dict(document(project.root)))
    content["talksumm"]["new"] = {}
    del content["talksumm"]["hmm"]
    write(project, content)
    assert "talksumm" in watched(project, "talksumm-pairs")
