"""A file server for the data-quality pages: on this machine only, read-only, and nothing from elsewhere.

Belongs here: serving the folders below data/quality, and leading on to Dagster's and MLflow's pages of the
same thing. Not here: what the pages say (orchestration/pages, orchestration/quality), whom they are given to
(request_guard.py).
"""

from __future__ import annotations

import html
import urllib.parse
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from orchestration.state.addresses import Addresses
from orchestration.workspace.workspace import Workspace

#: The folders that are served, what each shows, and what makes it.
FOLDERS = {
    "pages": ("Data quality: every dataset, its rows and their stories", "make run"),
    "docs": ("The latest validations, by Great Expectations", "silverloom docs"),
}

#: Written anew while pages are looked at: no browser is to keep it.
LIVE = "live"

#: Scripts and styles stand inside of pages, too, and charts compile their expressions; all from here.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "frame-src 'self'",
        "worker-src 'self' blob:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    )
)

_NONE = "there is no such page"

_TEXT = "; charset=utf-8"
_TYPES = {
    ".html": f"text/html{_TEXT}",
    ".css": f"text/css{_TEXT}",
    ".js": f"text/javascript{_TEXT}",
    ".json": "application/json",
    ".txt": f"text/plain{_TEXT}",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".gif": "image/gif",
    ".ico": "image/x-icon",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".ttf": "font/ttf",
}

_HOME = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>silverloom</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }}
li {{ margin: .75rem 0; }}
</style>
<main>
<h1>silverloom</h1>
<ul>
{items}
</ul>
</main>
</html>
"""


def application(workspace: Workspace) -> Starlette:
    """Return the application: it answers GET and HEAD, and nothing else."""
    folder, addresses = workspace.quality, Addresses(workspace)

    def first(_: Request) -> Response:
        return _sealed(HTMLResponse(home(folder, addresses)))

    def file(request: Request) -> Response:
        return _file(folder, request.path_params["path"])

    routes = [
        Route("/", first),
        Route("/to/dagster/{path:path}", partial(_dagster, addresses)),
        Route("/to/mlflow/{group}/{name}", partial(_mlflow, addresses)),
        Route("/to/mlflow/{group}/{name}/{month}", partial(_mlflow, addresses)),
        Route("/{path:path}", file),
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: _refuse})


def _file(folder: Path, path: str) -> Response:
    """Answer with a file, read whole: while StaticFiles sent it, it could be replaced by a longer one."""
    parts = path.split("/")
    if parts[0] not in (*FOLDERS, LIVE):
        raise HTTPException(404, _NONE)
    try:
        found = locate(folder, parts)
        if found is not None and found.is_dir():
            return _sealed(RedirectResponse(f"/{urllib.parse.quote(path)}/", 302))
        content = None if found is None else found.read_bytes()
    except OSError:  # a name that no file can have, or a page that was replaced at this moment
        found = content = None
    if found is None or content is None:
        made = FOLDERS.get(parts[0], ("", "make run"))[1]
        missing = not (folder / parts[0]).exists()
        raise HTTPException(404, f"not made yet: `{made}` makes it" if missing else _NONE)
    kind = _TYPES.get(found.suffix.lower(), "application/octet-stream")
    return _sealed(Response(content, headers={"Content-Type": kind}), keep=parts[0] != LIVE)


def _dagster(addresses: Addresses, request: Request) -> Response:
    """Lead to any path of Dagster."""
    path, query = urllib.parse.quote(f"/{request.path_params['path']}"), request.url.query
    return _sealed(RedirectResponse(addresses.address("dagster", path + (f"?{query}" if query else "")), 302))


def _mlflow(addresses: Addresses, request: Request) -> Response:
    """Lead to the latest run of a dataset or of its month, or to that which made a version, in MLflow."""
    from orchestration.mlflow.send import find

    where, version = request.path_params, request.query_params.get("version")
    tags = {"partition": where.get("month", "all"), **({"data version": version} if version else {})}
    try:
        found = find(addresses.workspace, f"{where['group']}/{where['name']}", tags)
    except Exception:  # MLflow is away or knows no such run: its own pages say more
        found = None
    return _sealed(RedirectResponse(found or addresses.mlflow(), 302))


def _refuse(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # it is registered for nothing else
    items = f'<li>{html.escape(error.detail)}</li>\n<li><a href="/">What there is</a></li>'
    return _sealed(HTMLResponse(_HOME.format(items=items), error.status_code, error.headers))


def _sealed(response: Response, keep: bool = False) -> Response:
    """Let a browser load nothing from elsewhere for it, and keep it only where it is asked again."""
    response.headers.update(
        {
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-cache" if keep else "no-store",
        }
    )
    return response


def locate(folder: Path, parts: list[str]) -> Path | None:
    """Return the file of a path below a folder, or a folder that lacks its final slash; None for no such.

    Nothing that is hidden is found, and nothing that a link leads out of the folder to.
    """
    names = [*parts[:-1], parts[-1] or "index.html"]
    if any(not name or name.startswith(".") or set(name) & {"\\", "\0"} for name in names):
        return None
    base = folder.resolve()
    found = base.joinpath(*names).resolve()
    return found if found.exists() and found.is_relative_to(base / names[0]) else None


def home(folder: Path, addresses: Addresses) -> str:
    """Return the page that lists all there is, made or not."""
    items = [
        f'<li><a href="/{name}/">{title}</a></li>'
        if (folder / name / "index.html").exists()
        else f"<li>{title}: not made yet, <code>{made}</code> makes it</li>"
        for name, (title, made) in FOLDERS.items()
    ]
    others = {
        addresses.address("dagster"): "Dagster: the graph, runs, checks, schedules",
        addresses.mlflow(): "MLflow: what every partition was made from, and how it came out",
    }
    items += [f'<li><a href="{html.escape(url)}">{title}</a></li>' for url, title in others.items()]
    return _HOME.format(items="\n".join(items))
