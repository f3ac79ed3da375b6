"""The environment of all the project's processes.

Belongs here: pinned numeric kernels, no telemetry, where Dagster and MLflow keep their state, the garbage
collector, errors outside of any command. Not here: when a process sets it (process.py), or any import that
could load numpy before its kernels are pinned.
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

from silverloom.assets.declare.params_file import ParamsError
from silverloom.assets.declare.project import (
    ForeignCodeError,
    check_checkout,
    import_root,
    nearest_project,
)
from silverloom.orchestration.workspace.postgres import DAGSTER, with_driver
from silverloom.orchestration.workspace.workspace import ALERTS, Workspace

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

#: Variables with addresses of servers that .env may set. Dagster's own commands read .env too.
SERVERS = (DAGSTER, "MLFLOW_TRACKING_URI", ALERTS)


#: Thresholds of the garbage collector. A process loads a million permanent objects; with Python's defaults,
#: scanning them takes a fifth of its start-up time.
GARBAGE = (50_000, 20, 20)


#: Whether this process may make data: its environment was set before numpy was loaded, if it pins kernels.
_ready: bool | None = None


def set_environment(workspace: Workspace) -> None:
    """Set a checkout's environment, which child processes inherit, and tune the garbage collector.

    An invalid params.yaml is left for the running command to report. Raises ForeignCodeError.
    """
    global _ready
    sys.excepthook = _without_traceback
    check_checkout()
    gc.set_threshold(*GARBAGE)
    atexit.register(_end)
    wanted = {**QUIET, "DAGSTER_HOME": str(workspace.root / ".dagster")}
    try:
        strict = workspace.settings.numerics == "strict"
    except ParamsError:
        strict = nearest_project() is not None
    pinned = all(os.environ.get(name) == value for name, value in STRICT.items())
    _ready = _ready is not False and (not strict or pinned or "numpy" not in sys.modules)
    if strict:
        wanted |= STRICT
    os.environ.update(wanted | _servers(workspace))
    if address := os.environ.get(DAGSTER):
        os.environ[DAGSTER] = with_driver(address)  # for Dagster's processes, which use it unchanged
    if workspace.enclosing != workspace:  # an experiment in a temporary folder keeps its Dagster runs there
        os.environ.pop(DAGSTER, None)


def _servers(workspace: Workspace) -> dict[str, str]:
    """Return the servers in .env, which overrides the environment, as it does for Dagster's commands."""
    try:
        variables = dotenv_values(workspace.root / ".env")
    except (OSError, UnicodeDecodeError):  # the command that writes to .env reports what is wrong
        return {}
    return {name: value for name in SERVERS if (value := variables.get(name))}


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
    if str(import_root()) not in sys.path:
        sys.path.insert(0, str(import_root()))


def check_kernels() -> None:
    """Raise RuntimeError if this process cannot guarantee the bytes of what it would make."""
    if not _ready:
        raise RuntimeError(
            "numpy was imported before silverloom.orchestration.definitions, so numerics: strict could not"
            " pin its kernels; make datasets with `silverloom run`, or import"
            " silverloom.orchestration.definitions first"
        )


def _without_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report errors that occur while modules are imported, outside of any command, in one line."""
    from silverloom.ops.models.installed import ModelNotInstalledError

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
