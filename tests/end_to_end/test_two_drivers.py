"""Dagster's driver and DVC's make the same bytes, and each trusts the other's results."""

import pytest
import yaml

from tests.projects import BLOCKING


@pytest.fixture(scope="module")
def reproduced(toy_project, tmp_path_factory):
    """The toy after `dvc repro`."""
    project = toy_project.copy(tmp_path_factory.mktemp("reproduced") / "checkout")
    project.repro()
    return project


def test_both_drivers_make_the_same_lock_and_the_same_bytes(done_toy_project, reproduced):
    assert reproduced.lock == done_toy_project.lock
    assert reproduced.data() == done_toy_project.data()


@pytest.mark.long
def test_datasets_with_a_trained_model_have_the_same_bytes_by_both_drivers(done, fresh):
    fresh.repro()
    assert (fresh.lock, fresh.data()) == (done.lock, done.data())


@pytest.mark.long
def test_datasets_of_the_other_systems_have_the_same_bytes_by_both_drivers(sample_project, tmp_path):
    project, other = (sample_project.copy(tmp_path / name / "checkout") for name in ("dagster", "dvc"))
    names = ("discofuse/examples", "parasci/definitions", "wikisum/ranked")
    for name in names:
        project.silverloom("run", "--select", name)
    other.dvc("repro", *(name.replace("/", "-") for name in names))
    assert yaml.safe_load(other.lock) == yaml.safe_load(project.lock)
    assert other.data() == project.data()


@pytest.mark.long
def test_one_and_two_workers_in_two_folders_make_the_same_lock(fresh_project, tmp_path):
    locks = []
    for workers in ("1", "2"):
        project = fresh_project.copy(tmp_path / f"place {workers}" / "checkout")
        project.params(lambda params: params["store"].update(records_per_part=1))
        project.run(env={"SILVERLOOM_WORKERS": workers})
        assert (project.root / "data/sources/talks/2018-06/kept-00001.parquet").exists()
        locks.append(project.lock)
    assert locks[0] == locks[1]


def test_after_a_run_dvc_finds_everything_up_to_date_and_a_second_run_makes_nothing(done_toy):
    before = done_toy.lock
    assert done_toy.dvc_status() == {}
    assert done_toy.made(done_toy.run()) == []
    assert done_toy.lock == before
    assert done_toy.git("status", "--porcelain") == ""


def test_dagster_shows_a_repro_as_fresh_runs_that_passed_their_checks(reproduced):
    seen = reproduced.dagster()
    locked = yaml.safe_load(reproduced.lock)["stages"]["toy-lengths"]["outs"][0]["md5"]
    assert seen["toy/lengths"]["version"] == locked
    assert len(seen) == 2 * 2 + 4, "two months of riddles and questions, and four datasets without months"
    assert {part["status"] for part in seen.values()} == {"FRESH"}
    assert all(part["run"] for part in seen.values())
    pages = seen.pop("quality/pages")
    assert not pages["checks"]
    assert all(part["checks"].items() >= BLOCKING.items() for part in seen.values())
    assert len({part["run"] for part in (*seen.values(), pages)}) == len(seen) + 1, "one run a partition"


@pytest.mark.long
def test_a_forced_stage_is_made_again_with_the_same_bytes(done):
    before = done.lock
    output = done.dvc("repro", "-f", "-s", "talksumm-summaries", env={"SILVERLOOM_FORCE": "1"})
    assert done.made(output) == ["talksumm/summaries 2018-06", "talksumm/summaries 2018-07"]
    assert done.lock == before
