"""The environment variables that every process of the project runs under.

Belongs here: pinned numeric kernels (the same bytes on every x86-64 processor), silent telemetry, where
Dagster and MLflow keep their state, and the interpreter's own settings. Not here: any import that could
load numpy first.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
from pathlib import Path
from types import TracebackType

from dotenv import dotenv_values

from assets.declare.settings import ParamsError
from orchestration.workspace.postgres import DAGSTER, with_driver
from orchestration.workspace.workspace import Workspace

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
