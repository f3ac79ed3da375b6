"""Which requests Dagster's server and that of the pages answer: the user's own, and no other web page's.

Belongs here: that policy, as ASGI middleware, what Dagster's server takes of GraphQL, and serving behind it.
Not here: the pages (web.py), which names the servers have (state/addresses.py), MLflow's server, which has a
policy of its own (mlflow/store.py).

Any page that is open in a browser can send requests to this machine, and servers without accounts tell them
from the user's by their headers alone:

- Host: a foreign name that leads here would make a foreign page one of ours (DNS rebinding).
- Origin, Sec-Fetch-Site or else Referer: which page sends it. A page of another port is foreign, too.

Foreign pages may only link to a page of ours (a top-level navigation): they cannot read what is then shown.
A program that is no browser sends none of the latter headers, and is answered.

Dagster runs the mutations of a GET, too, and of a POST whose type only mentions JSON: an image or a form of
any page can send either without asking first.
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

from orchestration.compat import web_application
from orchestration.state.addresses import HOST, allowed_hosts
from orchestration.workspace.workspace import Workspace

LOOPBACK = (HOST, "localhost", "[::1]")

#: What the policy reads: where two of one kind are sent, another reader might take the other.
_READ = ("host", "origin", "referer", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest")


class RequestGuard:
    """Refuses requests of foreign pages, WebSockets included; expects that Host was checked."""

    def __init__(self, app: ASGIApp, linked: str) -> None:
        self.app = app
        self.linked = re.compile(linked)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            """Browsers that send no Sec-Fetch-Dest would show a page in a foreign frame, to be clicked on."""
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
        """Return the status and the text of a refusal, None for a request that is to be answered."""
        headers = connection.headers
        if any(len(headers.getlist(name)) > 1 for name in _READ):
            return 400, f"one of the headers {', '.join(_READ)} is sent twice"
        if not connection.scope["path"].startswith("/"):
            return 400, "the target of a request is a path of this server, not an address"
        own = own_origins(connection)
        if not _foreign(connection, own) or self._link(connection):
            return None
        return 403, (
            f"requests of pages that are not of {own[0]} are refused; behind a proxy, name its host in "
            "SILVERLOOM_ALLOWED_HOSTS and let it pass Host on unchanged"
        )

    def _link(self, connection: HTTPConnection) -> bool:
        """Say whether this can be somebody following a link to one of the pages that links may lead to."""
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
    """Return the origins of the server's own pages: its Host by https; on this machine by http, too."""
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
    """Return how an application is served; links elsewhere may lead to the paths that `linked` matches.

    h11 is the strict parser: it refuses a doubled Host, and leaves a request's target as it is.
    """
    hosts = [*LOOPBACK, *allowed_hosts()]
    guarded = TrustedHostMiddleware(RequestGuard(app, linked), hosts, www_redirect=False)
    return uvicorn.Config(guarded, host=HOST, port=port, log_level="warning", http="h11", server_header=False)


def serve(app: ASGIApp, port: int, linked: str) -> None:
    """Serve until the process is told to end."""
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn sends itself the signal that ended it
        uvicorn.Server(config(app, port, linked)).run()


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


def serve_dagster(workspace: Workspace, port: int) -> None:
    """Serve until the process is told to end."""
    module = "orchestration.definitions"
    with DagsterInstance.get() as instance, web_application(instance, module, workspace.root) as app:
        serve(GraphQLGuard(app), port, linked=PAGES)
