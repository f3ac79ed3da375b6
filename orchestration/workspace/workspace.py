"""One checkout: its folders, what params.yaml says, which datasets it has, its commit, its environment.

Belongs here: what is handed to all that reads or writes files; asking git; the variables that every process
of the project runs under (pinned numeric kernels, silent telemetry, where Dagster and MLflow keep
their state). Not here: what lies in the folders (files/, state/), any import that could load numpy before
its kernels are pinned.

Commands, servers, worker processes and Dagster's definitions make a workspace, by `Workspace.here()` or by
`definitions.workspace()`; everything else gets it as an argument.
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

from assets.declare.settings import ParamsError, Settings, checkout, settings
from orchestration.workspace.postgres import DAGSTER, is_postgres, with_driver

if TYPE_CHECKING:  # before numpy's kernels are pinned, nothing may load it
    from assets.declare.declaration import Declaration, Key
    from assets.declare.graph import AssetGraph


@dataclass(frozen=True)
class Workspace:
    """A checkout; two of the same root are equal."""

    root: Path
    declarations: Mapping[Key, Declaration] | None = field(default=None, compare=False, repr=False)
    """What the graph is made of; by default all that is declared when it is first asked for."""

    @classmethod
    def here(cls) -> Workspace:
        """Return the checkout that this code belongs to."""
        return cls(checkout())

    def __reduce__(self) -> tuple[type[Workspace], tuple[Path]]:
        """Go to another process without declarations: it has its own."""
        return Workspace, (self.root,)

    @property
    def data(self) -> Path:
        """The folder of all datasets."""
        return self.root / "data"

    @property
    def state(self) -> Path:
        """The folder of this checkout's own state: locks, unfinished work, histories."""
        return self.root / ".silverloom"

    @property
    def staging(self) -> Path:
        """Where partitions are built before they are published: on the file system of the data."""
        return self.data / ".building"

    @property
    def quality(self) -> Path:
        """The folder of pages, Data Docs and failing rows."""
        return self.data / "quality"

    @property
    def lock(self) -> Path:
        """DVC's dvc.lock."""
        return self.root / "dvc.lock"

    @property
    def mlflow_store(self) -> Path:
        """MLflow's SQLite store, where neither MLFLOW_TRACKING_URI nor params.yaml names another place."""
        return self.state / "mlflow.db"

    @property
    def tracking_uri(self) -> str:
        """Where runs are sent, as MLflow's client takes it."""
        named = os.environ.get("MLFLOW_TRACKING_URI")
        with contextlib.suppress(ParamsError):  # what is wrong with it, the command that makes runs says
            named = named or self.settings.mlflow
        return with_driver(named) if named else f"sqlite:///{self.mlflow_store}"

    @property
    def tracked_here(self) -> bool:
        """Whether runs go into this checkout's own store."""
        return self.tracking_uri == f"sqlite:///{self.mlflow_store}"

    @property
    def models_here(self) -> bool:
        """Whether the files of runs lie in this checkout: MLflow's store is a database, which holds none."""
        return self.tracked_here or is_postgres(self.tracking_uri)

    @property
    def enclosing(self) -> Workspace:
        """The checkout that stays: of the folder of a `dvc exp run --temp`, the one it was begun in."""
        exps = next(
            (folder for folder in self.root.parents if folder.parts[-3:] == (".dvc", "tmp", "exps")), None
        )
        return self if exps is None else Workspace(exps.parents[2])

    @property
    def settings(self) -> Settings:
        """What params.yaml says of all datasets. Raises ParamsError."""
        return settings(self.root)

    @cached_property
    def graph(self) -> AssetGraph:
        """The graph of all datasets."""
        from assets.declare.declaration import DECLARED
        from assets.declare.graph import AssetGraph

        return AssetGraph((DECLARED if self.declarations is None else self.declarations).values())

    @property
    def datasets(self) -> dict[str, Declaration]:
        """Every dataset by its name, inputs before what reads them."""
        return self.graph.datasets

    def folder(self, dataset: Declaration, partition: str = "") -> Path:
        """Return the folder of a partition; without a name that of the dataset, which is its DVC output."""
        return self.data.joinpath(*dataset.key.path, partition)

    def manifests(self, dataset: Declaration) -> Path:
        """Return the folder of a dataset's manifests, which is its second DVC output."""
        return self.root.joinpath("manifests", *dataset.key.path)

    def state_file(self, kind: str, dataset: Declaration, partition: str, suffix: str = ".json") -> Path:
        """Return where one kind of local state of a partition lies."""
        return self.state.joinpath(kind, *dataset.key.path, f"{partition or 'all'}{suffix}")

    def metrics_file(self, dataset: Declaration) -> Path:
        """Return the file of a dataset's counts, which `dvc metrics` reads."""
        return self.root.joinpath("metrics", *dataset.key.path).with_suffix(".json")

    def shown(self, path: Path) -> str:
        """Return a path as people and DVC write it: below the root."""
        return path.relative_to(self.root).as_posix()


