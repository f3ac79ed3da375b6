"""Dagster's webserver, driven by its own pages only.

Belongs here: serving Dagster's application, and what of GraphQL it takes. Not here: starting and ending the
process (ui.py), whose requests it answers (request_guard.py).

Dagster runs the mutations of a GET, too, and of a POST whose type only mentions JSON: an image or a form of
any page can send either without asking first.
"""

from __future__ import annotations

from dagster import DagsterInstance
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from orchestration.compat import web_application
from orchestration.serve import request_guard
from orchestration.workspace.workspace import Workspace

#: The types of a POST that carries an operation. A page of another origin must ask leave to send them (CORS).
OPERATIONS = ("application/json", "application/graphql")

#: Where links elsewhere may lead: Dagster's pages, all of which are one file that reads its address. Other
#: routes answer with logs, notebooks and debug files, or run operations.
PAGES = (
    "/|/(?:asset-groups|assets|automation|concurrency|config|deployment|graphs|guess|health|jobs|locations"
    "|overview|partitions|playground|runs|snapshots)(?:/.*)?"
)


class GraphQLGuard:
    """Takes operations from WebSockets and from POSTs that a foreign page would have to ask leave for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] == "http" and scope["path"] == "/graphql" and not _taken(scope):
            text = f"GraphQL is taken from POSTs of {' or '.join(OPERATIONS)}\n"
            await PlainTextResponse(text, 400)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _taken(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    if scope["method"] == "POST":
        return headers.get("content-type", "").partition(";")[0].strip().lower() in OPERATIONS
    # Dagster answers a GET with the page of GraphiQL then, whatever the address says besides
    return "text/html" in headers.get("accept", "")


def serve(workspace: Workspace, port: int) -> None:
    """Serve until the process is told to end."""
    module = "orchestration.definitions"
    with DagsterInstance.get() as instance, web_application(instance, module, workspace.root) as app:
        request_guard.serve(GraphQLGuard(app), port, linked=PAGES)
