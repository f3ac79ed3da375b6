"""A read-only file server for the data-quality pages, which load nothing from outside this machine.

Belongs here: serving the folders of pages and of Data Docs below data/quality, and links to Dagster and
MLflow. Not here: what the pages contain (pages) and who may read them (request_guard.py).
"""

from __future__ import annotations

import mimetypes
import urllib.parse
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.templating import Jinja2Templates

from silverloom.ops.parse.files import is_cached
from silverloom.orchestration.serve.last_runs import last_runs
from silverloom.orchestration.state.addresses import Addresses
from silverloom.orchestration.workspace.workspace import Workspace
from silverloom.pages.paths import DATA_DOCS, PAGES, shown_pages

#: Pages contain inline scripts and styles, and charts compile expressions; everything comes from this server.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-src 'self'; "
    "worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)

#: Great Expectations' Data Docs load their styles and scripts from these.
_CDNS = (
    "https://cdn.jsdelivr.net https://cdnjs.cloudflare.com https://code.jquery.com "
    "https://maxcdn.bootstrapcdn.com https://stackpath.bootstrapcdn.com https://unpkg.com "
    "https://great-expectations-web-assets.s3.us-east-2.amazonaws.com"
)
DATA_DOCS_POLICY = POLICY.replace("'self' ", f"'self' {_CDNS} ")

_NONE, _MAKE = "page not found", {PAGES: "silverloom pages", DATA_DOCS: "silverloom gx"}
_TITLES = {
    PAGES: "Data quality: every dataset, its rows and their lineage",
    DATA_DOCS: "Great Expectations: Data Docs of all checks (they load styles from the web)",
}
_TEMPLATES = Jinja2Templates(Path(__file__).with_name("templates"))
_TYPES = mimetypes.MimeTypes()  # Python's own table, independent of the machine's
_TYPES.add_type("text/javascript", ".js")


def application(workspace: Workspace) -> Starlette:
    """Return the application, which answers only GET and HEAD."""
    folder, addresses = workspace.quality, Addresses(workspace)

    def home(request: Request) -> Response:
        there = {name: (_shown(folder, name) / "index.html").exists() for name in _MAKE}
        links = [
            *((f"/{name}/", _TITLES[name], "" if there[name] else _MAKE[name]) for name in _MAKE),
            (addresses.address("dagster"), "Dagster: the graph, runs, checks, schedules", ""),
            (addresses.mlflow(), "MLflow: what every partition was made from, with its metrics", ""),
        ]
        runs = last_runs(addresses.address("dagster"))
        made, failed = runs or ([], [])
        shown = {"made": made, "failed": failed, "silent": runs is None, "project": workspace.root.name}
        return _TEMPLATES.TemplateResponse(request, "home.html", {"links": links, **shown})

    routes = [
        Route("/", home),
        Route("/{path:path}", lambda request: _file(folder, request.path_params["path"])),
    ]
    sealed = Middleware(BaseHTTPMiddleware, dispatch=_seal)
    return Starlette(routes=routes, middleware=[sealed], exception_handlers={HTTPException: _refuse})


def _file(folder: Path, path: str) -> Response:
    """Serve a file, read whole: StaticFiles streams, and a longer file could replace it during that."""
    parts = path.split("/")
    if parts[0] not in _MAKE:
        raise HTTPException(404, _NONE)
    name = _shown(folder, parts[0]).name
    try:
        file = locate(folder, [name, *parts[1:]])
        if file is not None and file.is_dir():
            return RedirectResponse(f"/{urllib.parse.quote(path)}/", 302)
        content = None if file is None else file.read_bytes()
    except OSError:  # an impossible file name, or a page replaced at this moment
        file = content = None
    if file is None or content is None:
        missing = f"not made yet: run `{_MAKE[parts[0]]}`"
        raise HTTPException(404, _NONE if (folder / name).exists() else missing)
    return Response(content, media_type=_TYPES.guess_type(file.name)[0] or "application/octet-stream")


def _shown(folder: Path, name: str) -> Path:
    return shown_pages(folder) if name == PAGES else folder / name


def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # registered for nothing else
    links = [("", error.detail, ""), ("/", "Home", "")]
    return _TEMPLATES.TemplateResponse(
        request, "home.html", {"links": links}, error.status_code, dict(error.headers or {})
    )


async def _seal(request: Request, call_next: RequestResponseEndpoint) -> Response:
    """Set headers: load nothing from elsewhere, and cache only pages, which are revalidated on every use."""
    response = await call_next(request)
    docs = request.url.path.startswith(f"/{DATA_DOCS}/")
    page = response.status_code == 200 and (docs or request.url.path.startswith(f"/{PAGES}/"))
    response.headers["Content-Security-Policy"] = DATA_DOCS_POLICY if docs else POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-cache" if page else "no-store"
    return response


def locate(folder: Path, parts: list[str]) -> Path | None:
    """Return the file for a path below a folder, or a folder if the path lacks its final slash, else None.

    Hidden files, and links that lead out of the folder, count as not found; links into DVC's cache are files.
    """
    names = [*parts[:-1], parts[-1] or "index.html"]
    if any(not name or name.startswith(".") or set(name) & {"\\", "\0"} for name in names):
        return None
    base = folder.resolve()
    file = base.joinpath(*names)
    place = file.parent.resolve() if is_cached(file) else file.resolve()
    return file if file.exists() and place.is_relative_to(base / names[0]) else None
