"""Data travels by DVC, and every tool trusts it in the clone."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.projects import BLOCKING, CODE, Project


@pytest.fixture(scope="module")
def clone(done_toy_project, tmp_path_factory, zygote) -> Project:
    """A clone with data pulled by `dvc pull` from a folder outside the repository. Copy it, do not change it."""
    place = tmp_path_factory.mktemp("clone")
    return pull(done_toy_project.copy(place / "origin"), place, zygote)


def pull(origin: Project, place: Path, zygote) -> Project:
    origin.dvc("remote", "add", "-d", "store", str(place / "store"))
    origin.commit("remote")
    origin.dvc("push")
    origin.git("clone", "-q", str(origin.root), str(place / "copy"))
    for (
        name
    ) in CODE:  # the same environment with its compiled kernels: compiling would take longer than the tests
        subprocess.run(["cp", "-a", origin.root / name, place / "copy"], check=True)
    copy = Project(place / "copy", zygote)
    copy.dvc("pull")
    return copy


@pytest.fixture
def pulled(clone, tmp_path) -> Project:
    copy = clone.copy(tmp_path / "pulled")
    copy.git("config", "user.email", "tests@example.org")
    copy.git("config", "user.name", "tests")
    return copy


def test_after_clone_and_pull_nothing_is_recomputed(pulled, done_toy_project):
    assert pulled.data() == done_toy_project.data()
    assert "everything is up to date" in pulled.silverloom("plan")
    assert pulled.made(pulled.run()) == []
    assert pulled.dvc_status() == {}
    assert pulled.git("status", "--porcelain") == ""


@pytest.mark.long
def test_when_only_the_data_were_pulled_plan_says_what_else_to_pull(pulled):
    shutil.rmtree(pulled.root / "manifests/toy/questions")
    told = r"no manifest says that it was finished \(`dvc pull toy-questions` gets it if it was pushed\)"
    assert re.search(rf"^toy/questions +2018-06 .*{told}", pulled.silverloom("plan"), re.MULTILINE)
    pulled.dvc("pull", "toy-questions")
    assert "everything is up to date" in pulled.silverloom("plan")


@pytest.mark.long
def test_after_a_pull_sync_updates_dagster(pulled):
    assert {part["status"] for part in pulled.dagster().values()} == {"MISSING"}
    corrected = pulled.silverloom("sync").splitlines()
    seen = pulled.dagster()
    assert set(seen) <= set(corrected)
    assert {part["status"] for part in seen.values()} == {"FRESH"}
    assert not seen.pop("quality/pages")["checks"]
    assert all(part["checks"].items() >= BLOCKING.items() for part in seen.values())
    assert "match the files on disk" in pulled.silverloom("sync")


@pytest.mark.long
def test_after_a_checkout_of_another_version_sync_updates_dagster(done_toy):
    done_toy.git("checkout", "-qb", "other")
    before = {name: part["version"] for name, part in done_toy.dagster().items()}
    done_toy.params(lambda params: params["toy"]["questions"].update(words=7))
    done_toy.run()
    done_toy.commit("other")
    changed = {name: part["version"] for name, part in done_toy.dagster().items()}
    assert changed != before
    done_toy.git("checkout", "-q", "main")
    done_toy.dvc("checkout")
    assert "toy/questions 2018-06" in done_toy.silverloom("sync")
    assert {name: part["version"] for name, part in done_toy.dagster().items()} == before
    assert {part["status"] for part in done_toy.dagster().values()} == {"FRESH"}
    assert done_toy.made(done_toy.run()) == []