class Commit(NamedTuple):
    """A commit, and the files that are not as it has them, untracked ones too."""

    id: str
    time: str
    """Of the commit, in ISO 8601."""
    changed: tuple[str, ...]


class NoGitError(RuntimeError):
    """Git is not installed, does not answer, or has no repository here."""


def git(workspace: Workspace, *arguments: str) -> bytes | None:
    """Return what git prints; None where it finds nothing. Raises NoGitError."""
    command = ["git", "--no-optional-locks", *arguments]
    try:
        done = subprocess.run(command, cwd=workspace.root, capture_output=True, timeout=60, check=False)
    except FileNotFoundError as error:
        raise NoGitError("git is needed to compare versions, and was not found") from error
    except subprocess.TimeoutExpired as error:
        raise NoGitError(f"git took more than {error.timeout:.0f} s") from error
    if b"not a git repository" in done.stderr:
        raise NoGitError("this folder is no git repository: there are no versions to compare")
    return done.stdout if done.returncode == 0 else None


def git_lines(workspace: Workspace, *arguments: str) -> list[str]:
    """Return the lines that git prints. Raises NoGitError."""
    return (git(workspace, *arguments) or b"").decode(errors="replace").splitlines()


def commit(workspace: Workspace, besides: Sequence[str] = ()) -> Commit | None:
    """Return the commit that a checkout is on; None outside of git, or before the first one.

    What differs in the paths `besides` does not count.
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
    "CT2_USE_MKL": "0",  # else by the maker of the processor
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

#: What .env may name, where Dagster's own commands look too: the servers that keep state.
SERVERS = (DAGSTER, "MLFLOW_TRACKING_URI")


#: How many new objects make the interpreter look for garbage, and how often it then looks through older ones.
#: A process loads a million objects that stay: to look through them at Python's pace is a fifth of its start.
GARBAGE = (50_000, 20, 20)


#: Whether numpy was loaded before its kernels could be pinned: then this process looks, and makes nothing.
_late = False


def fix(workspace: Workspace) -> None:
    """Set a checkout's environment, which child processes inherit, and the pace of looking for garbage.

    A broken params.yaml is left for the command that runs to report.
    """
    global _late
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
        os.environ[DAGSTER] = with_driver(address)  # for Dagster's processes, which take it as it is
    if workspace.enclosing != workspace:  # the runs of an experiment in a folder of its own stay there
        os.environ.pop(DAGSTER, None)
    sys.excepthook = _without_traceback


def _servers(workspace: Workspace) -> dict[str, str]:
    """Return the servers that .env names. It wins over the environment, as with Dagster's commands."""
    try:
        found = dotenv_values(workspace.root / ".env")
    except (OSError, UnicodeDecodeError):  # the command that writes to it says what is wrong
        return {}
    return {name: value for name in SERVERS if (value := found.get(name))}


def _end() -> None:
    """Spare a process that ends a last look through all of its objects, which takes seconds.

    DuckDB's library (nanobind) would print all that is not freed by it.
    """
    if "_duckdb" not in sys.modules:
        gc.freeze()


def put_first(workspace: Workspace) -> None:
    """Let the processes that this one starts import the code that it runs.

    They search where this one does, and Dagster takes a checkout off the path once it has loaded definitions.
    """
    if str(workspace.root) not in sys.path:
        sys.path.insert(0, str(workspace.root))


def check_kernels() -> None:
    """Raise RuntimeError where this process cannot promise the bytes of what it would make."""
    if _late:
        raise RuntimeError(
            "numpy was imported before orchestration, so numerics: strict could not pin its kernels;"
            " make datasets by `silverloom run`, or import orchestration first"
        )


def _without_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report what is wrong with params.yaml in a line: modules read it while they are imported."""
    from ops.models.installed import ModelNotInstalledError

    if isinstance(error, (ParamsError, ModelNotInstalledError)):
        print(f"error: {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


#: Bytes that must be free: many times what all modules of the project take, compiled.
_ROOM = 64 << 20


def protect() -> None:
    """Let Python, here and in child processes, write no compiled module where there is hardly room for it."""
    if shutil.disk_usage(Path(__file__).parent).free < _ROOM:
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
