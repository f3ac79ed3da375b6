"""Which stages dvc.yaml has: one for each dataset that a project wants, and the goals that name many of them."""

import dataclasses

import pytest
import yaml

from silverloom.assets.declare.declaration import Key
from silverloom.assets.declare.params_file import document, params_from, read_again
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.dvc import stages
from silverloom.orchestration.state.dvc_files import stage_name

LOCK = """schema: '2.0'
stages:
  talksumm-evaluation:
    cmd: x
    outs:
    - {path: data/talksumm/evaluation, md5: 0123456789abcdef0123456789abcdef, size: 1}
"""


def rendered(project, made=()):
    return yaml.safe_load(stages.render(project, made))["stages"]


def test_a_goal_reaches_every_dataset_of_its_system():
    project = workspace()
    by_folder = {project.shown(project.folder(dataset)): dataset for dataset in project.datasets.values()}
    stages_of_all = rendered(project)
    for system in {dataset.key.path[0] for dataset in project.datasets.values()}:
        ends = [by_folder[folder] for folder in stages_of_all[system]["deps"]]
        reached = {needed.name for end in ends for needed in (end, *project.graph.ancestors(end))}
        assert {name for name in project.datasets if name.startswith(f"{system}/")} <= reached
        assert "outs" not in stages_of_all[system]
    released = {by_folder[folder].key.asset for folder in stages_of_all["release"]["deps"]}
    assert released == {"release_files"}


@pytest.fixture
def project(tmp_workspace):
    """A project that wants the examples of one system."""
    with params_from(tmp_workspace.root):
        content = {**document(workspace().root), "targets": ["discofuse/examples"]}
        (tmp_workspace.root / "params.yaml").write_text(yaml.safe_dump(content))
        read_again()
        yield tmp_workspace
    read_again()


def test_only_the_targets_and_what_they_are_made_from_have_stages(project):
    wanted = [stage_name(dataset) for dataset in project.graph.selected("discofuse/examples")]
    assert [*rendered(project)] == ["code", *wanted, "sources", "discofuse"]


def test_what_was_made_besides_the_targets_has_a_stage_with_its_inputs(project):
    before = {*rendered(project)}
    balanced = project.datasets["discofuse/balanced"]
    needed = {stage_name(dataset) for dataset in (balanced, *project.graph.ancestors(balanced))}
    assert {*rendered(project, [balanced])} == before | needed > before
    project.lock.write_text(LOCK)
    added = {*rendered(project)} - before
    assert {"talksumm", "talksumm-evaluation", "talksumm-pairs"} <= added
    assert "discofuse-balanced" not in added


@pytest.mark.parametrize("name", ["code", "release", "sources-talks"])
def test_a_group_with_the_name_of_another_stage_is_refused(name):
    project = workspace()
    datasets = [*project.datasets.values()]
    key = Key(name, datasets[0].key.asset)
    with pytest.raises(ValueError, match=f"a stage of DVC is named {name}: give the group another name"):
        stages.goals(project, [*datasets[1:], dataclasses.replace(datasets[0], key=key)])
