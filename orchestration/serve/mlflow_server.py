"""MLflow's server for this checkout: its own application, on this machine only, in one process.

Belongs here: starting MLflow's application on our store. Not here: what is in the store (tracking.py).

`mlflow server` would start three processes more, to run jobs, of which there are none here. Two things are
answered otherwise than by MLflow. Every page asks who is logged in; where nobody can log in, MLflow's answer
is an error on the browser's console, ours nobody. And a browser that was never here before begins with the
pages of runs, their params and metrics, not with those of traces of language models; MLflow's switch between
the two works as ever.
"""

from __future__ import annotations

import glob
import os
import sqlite3
import warnings
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from orchestration.mlflow.store import ARTIFACTS, prepare
from orchestration.serve import request_guard
from orchestration.state.addresses import allowed_hosts
from orchestration.workspace.workspace import Workspace

App: TypeAlias = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]

Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]

WHO = "/ajax-api/2.0/mlflow/users/current"
BEGIN = b"""<head><script>
if (!localStorage.getItem("mlflow.workflowType_v1")) {
  localStorage.setItem("mlflow.workflowType_v1", JSON.stringify("machine_learning"));
}
</script>"""


def serve(workspace: Workspace, port: int) -> None:
    """Serve until the process is ended. Raises RuntimeError for a store that cannot be read."""
    try:
        prepare(workspace.mlflow_store)
    except sqlite3.Error as error:
        place = workspace.shown(workspace.mlflow_store)
        raise RuntimeError(
            f"{place} cannot be read ({error}): move it away, and a new one is begun"
        ) from error
    os.environ |= {
        "_MLFLOW_SERVER_FILE_STORE": f"sqlite:///{workspace.mlflow_store}",
        "_MLFLOW_SERVER_ARTIFACT_ROOT": "mlflow-artifacts:/",
        "_MLFLOW_SERVER_ARTIFACT_DESTINATION": str(workspace.mlflow_store.with_name(ARTIFACTS)),
        "_MLFLOW_SERVER_SERVE_ARTIFACTS": "true",
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
        **_known_by(allowed_hosts()),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # MLflow's own use of what Starlette deprecates
        from mlflow.server.fastapi_app import app

    request_guard.serve(wrap(app), port, linked="/")


def _known_by(hosts: list[str]) -> dict[str, str]:
    """MLflow checks Host and Origin itself, and has to know of a proxy's names."""
    if not hosts:
        return {}
    names = [*request_guard.LOOPBACK, *hosts]
    origins = [f"https://{name}" for name in hosts]
    return {
        "MLFLOW_SERVER_ALLOWED_HOSTS": ",".join([*names, *(f"{glob.escape(name)}:*" for name in names)]),
        "MLFLOW_SERVER_CORS_ALLOWED_ORIGINS": ",".join([*origins, *(f"{origin}:*" for origin in origins)]),
    }


def wrap(app: App) -> App:
    """Return the application with these two answers."""

    async def answer(scope: MutableMapping[str, Any], receive: Any, send: Send) -> None:
        if scope.get("path") == WHO:
            await _respond(send, 200, [(b"content-type", b"application/json")], b"{}")
        elif scope.get("path") == "/" and scope.get("method") == "GET":
            await _begin(app, scope, receive, send)
        else:
            await app(scope, receive, send)

    return answer


async def _begin(app: App, scope: MutableMapping[str, Any], receive: Any, send: Send) -> None:
    parts: list[dict[str, Any]] = []

    async def collect(message: dict[str, Any]) -> None:
        parts.append(message)

    await app(scope, receive, collect)
    first, *rest = parts
    body = b"".join(part.get("body", b"") for part in rest).replace(b"<head>", BEGIN, 1)
    changed = (b"content-length", b"etag", b"last-modified")
    await _respond(send, first["status"], [h for h in first["headers"] if h[0].lower() not in changed], body)


async def _respond(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
