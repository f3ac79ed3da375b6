"""Edits, and changes by other processes, during a run are neither lost nor trusted."""

from pathlib import Path

import pytest

from silverloom.orchestration.definitions import workspace


@pytest.mark.long
def test_code_edited_during_a_run_makes_its_datasets_stale_after_it(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    script = str(Path(__file__).with_name("edit_meanwhile.py"))
    ended = project.zygote.run(project.root, [], path=script, env={})
    assert ended.status == 1, ended.output
    assert "ops changed while this ran" in ended.output
    plan = [line.split()[:3] for line in project.silverloom("plan").splitlines()]
    assert ["talksumm/alignments", "2018-06", "yes"] in plan
    project.run()
    clean = fresh_project.copy(tmp_path / "clean")
    name = "ops/talksumm/align/hmm.py"
    (clean.root / name).write_text((project.root / name).read_text())
    clean.run()
    assert project.lock == clean.lock
    assert project.data() == clean.data()


@pytest.mark.long
def test_a_damaged_file_is_reported_to_dagster(done):
    with (done.root / "data/talksumm/pairs/2018-06/kept-00000.parquet").open("ab") as file:
        file.write(b"x")
    assert "talksumm/pairs 2018-06" in done.silverloom("sync")
    assert done.dagster()["talksumm/alignments 2018-06"]["status"] == "STALE"


def test_every_dataset_is_declared_after_its_inputs():
    """The order of runs relies on it."""
    names = list(workspace().datasets)
    assert all(
        names.index(source.key.to_user_string()) < names.index(dataset.name)
        for dataset in workspace().datasets.values()
        for source in dataset.inputs
    )
