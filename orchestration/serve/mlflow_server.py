"""MLflow's server for this checkout: its own application, on this machine only, in one process.

Belongs here: starting MLflow's application on our store. Not here: what is in the store (mlflow/), whom it
answers (request_guard.py, which is stricter than MLflow's own check of hosts and origins, and replaces it).

`mlflow server` would start three processes more, to run jobs, of which there are none here.
"""

from __future__ import annotations

import os
import warnings

from orchestration.mlflow.store import ARTIFACTS, ARTIFACTS_URI, prepare
from orchestration.serve import request_guard
from orchestration.workspace.workspace import Workspace


def serve(workspace: Workspace, port: int) -> None:
    """Serve until the process is ended. Raises RuntimeError for a store of ours that cannot be used."""
    os.environ |= {
        "_MLFLOW_SERVER_FILE_STORE": workspace.tracking_uri,
        "_MLFLOW_SERVER_SERVE_ARTIFACTS": "true",
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
        "MLFLOW_SERVER_DISABLE_SECURITY_MIDDLEWARE": "true",
    }
    if workspace.tracked_here:
        try:
            prepare(workspace.mlflow_store)
        except Exception as error:
            place = workspace.shown(workspace.mlflow_store)
            raise RuntimeError(f"{place} cannot be used ({error}): move it away for a new one") from error
        os.environ |= {
            "_MLFLOW_SERVER_ARTIFACT_ROOT": ARTIFACTS_URI,
            "_MLFLOW_SERVER_ARTIFACT_DESTINATION": str(workspace.mlflow_store.with_name(ARTIFACTS)),
        }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # MLflow's own use of what Starlette deprecates
        from mlflow.server.fastapi_app import app

    request_guard.serve(app, port, linked="/")
