"""One project: its folders, params.yaml, datasets, commit and environment. A checkout is a project, too.

Belongs here: the object given to everything that reads or writes files; calling git; the environment of all
the project's processes (pinned numeric kernels, no telemetry, where Dagster and MLflow keep their state). Not
here: the folders' content (files/, state/), or any import that could load numpy before its kernels are
pinned.

Commands, servers, worker processes and Dagster's definitions create a workspace with `Workspace.here()` or
`definitions.workspace()`. Everything else gets it as an argument.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from dotenv import dotenv_values

from assets.declare.foreign_code import ForeignCodeError, check_checkout
from assets.declare.settings import (
    ParamsError,
    Settings,
    checkout,
    project,
    settings,
)
from orchestration.workspace.postgres import DAGSTER, is_postgres, with_driver
from pages.paths import PAGES, page_path

if TYPE_CHECKING:  # nothing may load numpy before its kernels are pinned
    from assets.declare.declaration import Declaration, Key
    from assets.declare.graph import AssetGraph


@dataclass(frozen=True)
class Workspace:
    """A project. Workspaces with the same root are equal."""

    root: Path
    declarations: Mapping[Key, Declaration] | None = field(default=None, compare=False, repr=False)
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
        """The folder with pages, Data Docs and failing rows."""
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
        exps = next(
            (folder for folder in self.root.parents if folder.parts[-3:] == (".dvc", "tmp", "exps")), None
        )
        return self if exps is None else Workspace(exps.parents[2])

    @property
    def settings(self) -> Settings:
        """The content of params.yaml apart from datasets' own sections. Raises ParamsError."""
        return settings(self.root)

    @cached_property
    def graph(self) -> AssetGraph:
        """The graph of all datasets."""
        from assets.declare.declaration import DECLARED
        from assets.declare.graph import AssetGraph

        return AssetGraph((DECLARED if self.declarations is None else self.declarations).values())

    @property
    def datasets(self) -> dict[str, Declaration]:
        """Every dataset by name, inputs first."""
        return self.graph.datasets

    def folder(self, dataset: Declaration, partition: str = "") -> Path:
        """Return the folder of a partition; without one, the dataset's folder, which is its DVC output."""
        return self.data.joinpath(*dataset.key.path, partition)

    def manifests(self, dataset: Declaration) -> Path:
        """Return the folder with a dataset's manifests, which is its second DVC output."""
        return self.root.joinpath("manifests", *dataset.key.path)

    def state_file(self, kind: str, dataset: Declaration, partition: str, suffix: str = ".json") -> Path:
        """Return the path of one kind of local state about a partition."""
        return self.state.joinpath(kind, *dataset.key.path, f"{partition or 'all'}{suffix}")

    def page(self, dataset: Declaration) -> str:
        """Return the path of a dataset's data-quality page in the checkout; a report has the index page."""
        return self.shown(self.quality / PAGES / (page_path(dataset.name) if dataset.shape else "index.html"))

    def command(self, name: str, target: str = "") -> str:
        """Return how people type a command here: by make in a checkout, which also sets up, else directly."""
        return f"make {target or name}" if (self.root / "Makefile").is_file() else f"silverloom {name}"

    def shown(self, path: Path) -> str:
        """Return a path relative to the root, as people and DVC write it."""
        return path.relative_to(self.root).as_posix()


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
        found = git(workspace, "status", "--porcelain", "-z", "--no-renames", "--", ".", *kept_out)
    except NoGitError:
        return None
    if not shown or found is None:
        return None
    changed = sorted(line[3:] for line in found.decode(errors="replace").split("\0") if line)
    return Commit(shown[0], shown[1], tuple(changed))


#: Baseline kernels, one thread: floating-point sums in one fixed order.
STRICT = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MKL_CBWR": "COMPATIBLE",
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "CT2_FORCE_CPU_ISA": "GENERIC",
    "CT2_USE_MKL": "0",  # otherwise it depends on the processor's manufacturer
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "NUMBA_CPU_NAME": "x86-64-v2",
    "NUMBA_CPU_FEATURES": "",
}

QUIET = {
    "DAGSTER_DISABLE_TELEMETRY": "1",
    "DVC_NO_ANALYTICS": "1",
    "DVC_UPDATER": "0",
    "GX_ANALYTICS_ENABLED": "False",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
}

#: Variables for servers with state that .env may set. Dagster's own commands read .env too.
SERVERS = (DAGSTER, "MLFLOW_TRACKING_URI")


#: Thresholds of the garbage collector. A process loads a million permanent objects; with Python's defaults,
#: scanning them takes a fifth of its start-up time.
GARBAGE = (50_000, 20, 20)


#: Whether numpy was loaded before its kernels could be pinned. Such a process may read, but must not make
#: data.
_late = False


def fix(workspace: Workspace) -> None:
    """Set a checkout's environment, which child processes inherit, and tune the garbage collector.

    An invalid params.yaml is left for the running command to report. Raises ForeignCodeError.
    """
    global _late
    sys.excepthook = _without_traceback
    check_checkout()
    gc.set_threshold(*GARBAGE)
    atexit.register(_end)
    wanted = {**QUIET, "DAGSTER_HOME": str(workspace.root / ".dagster")}
    try:
        strict = workspace.settings.numerics == "strict"
    except ParamsError:
        strict = True
    if strict:
        pinned = all(os.environ.get(name) == value for name, value in STRICT.items())
        _late = _late or ("numpy" in sys.modules and not pinned)
        wanted |= STRICT
    os.environ.update(wanted | _servers(workspace))
    if address := os.environ.get(DAGSTER):
        os.environ[DAGSTER] = with_driver(address)  # for Dagster's processes, which use it unchanged
    if workspace.enclosing != workspace:  # an experiment in a temporary folder keeps its Dagster runs there
        os.environ.pop(DAGSTER, None)


def _servers(workspace: Workspace) -> dict[str, str]:
    """Return the servers in .env, which overrides the environment, as it does for Dagster's commands."""
    try:
        found = dotenv_values(workspace.root / ".env")
    except (OSError, UnicodeDecodeError):  # the command that writes to .env reports what is wrong
        return {}
    return {name: value for name in SERVERS if (value := found.get(name))}


def _end() -> None:
    """Spare an ending process the final garbage collection over all its objects, which takes seconds.

    DuckDB's library (nanobind) would print every object that was not freed.
    """
    if "_duckdb" not in sys.modules:
        gc.freeze()


def put_first() -> None:
    """Let child processes import the code that this process runs.

    They inherit sys.path, but Dagster removes the checkout from it after loading the definitions.
    """
    if str(checkout()) not in sys.path:
        sys.path.insert(0, str(checkout()))


def check_kernels() -> None:
    """Raise RuntimeError if this process cannot guarantee the bytes of what it would make."""
    if _late:
        raise RuntimeError(
            "numpy was imported before orchestration, so numerics: strict could not pin its kernels;"
            " make datasets with `silverloom run`, or import orchestration first"
        )


def _without_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report errors that occur while modules are imported, outside of any command, in one line."""
    from ops.models.installed import ModelNotInstalledError

    if isinstance(error, (ParamsError, ForeignCodeError, ModelNotInstalledError)):
        print(f"error: {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


#: Minimum free bytes: many times the size of all the project's compiled modules.
_ROOM = 64 << 20


def protect() -> None:
    """Keep Python, here and in child processes, from writing compiled modules to a nearly full disk."""
    if shutil.disk_usage(Path(__file__).parent).free < _ROOM:
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
