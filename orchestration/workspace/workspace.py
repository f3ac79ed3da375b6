"""One project: its folders, params.yaml, datasets and commit. A checkout is a project, too.

Belongs here: the object given to everything that reads or writes files; calling git. Not here: the folders'
content (files/, state/), the environment of processes (environment.py), or any import that could load numpy
before its kernels are pinned.

Commands, servers, worker processes and Dagster's definitions create a workspace with `Workspace.here()` or
`definitions.workspace()`. Everything else gets it as an argument.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from silverloom.assets.declare.params_file import ParamsError, settings
from silverloom.assets.declare.project import project
from silverloom.assets.declare.settings import Settings
from silverloom.orchestration.workspace.postgres import is_postgres, with_driver
from silverloom.pages.paths import PAGES, page_path

if TYPE_CHECKING:  # nothing may load numpy before its kernels are pinned
    from silverloom.assets.declare.declaration import Dataset, Key
    from silverloom.assets.declare.graph import AssetGraph


#: The variable with the address that alerts are sent to.
ALERTS = "SILVERLOOM_ALERTS"


@dataclass(frozen=True)
class Workspace:
    """A project. Workspaces with the same root are equal."""

    root: Path
    declarations: Mapping[Key, Dataset] | None = field(default=None, compare=False, repr=False)
    """The datasets of the graph. Default: all that are declared when the graph is first used."""

    @classmethod
    def here(cls) -> Workspace:
        """Return the project around the working directory; outside of any, the checkout of this code."""
        return cls(project())

    def __reduce__(self) -> tuple[type[Workspace], tuple[Path]]:
        """Pickle without declarations, because the other process has its own."""
        return Workspace, (self.root,)

    @property
    def data(self) -> Path:
        """The folder with all datasets."""
        return self.root / "data"

    @property
    def state(self) -> Path:
        """The folder with this checkout's local state: locks, unfinished work, histories."""
        return self.root / ".silverloom"

    @property
    def staging(self) -> Path:
        """The folder in which partitions are built before publication, on the data's file system."""
        return self.data / ".building"

    @property
    def quality(self) -> Path:
        """The folder with pages and failing rows."""
        return self.data / "quality"

    @property
    def lock(self) -> Path:
        """DVC's dvc.lock."""
        return self.root / "dvc.lock"

    @property
    def mlflow_store(self) -> Path:
        """MLflow's SQLite store, used unless MLFLOW_TRACKING_URI or params.yaml names another one."""
        return self.state / "mlflow.db"

    @property
    def tracking_uri(self) -> str:
        """Where runs are sent, in the form that MLflow's client takes."""
        named = os.environ.get("MLFLOW_TRACKING_URI")
        with contextlib.suppress(ParamsError):  # commands that make runs report what is wrong with it
            named = named or self.settings.mlflow
        return with_driver(named) if named else f"sqlite:///{self.mlflow_store}"

    @property
    def alerts(self) -> str:
        """The address that alerts are sent to, or nothing."""
        return os.environ.get(ALERTS) or self.settings.alerts

    @property
    def tracked_here(self) -> bool:
        """Whether runs go into this checkout's own store."""
        return self.tracking_uri == f"sqlite:///{self.mlflow_store}"

    @property
    def models_here(self) -> bool:
        """Whether runs' files are in this checkout: true for a database store, which has no files."""
        return self.tracked_here or is_postgres(self.tracking_uri)

    @property
    def enclosing(self) -> Workspace:
        """The permanent checkout. For a `dvc exp run --temp` folder, that is the one it was started from."""
        experiments = Path(".dvc", "tmp", "exps")
        started = (folder for folder in self.root.parents if self.root.is_relative_to(folder / experiments))
        return Workspace(next(started, self.root))

    @property
    def settings(self) -> Settings:
        """The content of params.yaml apart from datasets' own sections. Raises ParamsError."""
        return settings(self.root)

    @cached_property
    def graph(self) -> AssetGraph:
        """The graph of all datasets."""
        from silverloom.assets.declare.declaration import DECLARED
        from silverloom.assets.declare.graph import AssetGraph

        return AssetGraph((DECLARED if self.declarations is None else self.declarations).values())

    @property
    def datasets(self) -> dict[str, Dataset]:
        """Every dataset by name, inputs first."""
        return self.graph.datasets

    def folder(self, dataset: Dataset, partition: str = "") -> Path:
        """Return the folder of a partition; without one, the dataset's folder, which is its DVC output."""
        return self.data.joinpath(*dataset.key.path, partition)

    def manifests(self, dataset: Dataset) -> Path:
        """Return the folder with a dataset's manifests, which is its second DVC output."""
        return self.root.joinpath("manifests", *dataset.key.path)

    def state_file(self, kind: str, dataset: Dataset, partition: str, suffix: str = "") -> Path:
        """Return the path of one kind of local state about a partition."""
        return self.state.joinpath(kind, *dataset.key.path, f"{partition or 'all'}{suffix}")

    def page(self, dataset: Dataset) -> str:
        """Return the path of a dataset's data-quality page in the checkout; a report has the index page."""
        return self.shown(self.quality / PAGES / (page_path(dataset.name) if dataset.shape else "index.html"))

    def command(self, name: str, target: str = "") -> str:
        """Return how people type a command here: by make in a checkout, which also sets up, else directly."""
        return f"make {target or name}" if (self.root / "Makefile").is_file() else f"silverloom {name}"

    def shown(self, path: Path) -> str:
        """Return a path relative to the root, as people and DVC write it."""
        return path.relative_to(self.root).as_posix()


#: What runs themselves write into a checkout; this does not make the tree dirty.
WRITTEN = ("dvc.lock", "code.json", "metrics", "*.gitignore")


class Commit(NamedTuple):
    """A commit, and the files that differ from it, including untracked ones."""

    id: str
    time: str
    """Time of the commit, in ISO 8601."""
    changed: tuple[str, ...]


class NoGitError(RuntimeError):
    """Git is not installed, does not answer, or there is no repository here."""


def git(workspace: Workspace, *arguments: str) -> bytes | None:
    """Return git's output, or None if git fails. Raises NoGitError."""
    command = ["git", "--no-optional-locks", *arguments]
    try:
        done = subprocess.run(command, cwd=workspace.root, capture_output=True, timeout=60, check=False)
    except FileNotFoundError as error:
        raise NoGitError("comparing versions needs git, which was not found") from error
    except subprocess.TimeoutExpired as error:
        raise NoGitError(f"git took more than {error.timeout:.0f} s") from error
    if b"not a git repository" in done.stderr:
        raise NoGitError("this folder is not a git repository: there are no versions to compare")
    return done.stdout if done.returncode == 0 else None


def git_lines(workspace: Workspace, *arguments: str) -> list[str]:
    """Return the lines of git's output. Raises NoGitError."""
    return (git(workspace, *arguments) or b"").decode(errors="replace").splitlines()


def commit(workspace: Workspace, besides: Sequence[str] = ()) -> Commit | None:
    """Return the current commit, or None outside git or before the first commit.

    Changes in the paths `besides` are ignored.
    """
    kept_out = [f":(exclude){path}" for path in besides]
    try:
        shown = git_lines(workspace, "show", "--no-patch", "--format=%H%n%cI", "HEAD")
        status = git(workspace, "status", "--porcelain", "-z", "--no-renames", "--", ".", *kept_out)
    except NoGitError:
        return None
    if not shown or status is None:
        return None
    changed = sorted(line[3:] for line in status.decode(errors="replace").split("\0") if line)
    return Commit(shown[0], shown[1], tuple(changed))
