"""MLflow's server for this checkout: `mlflow server` as it is, on this machine only.

Belongs here: the arguments that it is started with. Not here: what is in the store (mlflow/), when it is
started and ended (ui.py).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from orchestration.mlflow.store import ARTIFACTS, ARTIFACTS_URI, prepare, prepare_server
from orchestration.state.addresses import HOST, allowed_hosts
from orchestration.workspace.postgres import is_postgres
from orchestration.workspace.workspace import Workspace


def serve(workspace: Workspace, port: int) -> None:
    """Become `mlflow server`. Raises RuntimeError for a store that cannot be used."""
    if workspace.tracked_here:
        try:
            prepare(workspace.mlflow_store)
        except Exception as error:
            place = workspace.shown(workspace.mlflow_store)
            raise RuntimeError(f"{place} cannot be used ({error}): move it away for a new one") from error
    elif is_postgres(workspace.tracking_uri):
        prepare_server(workspace.tracking_uri)
    # Not as an argument: all users of the machine see those.
    os.environ["MLFLOW_BACKEND_STORE_URI"] = workspace.tracking_uri
    os.environ["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"  # three processes more, and there are no jobs
    mlflow = str(Path(sys.executable).with_name("mlflow"))
    os.execv(mlflow, [mlflow, "server", *arguments(workspace, port)])  # noqa: S606


def arguments(workspace: Workspace, port: int) -> list[str]:
    """Return the arguments of `mlflow server`: where artifacts lie, and whom it answers.

    MLflow checks the Host of a request, and refuses changes by pages of other origins, but for those of other
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
