"""DVC's cache where teams have it: at any level of configuration, shared by projects, with any type of link."""

import pytest

from silverloom.orchestration.files.identity import folder_hashes
from tests.projects import Project

TALKS = ("--select", "sources/talks")


@pytest.fixture
def env(tmp_path) -> dict[str, str]:
    """The environment in which DVC has folders of the machine and of the user of its own."""
    return {f"DVC_{level}_CONFIG_DIR": str(tmp_path / level) for level in ("SYSTEM", "GLOBAL")}


def configure(project: Project, env, level, kind, cache) -> None:
    """Set the cache's place and type, and let DVC track the talks."""
    project.dvc("config", f"--{level}", "cache.dir", str(cache), env=env)
    project.dvc("config", f"--{level}", "cache.type", f"{kind},copy" if kind == "reflink" else kind, env=env)
    project.git("rm", "-rq", "--cached", "corpus/talks")
    project.dvc("add", "corpus/talks", env=env)
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
    fresh, done_project, tmp_path, env, level, kind
):
    configure(fresh, env, level, kind, tmp_path / "cache")
    files = [*(fresh.root / "corpus/talks").glob("*.txt")]
    assert files and all(is_linked(file, kind) for file in files)
    assert fresh.made(fresh.silverloom("run", *TALKS, env=env))
    for name in ("data/sources/talks", "manifests/sources/talks"):
        assert folder_hashes(fresh.root / name) == folder_hashes(done_project.root / name)
    assert all(is_linked(path, kind) for path in (fresh.root / "data/sources").rglob("*.parquet"))
    assert not (fresh.root / ".dvc/cache").exists()
    assert "everything is up to date" in fresh.silverloom("plan", *TALKS, env=env)
    assert "up to date" in fresh.dvc("status", "sources-talks", "corpus/talks.dvc", env=env)


@pytest.mark.long
def test_two_projects_use_one_cache_at_once(fresh, tmp_path, env):
    other = fresh.copy(tmp_path / "other")
    projects = (fresh, other)
    for project in projects:
        configure(project, env, "global", "symlink", tmp_path / "cache")
    running = [project.start("silverloom.orchestration.cli", "run", *TALKS, **env) for project in projects]
    for process in running:
        output, _ = process.communicate(timeout=600)
        assert process.returncode == 0, output
    assert fresh.lock == other.lock
    for project in projects:
        assert "up to date" in project.dvc("status", "sources-talks", "corpus/talks.dvc", env=env)
    file = next(iter((other.root / "data/sources/talks").rglob("kept-*.parquet")))
    assert file.resolve().is_relative_to(tmp_path / "cache")
