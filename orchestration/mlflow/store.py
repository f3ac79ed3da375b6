"""MLflow's store and server: the SQLite file of this checkout, or a database on a Postgres server.

Belongs here: having MLflow create or upgrade the tables; starting `mlflow server`. Not here: the content
(send.py), when it is served (serve/ui.py).
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

from silverloom.orchestration.compat import open_mlflow_store
from silverloom.orchestration.files.publish import sharing
from silverloom.orchestration.files.stores import StoreError, check_store, store_errors
from silverloom.orchestration.state.addresses import HOST, allowed_hosts
from silverloom.orchestration.workspace.postgres import check_answers, is_postgres
from silverloom.orchestration.workspace.workspace import Workspace

#: The folder for runs' files, next to the store, and its URI on MLflow's server. So a store contains no paths
#: of this machine.
ARTIFACTS, ARTIFACTS_URI = "mlflow", "mlflow-artifacts:/"


def prepare(path: Path) -> None:
    """Have MLflow create or upgrade its tables.

    A new store is built under another name and renamed, so that it appears whole. The caller holds the lock
    of what processes share. Raises StoreError if it cannot be used, is another program's or of an unknown
    version.
    """
    _quiet()
    with store_errors("MLflow's store", [path]):
        if path.exists():
            check_store("MLflow's store", path, ["experiments"])
            _migrate(path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f".{path.name}.new")
            new.unlink(missing_ok=True)
            _migrate(new)
            new.replace(path)


def prepare_server(address: str) -> None:
    """Have MLflow create its tables in a database on a server.

    Raises RuntimeError if the server does not answer, MlflowException for tables of another version.
    """
    _quiet()
    check_answers(address, "MLflow's store")  # MLflow itself would retry for minutes
    open_mlflow_store(address, ARTIFACTS_URI)


def _quiet() -> None:
    os.environ.setdefault("MLFLOW_LOGGING_LEVEL", "CRITICAL")  # importing mlflow resets the level
    logging.getLogger("mlflow").setLevel(logging.CRITICAL)


def _url(path: Path) -> str:
    return f"sqlite:///{path.absolute()}"


def _migrate(path: Path) -> None:
    from mlflow.exceptions import MlflowException

    try:
        open_mlflow_store(_url(path), ARTIFACTS_URI)
    except MlflowException:  # the tables are older
        command = [sys.executable, "-m", "mlflow", "db", "upgrade", _url(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            cause = done.stderr.strip().rpartition("\n")[2] or "the upgrade failed"
            line = f"MLflow's store cannot be used: {path}: {cause}; move it away to start a new one"
            raise StoreError(line) from None


def serve(workspace: Workspace, port: int) -> None:
    """Turn this process into `mlflow server`. Raises RuntimeError if the store cannot be used."""
    if workspace.tracked_here:
        with sharing(workspace):
            prepare(workspace.mlflow_store)
    elif is_postgres(workspace.tracking_uri):
        prepare_server(workspace.tracking_uri)
    # Not as an argument: all users of the machine can see those.
    os.environ["MLFLOW_BACKEND_STORE_URI"] = workspace.tracking_uri
    os.environ["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"  # saves three processes; there are no jobs
    mlflow = str(Path(sys.executable).with_name("mlflow"))
    os.execv(mlflow, [mlflow, "server", *arguments(workspace, port)])  # noqa: S606


def arguments(workspace: Workspace, port: int) -> list[str]:
    """Return the arguments of `mlflow server`: where artifacts are, and which requests it accepts.

    MLflow checks the Host of requests, and rejects changes from pages of other origins, except from other
    ports of this machine.
    """
    names = allowed_hosts()
    hosts = [HOST, "localhost", *names]
    chosen = {
        "--host": HOST,
        "--port": str(port),
        "--workers": "1",
        "--allowed-hosts": ",".join([*hosts, *(f"{host}:*" for host in hosts)]),
        "--uvicorn-opts": "--log-level warning",
    }
    if names:
        chosen["--cors-allowed-origins"] = ",".join(f"https://{name}" for name in names)
    if workspace.models_here:
        chosen["--default-artifact-root"] = ARTIFACTS_URI
        chosen["--artifacts-destination"] = str(workspace.mlflow_store.with_name(ARTIFACTS))
    return [word for option in chosen.items() for word in option]
