"""MLflow's server for this checkout: its own application, on this machine only, in one process.

Belongs here: starting MLflow's application on our store. Not here: what is in the store (tracking.py).

`mlflow server` would start three processes more, to run jobs, of which there are none here. Every page asks
who is logged in; where nobody can log in, MLflow's answer is an error on the browser's console, ours nobody.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import warnings
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from assets.settings import ROOT
from orchestration.addresses import HOST
from orchestration.store.mlflow_store import ARTIFACTS, STORE, prepare

App: TypeAlias = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]

WHO = "/ajax-api/2.0/mlflow/users/current"


def serve(port: int) -> None:
    """Serve until the process is ended. Raises RuntimeError for a store that cannot be read."""
    try:
        prepare(STORE)
    except sqlite3.Error as error:
        place = STORE.relative_to(ROOT)
        raise RuntimeError(
            f"{place} cannot be read ({error}): move it away, and a new one is begun"
        ) from error
    os.environ |= {
        "_MLFLOW_SERVER_FILE_STORE": f"sqlite:///{STORE}",
        "_MLFLOW_SERVER_ARTIFACT_ROOT": "mlflow-artifacts:/",
        "_MLFLOW_SERVER_ARTIFACT_DESTINATION": str(ARTIFACTS),
        "_MLFLOW_SERVER_SERVE_ARTIFACTS": "true",
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    }
    import uvicorn

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # MLflow's own use of what Starlette deprecates
        from mlflow.server.fastapi_app import app

    uvicorn.run(nobody(app), host=HOST, port=port, log_level="warning")


def nobody(app: App) -> App:
    """Return the application with an answer to the question who is logged in."""

    async def answer(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope.get("path") != WHO:
            await app(scope, receive, send)
            return
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"{}"})

    return answer


if __name__ == "__main__":
    from orchestration.command import run

    run(lambda: serve(int(sys.argv[1])))
