"""Which requests Dagster's server and the pages' server accept: the user's own, but no other web page's.

Belongs here: that policy as ASGI middleware, which GraphQL requests Dagster's server accepts, and serving
with both. Not here: the pages (web.py), the servers' host names (state/addresses.py), MLflow's server, which
has its own policy (mlflow/store.py).

Any page open in a browser can send requests to this machine. Servers without accounts can tell them from the
user's requests only by headers:

- Host: a foreign name that resolves to this machine would make a foreign page one of ours (DNS rebinding).
- Origin, Sec-Fetch-Site, or else Referer: which page sent the request. A page on another port is foreign too.

Foreign pages may only link to ours (top-level navigation), which does not let them read the result. Programs
other than browsers send none of the latter headers, and are answered.

Dagster also runs mutations sent by GET, or by POST with a content type that merely mentions JSON. An image or
a form on any page can send either without a preflight request.
"""

from __future__ import annotations

import contextlib
import re

import uvicorn
from dagster import DagsterInstance
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from silverloom.orchestration.compat import web_application
from silverloom.orchestration.state.addresses import HOST, allowed_hosts
from silverloom.orchestration.workspace.workspace import Workspace

LOOPBACK = (HOST, "localhost", "[::1]")

#: Headers that the policy reads. If one is sent twice, the server behind us might read the other value.
_READ = ("host", "origin", "referer", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest")


class RequestGuard:
    """Rejects requests from foreign pages, including WebSockets. The Host header must be checked before."""

    def __init__(self, app: ASGIApp, linked: str) -> None:
        self.app = app
        self.linked = re.compile(linked)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            """Forbid framing: browsers without Sec-Fetch-Dest would allow clickjacking in a foreign frame."""
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("X-Frame-Options", "SAMEORIGIN")
                headers.setdefault("X-Content-Type-Options", "nosniff")
            await send(message)

        if objection := self.objection(HTTPConnection(scope)):
            status, text = objection
            await PlainTextResponse(f"{text}\n", status)(scope, receive, send)
        else:
            await self.app(scope, receive, send_guarded)

    def objection(self, connection: HTTPConnection) -> tuple[int, str] | None:
        """Return the status and text of a refusal, or None if the request is accepted."""
        headers = connection.headers
        if any(len(headers.getlist(name)) > 1 for name in _READ):
            return 400, f"one of the headers {', '.join(_READ)} occurs twice"
        if not connection.scope["path"].startswith("/"):
            return 400, "the request target must be a path on this server, not a full URL"
        own = own_origins(connection)
        if not _foreign(connection, own) or self._link(connection):
            return None
        return 403, (
            f"requests from pages outside {own[0]} are refused; behind a proxy, list its host in "
            "SILVERLOOM_ALLOWED_HOSTS and have the proxy pass the Host header on unchanged"
        )

    def _link(self, connection: HTTPConnection) -> bool:
        """Return whether this may be a user following a link to a page that may be linked to."""
        headers = connection.headers
        fetched = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest"))
        in_a_tab = fetched == ("navigate", "document") or "sec-fetch-site" not in headers
        return (
            in_a_tab
            and connection.scope.get("method") == "GET"
            and "origin" not in headers
            and self.linked.fullmatch(connection.scope["path"]) is not None
        )


def own_origins(connection: HTTPConnection) -> tuple[str, ...]:
    """Return the origins of the server's own pages: Host over https and, on this machine, http too."""
    host = connection.url.netloc.lower()
    https = f"https://{host.removesuffix(':443')}"
    loopback = host.startswith(tuple(f"{name}:" for name in LOOPBACK)) or host in LOOPBACK
    return (f"http://{host.removesuffix(':80')}", https) if loopback else (https,)


def _foreign(connection: HTTPConnection, own: tuple[str, ...]) -> bool:
    headers = connection.headers
    site, origin, referer = (headers.get(name) for name in ("sec-fetch-site", "origin", "referer"))
    if site not in (None, "same-origin", "none"):
        return True
    if origin is not None:
        return origin.lower() not in own
    if site is None and referer is not None:  # an old browser, or a proxy without https
        return not f"{referer.lower()}/".startswith(tuple(f"{address}/" for address in own))
    return False


def config(app: ASGIApp, port: int, linked: str) -> uvicorn.Config:
    """Return the server's configuration. Other sites may link to paths that match `linked`.

    h11 is the strict parser: it rejects a doubled Host header and leaves the request target unchanged.
    """
    hosts = [*LOOPBACK, *allowed_hosts()]
    guarded = TrustedHostMiddleware(RequestGuard(app, linked), hosts, www_redirect=False)
    return uvicorn.Config(guarded, host=HOST, port=port, log_level="warning", http="h11", server_header=False)


def serve(app: ASGIApp, port: int, linked: str) -> None:
    """Serve until the process receives a signal to end."""
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn re-raises the signal that ended it
        uvicorn.Server(config(app, port, linked)).run()


#: Content types of POSTs with a GraphQL operation. Another origin needs a CORS preflight to send them.
OPERATIONS = ("application/json", "application/graphql")

#: Paths that other sites may link to: Dagster's pages, which are all one single-page app. Other routes serve
#: logs, notebooks and debug files, or run operations.
PAGES = (
    "/|/(?:asset-groups|assets|automation|concurrency|config|deployment|graphs|guess|health|jobs|locations"
    "|overview|partitions|playground|runs|snapshots)(?:/.*)?"
)


class GraphQLGuard:
    """Accepts GraphQL over WebSockets, and over POSTs that a foreign page needs a CORS preflight for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] == "http" and scope["path"] == "/graphql" and not _taken(scope):
            text = f"GraphQL is only accepted in POSTs with content type {' or '.join(OPERATIONS)}\n"
            await PlainTextResponse(text, 400)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _taken(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    if scope["method"] == "POST":
        return headers.get("content-type", "").partition(";")[0].strip().lower() in OPERATIONS
    # for such a GET, Dagster serves the GraphiQL page and ignores any query in the URL
    return "text/html" in headers.get("accept", "")


def serve_dagster(workspace: Workspace, port: int) -> None:
    """Serve Dagster's webserver until the process receives a signal to end."""
    module = "silverloom.orchestration.definitions"
    with DagsterInstance.get() as instance, web_application(instance, module, workspace.root) as app:
        serve(GraphQLGuard(app), port, linked=PAGES)
