"""Which requests Dagster's server and the pages' server accept: the user's own, but no other web page's.

Belongs here: that policy as ASGI middleware, and serving with it. Not here: the pages (web.py), the servers'
host names (state/addresses.py), MLflow's server, which has its own policy (mlflow/store.py).

Any page open in a browser can send requests to this machine. Servers without accounts tell them from the
user's by headers: a foreign Host would make a foreign page one of ours (DNS rebinding); Origin and
Sec-Fetch-Site say which page sent the request, and a page on another port is foreign too. Foreign pages may
only link to ours, which does not let them read the result. Programs send none of these, and are answered.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import uvicorn
from dagster import DagsterInstance
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from silverloom.orchestration.compat import web_application
from silverloom.orchestration.state.addresses import HOST, allowed_hosts

LOOPBACK = (HOST, "localhost", "[::1]")

#: Content types of POSTs with a GraphQL operation. Dagster also runs operations in GETs, and in POSTs whose
#: type merely mentions JSON: an image or a form on any page can send those without a CORS preflight.
OPERATIONS = ("application/json", "application/graphql")

#: Paths that other sites may link to: Dagster's pages, which are all one single-page app. Other routes serve
#: logs, notebooks and debug files, or run operations.
PAGES = (
    "/|/(?:asset-groups|assets|automation|concurrency|config|deployment|graphs|guess|health|jobs|locations"
    "|overview|partitions|playground|runs|snapshots)(?:/.*)?"
)


class RequestGuard:
    """Rejects requests from foreign pages, including WebSockets. The Host header must be checked before."""

    def __init__(self, app: ASGIApp, linked: str) -> None:
        self.app, self.linked = app, re.compile(linked)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        answer: ASGIApp = self.app
        if scope["type"] in ("http", "websocket") and (refusal := self.refusal(HTTPConnection(scope))):
            answer = PlainTextResponse(f"{refusal[1]}\n", refusal[0])
        await answer(scope, receive, send)

    def refusal(self, connection: HTTPConnection) -> tuple[int, str] | None:
        """Return the status and text of a refusal, or None if the request is accepted."""
        headers, scope, own = connection.headers, connection.scope, own_origins(connection)
        method, path, origin = scope.get("method"), scope["path"], headers.get("origin")
        of_own_page = headers.get("sec-fetch-site", "none") in ("same-origin", "none")
        in_a_tab = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")
        followed = method == "GET" and in_a_tab and self.linked.fullmatch(path) is not None
        if not (of_own_page or followed) or (origin is not None and (followed or origin.lower() not in own)):
            return 403, (
                f"requests from pages outside {own[0]} are refused; behind a proxy, list its host in "
                "SILVERLOOM_ALLOWED_HOSTS and have the proxy pass the Host header on unchanged"
            )
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        # for a GET of HTML, Dagster serves the GraphiQL page and ignores any query in the URL
        taken = kind in OPERATIONS if method == "POST" else "text/html" in headers.get("accept", "")
        if scope["type"] == "http" and path == "/graphql" and not taken:
            return 400, f"GraphQL is only accepted in POSTs with content type {' or '.join(OPERATIONS)}"
        return None


def own_origins(connection: HTTPConnection) -> tuple[str, ...]:
    """Return the origins of the server's own pages: Host over https and, on this machine, http too."""
    host = connection.url.netloc.lower()
    https = f"https://{host.removesuffix(':443')}"
    loopback = host.startswith(tuple(f"{name}:" for name in LOOPBACK)) or host in LOOPBACK
    return (f"http://{host.removesuffix(':80')}", https) if loopback else (https,)


def config(app: ASGIApp, port: int, linked: str) -> uvicorn.Config:
    """Return the server's configuration. Other sites may link to paths that match `linked`.

    h11 is the strict parser: it rejects a doubled Host header.
    """
    hosts = [*LOOPBACK, *allowed_hosts()]
    guarded = TrustedHostMiddleware(RequestGuard(app, linked), hosts, www_redirect=False)
    return uvicorn.Config(guarded, host=HOST, port=port, log_level="warning", http="h11", server_header=False)


def serve(app: ASGIApp, port: int, linked: str) -> None:
    """Serve until the process receives a signal to end."""
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn re-raises the signal that ended it
        uvicorn.Server(config(app, port, linked)).run()


def serve_dagster(port: int, locations: Path) -> None:
    """Serve Dagster for a workspace.yaml until the process receives a signal to end."""
    with DagsterInstance.get() as instance, web_application(instance, locations) as app:
        serve(app, port, linked=PAGES)
