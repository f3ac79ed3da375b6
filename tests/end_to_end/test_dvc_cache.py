"""DVC's cache where teams have it: at any level of configuration, shared by projects, with any type of link."""

import pytest
import yaml

from silverloom.orchestration.files.identity import folder_hashes
from tests.projects import Project

RIDDLES = ("--select", "sources/riddles")


@pytest.fixture
def env(tmp_path) -> dict[str, str]:
    """The environment in which DVC has folders of the machine and of the user of its own."""
    return {f"DVC_{level}_CONFIG_DIR": str(tmp_path / level) for level in ("SYSTEM", "GLOBAL")}


def configure(project: Project, env, level, kind, cache) -> None:
    """Set the cache's place and type, and let DVC track the riddles of a month."""
    project.dvc("config", f"--{level}", "cache.dir", str(cache), env=env)
    project.dvc("config", f"--{level}", "cache.type", f"{kind},copy" if kind == "reflink" else kind, env=env)
    project.git("rm", "-rq", "--cached", "corpus/riddles")
    project.dvc("add", "corpus/riddles", env=env)
    project.commit()


def is_linked(file, kind):
    return {"symlink": file.is_symlink(), "hardlink": file.stat().st_nlink > 1}.get(kind, True)


@pytest.mark.parametrize(
    ("level", "kind"),
    [
        ("global", "symlink"),
        pytest.param("local", "hardlink", marks=pytest.mark.long),
        pytest.param("project", "reflink", marks=pytest.mark.long),  # without reflinks, DVC copies
    ],
)
def test_a_cache_elsewhere_is_committed_to_and_links_into_it_are_read(
    toy, done_toy_project, tmp_path, env, level, kind
):
    configure(toy, env, level, kind, tmp_path / "cache")
    files = [*(toy.root / "corpus/riddles").glob("*.txt")]
    assert files and all(is_linked(file, kind) for file in files)
    assert toy.made(toy.silverloom("run", *RIDDLES, env=env))
    for name in ("data/sources/riddles", "manifests/sources/riddles"):
        assert folder_hashes(toy.root / name) == folder_hashes(done_toy_project.root / name)
    assert all(is_linked(path, kind) for path in (toy.root / "data/sources").rglob("*.parquet"))
    assert not (toy.root / ".dvc/cache").exists()
    assert "everything is up to date" in toy.silverloom("plan", *RIDDLES, env=env)
    assert "up to date" in toy.dvc("status", "sources-riddles", "corpus/riddles.dvc", env=env)


@pytest.mark.long
def test_two_projects_use_one_cache_at_once(toy, tmp_path, env):
    other = toy.copy(tmp_path / "other")
    projects = (toy, other)
    for project in projects:
        configure(project, env, "global", "symlink", tmp_path / "cache")
    running = [project.start("silverloom.orchestration.cli", "run", *RIDDLES, **env) for project in projects]
    for process in running:
        output, _ = process.communicate(timeout=600)
        assert process.returncode == 0, output
    assert yaml.safe_load(toy.lock) == yaml.safe_load(other.lock), "DVC records new stages in any order"
    for project in projects:
        assert "up to date" in project.dvc("status", "sources-riddles", "corpus/riddles.dvc", env=env)
    file = next(iter((other.root / "data/sources/riddles").rglob("kept-*.parquet")))
    assert file.resolve().is_relative_to(tmp_path / "cache")
