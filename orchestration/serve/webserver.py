"""Dagster's webserver, driven by its own pages only, which counts months that ended before today rightly.

Belongs here: serving Dagster's application, what of GraphQL it takes, one correction to how it counts. Not
here: starting and ending the process (ui.py), whose requests it answers (request_guard.py).

Dagster runs the mutations of a GET, too, and of a POST whose type only mentions JSON: an image or a form of
any page can send either without asking first.

Dagster 1.13 counts the partitions of its plots from today backwards, at most 120, and past the range's end:
the months of a corpus stood at the edge of the plot, and those of one that ended ten years ago nowhere.
"""

from __future__ import annotations

from dagster import DagsterInstance, TimeWindowPartitionsDefinition
from dagster._core.definitions.partitions.context import PartitionLoadingContext, partition_loading_context
from dagster._core.types.pagination import PaginatedResults
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import ModuleTarget
from dagster._utils.interrupts import setup_interrupt_handlers
from dagster._utils.log import configure_loggers
from dagster_webserver.app import create_app_from_workspace_process_context
from dagster_webserver.version import __version__
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

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


class Months(TimeWindowPartitionsDefinition):
    """Only for the method: Dagster builds the definitions of a code location from its own class."""

    def get_paginated_partition_keys(
        self, context: PartitionLoadingContext, limit: int, ascending: bool, cursor: str | None = None
    ) -> PaginatedResults[str]:
        """Return a page of the partitions that there are."""
        with partition_loading_context(new_ctx=context):
            keys = self.get_partition_keys()
        return PaginatedResults.create_from_sequence(keys, limit=limit, ascending=ascending, cursor=cursor)


def correct() -> None:
    """Let every definition of this process page through its partitions that way."""
    page = Months.get_paginated_partition_keys
    TimeWindowPartitionsDefinition.get_paginated_partition_keys = page  # type: ignore[assignment,method-assign]


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
    """Serve until the process is told to end, as `dagster-webserver` does."""
    correct()
    configure_loggers()
    setup_interrupt_handlers()
    target = ModuleTarget("orchestration.dagster.definitions", None, str(workspace.root), None)
    with (
        DagsterInstance.get() as instance,
        WorkspaceProcessContext(instance, target, __version__, code_server_log_level="warning") as context,
    ):
        app = create_app_from_workspace_process_context(context)
        request_guard.serve(GraphQLGuard(app), port, linked=PAGES)
