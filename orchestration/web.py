"""A file server for the data-quality pages: on this machine only, read-only, and nothing from elsewhere.

Belongs here: serving the folders below data/quality, and leading on to Dagster's and MLflow's pages of the
same thing. Not here: what the pages say (orchestration/pages, orchestration/quality).
"""

from __future__ import annotations

import html
import sqlite3
import sys
import urllib.parse
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from assets.settings import ROOT
from orchestration import addresses
from orchestration.addresses import HOST

QUALITY = ROOT / "data" / "quality"

#: The folders that are served, what each shows, and what makes it.
FOLDERS = {
    "pages": ("Data quality: every dataset, its rows and their stories", "make run"),
    "docs": ("The latest validations, by Great Expectations", "python -m orchestration.quality.docs"),
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


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD, and nothing else."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "silverloom", ""
    timeout = 30

    def __init__(self, *arguments: object, folder: Path) -> None:
        self.folder = folder
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer with a file, the list of what there is, or the way to another server."""
        if not self._asked_here():
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "this server is known by its local address only")
            return
        path, _, query = self.path.partition("?")
        parts = urllib.parse.unquote(path, errors="replace").split("/")[1:]
        if parts == [""]:
            self._answer(HTTPStatus.OK, home(self.folder).encode(), _TYPES[".html"])
        elif parts[0] == "to":
            self._lead_on(parts[1:], query)
        elif parts[0] in (*FOLDERS, LIVE):
            self._file(path, parts)
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")

    do_HEAD = do_GET  # noqa: N815

    def _asked_here(self) -> bool:
        """Say whether the browser was told this address: a name that leads here from elsewhere is refused."""
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        return host in (HOST, "localhost")

    def _file(self, path: str, parts: list[str]) -> None:
        try:
            found = locate(self.folder, parts)
            if found is not None and found.is_dir():
                self._redirect(f"{path}/")
                return
            content = None if found is None else found.read_bytes()
        except OSError:  # a name that no file can have, or a page that was replaced at this moment
            found = content = None
        if found is None or content is None:
            made = FOLDERS.get(parts[0], ("", "make run"))[1]
            missing = not (self.folder / parts[0]).exists()
            text = f"not made yet: `{made}` makes it" if missing else "there is no such page"
            self._refuse(HTTPStatus.NOT_FOUND, text)
        else:
            kind = _TYPES.get(found.suffix.lower(), "application/octet-stream")
            self._answer(HTTPStatus.OK, content, kind, keep=parts[0] != LIVE)

    def _lead_on(self, parts: list[str], query: str) -> None:
        """Lead to Dagster (any path of it), or to the latest run of a dataset's month in MLflow."""
        if len(parts) > 1 and parts[0] == "dagster":
            path = urllib.parse.quote("/" + "/".join(parts[1:]))
            self._redirect(addresses.address("dagster", path + (f"?{query}" if query else "")))
        elif len(parts) in (3, 4) and parts[0] == "mlflow":
            self._redirect(_mlflow("/".join(parts[1:3]), "".join(parts[3:])) or addresses.mlflow())
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")

    def _redirect(self, to: str) -> None:
        self._answer(HTTPStatus.FOUND, b"", _TYPES[".txt"], to=to)

    def _refuse(self, status: HTTPStatus, text: str) -> None:
        body = f'<li>{html.escape(text)}</li>\n<li><a href="/">What there is</a></li>'
        self._answer(status, _HOME.format(items=body).encode(), _TYPES[".html"])

    def _answer(
        self, status: HTTPStatus, body: bytes, kind: str, to: str | None = None, keep: bool = False
    ) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Content-Security-Policy", POLICY),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-cache" if keep else "no-store"),
            *([("Location", to)] if to else []),
        ):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing: a page that is looked at is no news."""


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


def home(folder: Path) -> str:
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


def server(port: int, folder: Path = QUALITY) -> ThreadingHTTPServer:
    """Return the server, bound and not yet serving."""
    return ThreadingHTTPServer((HOST, port), partial(Handler, folder=folder))


def _mlflow(name: str, month: str) -> str | None:
    from orchestration.tracking import latest

    try:
        return latest(name, month)
    except sqlite3.Error:
        return None


if __name__ == "__main__":
    from orchestration.command import run

    run(lambda: server(int(sys.argv[1])).serve_forever())
