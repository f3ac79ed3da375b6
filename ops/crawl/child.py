"""The process of a crawl: its memory is limited, and Twisted's reactor can run only once per process.

Belongs here: one crawl, from its plan to the end of its journal, and a local web server for folders, which
samples and tests crawl. Not here: starting the process (crawl.py), what is requested (spider.py, collect.py,
search.py, captures/).

Progress goes to the parent through a socket, to which no library prints. The child exits when the socket is
closed.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import mimetypes
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel

from silverloom.ops.crawl.addresses import AddressPolicy
from silverloom.ops.crawl.frontier import Frontier
from silverloom.ops.crawl.journal import FormerVersion, Journal
from silverloom.ops.crawl.options import CAPTURES, SEARCH, URLS, CrawlOptions
from silverloom.ops.parse.bounded.bounds import bound_memory

PLAN = "plan.json"
#: Seconds between two progress reports.
_EVERY = 0.5
#: Bytes of address space beyond what the process uses at its start.
_MEMORY = 4 * 2**30


class Plan(BaseModel):
    """A crawl's task; a file in its folder."""

    kind: str
    month: str
    """The month of a collection's items; unused for URLs."""
    urls: Sequence[str]
    queries: Sequence[str]
    """The queries of a search, unless they are the URLs."""
    options: Mapping[str, Any]
    digest: str
    """Digest of the options of the journal, which may be more than these."""
    root: str
    """The parent of the folders in `serve`."""
    former: str | None = None
    """The folder of the previous crawl's journal: its pages are requested only if they have changed."""


def main(folder: Path, channel: socket.socket) -> None:
    """Run the crawl whose plan is in a folder."""
    threading.Thread(target=_end_with_parent, args=(channel,), daemon=True).start()
    tell = _Progress(channel)
    plan = Plan.model_validate_json((folder / PLAN).read_text())
    bound_memory(_MEMORY)
    with contextlib.ExitStack() as stack:
        journal = stack.enter_context(contextlib.closing(Journal(folder, plan.digest)))
        former = FormerVersion(None)
        if plan.former is not None:
            known = stack.enter_context(contextlib.closing(Journal(Path(plan.former), plan.digest)))
            former = FormerVersion(known)
        if plan.kind == URLS:
            _crawl(plan, CrawlOptions.model_validate(plan.options), journal, tell, former)
        elif plan.kind == SEARCH:  # late: these imports take a tenth of a second, which lists do not need
            from silverloom.ops.crawl.search import SearchOptions, list_results

            search = SearchOptions.model_validate(plan.options)
            list_results(plan.queries or plan.urls, search, journal, former, tell)
            _crawl(plan, search, journal, tell, former)
        elif plan.kind == CAPTURES:  # late, too
            from silverloom.ops.crawl.captures.fetch import CapturePlace, fetch_captures
            from silverloom.ops.crawl.captures.places import CaptureOptions

            captures = CaptureOptions.model_validate(plan.options)
            place = CapturePlace(folder, Path(plan.root), plan.digest)
            fetch_captures(plan.urls, plan.month, captures, place, journal, former, tell)
        else:  # late, too
            from silverloom.ops.crawl.collect import collect
            from silverloom.ops.crawl.collections.kinds import KINDS

            listed = KINDS[plan.kind].options.model_validate(plan.options)
            collect(plan.kind, plan.urls, plan.month, listed, journal, tell, former)


def _crawl(
    plan: Plan, options: CrawlOptions, journal: Journal, tell: _Progress, former: FormerVersion
) -> None:
    from scrapy.crawler import AsyncCrawlerProcess

    from silverloom.ops.crawl.middlewares import CheckedHosts, scrapy_settings
    from silverloom.ops.crawl.spider import PageSpider

    sites = {host: Path(plan.root, place) for host, place in options.serve.items()}
    with serving(sites) if sites else contextlib.nullcontext() as server:
        hosts = CheckedHosts(AddressPolicy([*options.allow, *options.serve]), server)
        process = AsyncCrawlerProcess(scrapy_settings(options, hosts))
        process.crawl(
            PageSpider,
            frontier=Frontier(plan.urls, options, journal.entries),
            journal=journal,
            options=options,
            hosts=hosts,
            former=former,
            tell=tell,
        )
        process.start()


class _Progress:
    def __init__(self, channel: socket.socket) -> None:
        self._channel, self._next = channel, 0.0

    def __call__(self, done: int, known: int) -> None:
        if done == known or time.monotonic() > self._next:
            self._next = time.monotonic() + _EVERY
            self._channel.sendall(b"%d %d\n" % (done, known))


def _end_with_parent(channel: socket.socket) -> None:
    """Exit immediately when the parent does. Everything written is complete; the next run continues."""
    with contextlib.suppress(ConnectionError):  # if the parent was killed before it read everything
        channel.recv(1)
    os._exit(3)


#: A file in a site's folder with lines of path, redirect target and status.
REDIRECTS = "_redirects"


@contextlib.contextmanager
def serving(sites: Mapping[str, Path]) -> Iterator[tuple[str, int]]:
    """Serve folders as hosts; yield the address of a server that acts as a proxy for these hosts.

    The page of a folder is its `index.html`; `_redirects` has lines like `/old /new 301`.
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
        if (redirect := _redirects(folder).get(path)) is not None:
            return self._answer(redirect[1], b"", {"Location": redirect[0]})
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
        """Write a response without time and server version, which would change its bytes each time."""
        self.send_response_only(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""


def _redirects(folder: Path) -> dict[str, tuple[str, int]]:
    file = folder / REDIRECTS
    lines = [line.split() for line in file.read_text().splitlines()] if file.is_file() else []
    return {source: (target, int(status)) for source, target, status in filter(None, lines)}


if __name__ == "__main__":
    main(Path(sys.argv[1]), socket.socket(fileno=int(sys.argv[2])))
