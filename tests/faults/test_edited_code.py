"""Results of edited code are neither stored nor recorded under the key of the previous code."""

from pathlib import Path

import pytest

SCRIPT = str(Path(__file__).with_name("edited_code.py"))
PAPERS = ("silverloom.orchestration.cli", "run", "--select", "sources/papers")


@pytest.fixture(scope="module")
def right(fresh_project, tmp_path_factory):
    """The papers as the unedited code makes them."""
    project = fresh_project.copy(tmp_path_factory.mktemp("right") / "project")
    one_a_part(project)
    project.module(*PAPERS)
    return project


def one_a_part(project):
    project.params(lambda params: params["store"].update(records_per_part=1))


def papers(project):
    files = (project.root / "data/sources/papers").rglob("*.parquet")
    return {path.relative_to(project.root): path.read_bytes() for path in files}


@pytest.mark.long
def test_code_that_is_edited_while_workers_start_leaves_nothing_under_the_old_key(tally, fresh, right):
    """The code of an op is edited while worker processes start, and restored"""
    one_a_part(fresh)
    tally.attempt()
    ended = fresh.zygote.run(fresh.root, [], path=SCRIPT, env={"SILVERLOOM_WORKERS": "2"})
    assert "ops changed while this ran" in ended.output and "0 parts" in ended.output, ended.output
    assert not (fresh.root / "manifests/sources/papers/2018-06.json").exists()
    assert "resuming after" not in fresh.module(*PAPERS)
    assert papers(fresh) == papers(right)
    tally.survive()
