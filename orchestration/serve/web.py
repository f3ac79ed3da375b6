"""A read-only file server for the data-quality pages, which load nothing from outside this machine.

Belongs here: serving folders below data/quality, and redirecting to the matching pages of Dagster and MLflow.
Not here: what the pages contain (pages, checks/docs.py) and who may read them (request_guard.py).
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

from ops.parse.files import is_cached
from orchestration.state.addresses import Addresses
from orchestration.workspace.workspace import Workspace
from pages.paths import PAGES, shown_pages

#: The served folders: what each shows, and the command that makes it.
FOLDERS = {
    "pages": ("Data quality: every dataset, its rows and their lineage", "make run"),
    "docs": ("Data Docs: the latest validation of every partition", "silverloom docs"),
}

#: Rewritten while people look at pages, so browsers must not cache it.
LIVE = "live"

#: Pages contain inline scripts and styles, and charts compile expressions; everything comes from this server.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-src 'self'; "
    "worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)

_NONE = "page not found"
_TEMPLATES = Jinja2Templates(Path(__file__).with_name("templates"))
_TYPES = mimetypes.MimeTypes()  # Python's own table, independent of the machine's
_TYPES.add_type("text/javascript", ".js")


def application(workspace: Workspace) -> Starlette:
    """Return the application, which answers only GET and HEAD."""
    folder, addresses = workspace.quality, Addresses(workspace)

    def home(request: Request) -> Response:
        links = [
            (f"/{name}/", title, "" if (folder / _served(folder, name) / "index.html").exists() else made_by)
            for name, (title, made_by) in FOLDERS.items()
        ]
        others = [
            (addresses.address("dagster"), "Dagster: the graph, runs, checks, schedules", ""),
            (addresses.mlflow(), "MLflow: what every partition was made from, with its metrics", ""),
        ]
        return _TEMPLATES.TemplateResponse(request, "home.html", {"links": links + others})

    def dagster(request: Request) -> Response:
        path, query = urllib.parse.quote(f"/{request.path_params['path']}"), request.url.query
        return RedirectResponse(addresses.address("dagster", path + (f"?{query}" if query else "")), 302)

    def mlflow(request: Request) -> Response:
        """Redirect to MLflow's latest run of a dataset or partition, or to the run that made a version."""
        from orchestration.mlflow.send import find

        where, version = request.path_params, request.query_params.get("version")
        tags = {"partition": where.get("partition", "all"), **({"data version": version} if version else {})}
        try:
            found = find(workspace, f"{where['group']}/{where['name']}", tags)
        except Exception:  # MLflow is unreachable or has no such run: fall back to its home page
            found = None
        return RedirectResponse(found or addresses.mlflow(), 302)

    routes = [
        Route("/", home),
        Route("/to/dagster/{path:path}", dagster),
        Route("/to/mlflow/{group}/{name}", mlflow),
        Route("/to/mlflow/{group}/{name}/{partition}", mlflow),
        Route("/{path:path}", lambda request: _file(folder, request.path_params["path"])),
    ]
    sealed = Middleware(BaseHTTPMiddleware, dispatch=_seal)
    return Starlette(routes=routes, middleware=[sealed], exception_handlers={HTTPException: _refuse})


def _file(folder: Path, path: str) -> Response:
    """Serve a file, read whole: StaticFiles streams, and a longer file could replace it during that."""
    parts = path.split("/")
    if parts[0] not in (*FOLDERS, LIVE):
        raise HTTPException(404, _NONE)
    name = _served(folder, parts[0])
    try:
        found = locate(folder, [name, *parts[1:]])
        if found is not None and found.is_dir():
            return RedirectResponse(f"/{urllib.parse.quote(path)}/", 302)
        content = None if found is None else found.read_bytes()
    except OSError:  # an impossible file name, or a page replaced at this moment
        found = content = None
    if found is None or content is None:
        made_by = FOLDERS.get(parts[0], ("", "make run"))[1]
        missing = not (folder / name).exists()
        raise HTTPException(404, f"not made yet: run `{made_by}`" if missing else _NONE)
    return Response(content, media_type=_TYPES.guess_type(found.name)[0] or "application/octet-stream")


def _served(folder: Path, name: str) -> str:
    """Return the folder to serve under a name. For the pages, that is the interim ones while they exist."""
    return shown_pages(folder).name if name == PAGES else name


def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # registered for nothing else
    links = [("", error.detail, ""), ("/", "Home", "")]
    return _TEMPLATES.TemplateResponse(
        request, "home.html", {"links": links}, error.status_code, dict(error.headers or {})
    )


async def _seal(request: Request, call_next: RequestResponseEndpoint) -> Response:
    """Set headers: load nothing from elsewhere, and cache only pages, which are revalidated on every use."""
    response = await call_next(request)
    page = response.status_code == 200 and request.url.path.startswith(tuple(f"/{name}/" for name in FOLDERS))
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
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
    found = base.joinpath(*names)
    place = found.parent.resolve() if is_cached(found) else found.resolve()
    return found if found.exists() and place.is_relative_to(base / names[0]) else None
