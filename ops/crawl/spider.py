"""The spider: requests the URLs of the frontier, and records their outcomes in the journal.

Belongs here: requests, and interpreting responses and failures. Not here: politeness and safety
(middlewares.py), the order of URLs (frontier.py), reading pages (links.py).

Untrusted content that may be slow to read is not read in the reactor, where it would delay all other pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import http
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, NoReturn
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http import HtmlResponse, Response

from silverloom.ops.crawl.frontier import Frontier
from silverloom.ops.crawl.journal import LINKS_NOT_READ, Fate, FormerVersion, Journal, UrlOutcome
from silverloom.ops.crawl.links import BOUNDS, LinkRules, links_of, may_link
from silverloom.ops.crawl.middlewares import CheckedHosts, RefusedError, RobotsError
from silverloom.ops.crawl.options import CrawlOptions
from silverloom.ops.crawl.warc import Headers, response_record
from silverloom.ops.parse.bounded import child_of
from silverloom.ops.parse.source import ParseError, Raw

_LONGEST_CAUSE = 300
#: Not Found and Gone: pages that such a page linked to no longer belong to its site.
_GONE = frozenset({404, 410})


class PageSpider(Spider):
    """Requests every URL of a frontier that has no entry in the journal.

    Pages of the `former` version are requested only if they have changed. `tell` is called with the number of
    URLs done and of those known.
    """

    name = "pages"

    def __init__(
        self,
        frontier: Frontier,
        journal: Journal,
        options: CrawlOptions,
        hosts: CheckedHosts,
        former: FormerVersion,
        tell: Callable[[int, int], None],
    ) -> None:
        super().__init__()
        self._frontier, self._journal, self._options, self._hosts = frontier, journal, options, hosts
        self._former, self._tell = former, tell
        self._open, self._closed = 0, asyncio.Event()
        self._rules = LinkRules(tuple(options.follow), tuple(options.skip), options.same_host)
        self._reading = asyncio.Lock()

    async def start(self) -> AsyncIterator[Request]:
        """Yield the requests level by level, each level when the one before is finished."""
        for level in self._frontier.levels():
            urls = [page.url for page in level if page.url not in self._journal.entries]
            self._open = len(urls)
            for url in urls:
                try:
                    request = self._request(url)
                except ValueError as error:
                    self._close(UrlOutcome(url=url, fate="rejected", cause=f"no URL: {error}"))
                else:
                    yield request
            while self._open:
                self._closed.clear()
                await self._closed.wait()

    def _request(self, url: str) -> Request:
        return Request(
            url,
            callback=self._answered,
            errback=self._failed,
            headers=self._former.conditions(url),
            dont_filter=True,
            cb_kwargs={"asked": url},
        )

    async def _answered(self, response: Response, asked: str) -> None:
        """Record a response. Pages with links are handled one at a time."""
        linking = isinstance(response, HtmlResponse) and may_link(response.body)
        async with self._reading if linking else contextlib.nullcontext():
            try:
                outcome, record = await self._outcome(response, asked, linking)
            except OSError as error:
                _end(f"the crawl cannot go on: {error}")
            except Exception as error:  # a page that cannot be recorded must not keep its level open forever
                outcome, record = self._lost(asked, _text(error)), b""
            self._close(outcome, record)

    async def _outcome(self, response: Response, asked: str, linking: bool) -> tuple[UrlOutcome, bytes]:
        """Return the outcome of the requested URL from its response, and its record."""
        if response.status == 304 and self._former.conditions(asked):
            return self._former.unchanged(asked)
        if 200 <= response.status < 300:
            fields = await self._link_fields(response) if linking else {}
            return self._former.compared(*self._fetched(response, asked, fields))
        return self._lost(asked, f"status {_status(response.status)}", status=response.status), b""

    def _lost(self, asked: str, cause: str, fate: Fate = "rejected", **more: Any) -> UrlOutcome:
        """Return the outcome of an unavailable page, with its earlier links unless it is gone."""
        former = self._former.entry(asked)
        links = former.links if former is not None and more.get("status") not in _GONE else ()
        return UrlOutcome(url=asked, fate=fate, cause=cause, links=links, **more)

    def _fetched(self, response: Response, asked: str, fields: Mapping[str, Any]) -> tuple[UrlOutcome, bytes]:
        date = self._options.clock or f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
        record, digest = response_record(
            response.url,
            _status(response.status),
            _headers(response),
            response.body,
            date,
            packed=self._options.clock is None,  # zlib's output differs between systems
        )
        entry = UrlOutcome(
            url=asked,
            fate="fetched",
            final_url=response.url,
            status=response.status,
            content_type=_header(response, "Content-Type"),
            bytes=len(response.body),
            digest=digest,
            date=date,
            etag=_header(response, "ETag"),
            last_modified=_header(response, "Last-Modified"),
            **fields,
        )
        return entry, record

    async def _link_fields(self, response: Response) -> Mapping[str, Any]:
        """Return the links of a page, even at the deepest level: depth and list may change later.

        If they cannot be read, the page is kept without links, with the cause in `about`.
        """
        told = {"content_type": _header(response, "Content-Type")}
        page = Raw(response.url, response.url, response.body, companions=told)
        try:
            return {"links": await asyncio.to_thread(child_of(BOUNDS).call, links_of, page, self._rules)}
        except ParseError as error:
            return {"about": {LINKS_NOT_READ: str(error)[:_LONGEST_CAUSE]}}

    def _failed(self, failure: Any) -> None:
        asked, host = failure.request.cb_kwargs["asked"], urlsplit(failure.request.url).hostname or ""
        self._close(self._loss(asked, failure.value, host))

    def _loss(self, asked: str, error: BaseException, host: str) -> UrlOutcome:
        if isinstance(error, RobotsError):
            if isinstance(error.__cause__, CannotResolveHostError):
                return self._lost(asked, self._cause(error.__cause__, host))
            fault = f": {self._cause(error.__cause__, host)}" if error.__cause__ else ""
            return self._lost(asked, "robots", "dropped", detail=f"{error}{fault}")
        if _too_large(error):
            return self._lost(asked, "size", "dropped", detail=self._cause(error, host))
        return self._lost(asked, self._cause(error, host))

    def _cause(self, error: BaseException, host: str) -> str:
        if isinstance(error, (RefusedError, RobotsError)):
            return str(error)
        if _too_large(error):
            return f"more than {self._options.page_bytes} bytes, unpacked"
        if isinstance(error, IgnoreRequest) and "redirections" in str(error):
            return f"more than {self._options.redirects} redirects"
        if isinstance(error, ResponseDataLossError):
            return "the answer was cut short"
        if isinstance(error, DownloadTimeoutError):
            return f"no whole answer within {self._options.timeout:g} seconds"
        if isinstance(error, CannotResolveHostError):
            return self._hosts.refused.get(host, f"the name {host} has no address")
        return _text(_reason(error))

    def _close(self, outcome: UrlOutcome, record: bytes = b"") -> None:
        """Record an outcome. If that fails, the crawl ends, and the next run continues it."""
        try:
            self._journal.add(outcome, record)
        except OSError as error:
            _end(f"the journal of the crawl cannot be written: {error}")
        self._open -= 1
        self._tell(self._frontier.asked - self._open, self._frontier.asked)
        if not self._open:
            self._closed.set()


def _end(cause: str) -> NoReturn:
    """End the process because of a problem that no page caused."""
    print(cause, file=sys.stderr, flush=True)
    os._exit(4)


def _headers(response: Response) -> Headers:
    """Return the original headers of a response, including those that decompression removed."""
    plain = [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
        if name.lower() not in (b"content-encoding", b"content-length")
    ]
    packing: Headers = response.meta.get("packing", [])
    return [*packing, *((name, value.replace("\r", " ").replace("\n", " ")) for name, value in plain)]


def _header(response: Response, name: str) -> str:
    return (response.headers.get(name) or b"").decode("latin-1")


def _status(status: int) -> str:
    try:
        return f"{status} {http.HTTPStatus(status).phrase}"
    except ValueError:
        return f"{status} -"


def _reason(error: BaseException) -> BaseException:
    """Return the reason of a failure, which Scrapy wraps in another error."""
    failures = getattr(error.__cause__, "reasons", None)
    return failures[0].value if failures else error


def _too_large(error: BaseException) -> bool:
    return isinstance(error, DownloadCancelledError) or "DOWNLOAD_MAXSIZE" in str(error)


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:_LONGEST_CAUSE]
