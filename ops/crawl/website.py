"""A website out of folders, on loopback: for samples and tests.

Belongs here: serving files to the crawl that began it, the same bytes each time. Not here: sites that
misbehave, which tests make for themselves.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import mimetypes
import threading
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: A file of a site's folder: lines of a path, what it redirects to, and the status.
REDIRECTS = "_redirects"


@contextlib.contextmanager
def serving(sites: Mapping[str, Path]) -> Iterator[tuple[str, int]]:
    """Serve folders by the hosts that they are; give the address, which answers as a proxy for these hosts.

    A folder's `index.html` is its page; `_redirects` has lines like `/old /new 301`.
    """
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Site, sites))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield "127.0.0.1", server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def __init__(self, sites: Mapping[str, Path], *arguments: object) -> None:
        self._sites = sites
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        folder = self._sites.get(parts.hostname or "")
        if folder is None:
            return self._answer(404, b"", {})
        path = unquote(parts.path) or "/"
        if (found := _redirects(folder).get(path)) is not None:
            return self._answer(found[1], b"", {"Location": found[0]})
        file = (folder / path.lstrip("/")).resolve()
        file = file / "index.html" if file.is_dir() else file
        if not file.is_relative_to(folder.resolve()) or not file.is_file() or file.name == REDIRECTS:
            return self._answer(404, b"There is no such page.\n", {"Content-Type": "text/plain"})
        body = file.read_bytes()
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        if self.headers.get("If-None-Match") == tag:
            return self._answer(304, b"", {"ETag": tag})
        return self._answer(200, body, {"Content-Type": kind, "ETag": tag})

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        """Write an answer without its time and the server's version, which would be other bytes each time."""
        self.send_response_only(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Write no log."""


def _redirects(folder: Path) -> dict[str, tuple[str, int]]:
    file = folder / REDIRECTS
    lines = [line.split() for line in file.read_text().splitlines()] if file.is_file() else []
    return {source: (target, int(status)) for source, target, status in filter(None, lines)}
