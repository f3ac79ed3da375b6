"""The spider: asks for what the frontier holds, and writes the outcome of each URL into the journal.

Belongs here: requests, and what an answer or a failure means. Not here: politeness and safety
(middlewares.py, scrapy_settings.py), the order of URLs (frontier.py).
"""

from __future__ import annotations

import asyncio
import datetime
import http
import itertools
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any
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
from scrapy.linkextractors import LinkExtractor

from ops.crawl.frontier import Frontier
from ops.crawl.journal import Journal, UrlOutcome
from ops.crawl.middlewares import RefusedError, RobotsError
from ops.crawl.options import CrawlOptions
from ops.crawl.resolver import CheckedHosts
from ops.crawl.warc import Headers, response_record

#: Links of one page that are looked at, which holds up all other pages; and those that may be followed.
_LOOKED_AT, _LINKS = 10_000, 5_000
_LONGEST_CAUSE = 300


class PageSpider(Spider):
    """Asks for every URL of a frontier that has no entry in the journal.

    `former` gives the entry and the record of a page that was fetched before, which is asked for on condition
    that it changed. `tell` is called with the numbers of URLs that are done and that are known.
    """

    name = "pages"

    def __init__(
        self,
        frontier: Frontier,
        journal: Journal,
        options: CrawlOptions,
        hosts: CheckedHosts,
        former: Mapping[str, UrlOutcome],
        former_record: Callable[[UrlOutcome], bytes],
        tell: Callable[[int, int], None],
    ) -> None:
        super().__init__()
        self._frontier, self._journal, self._options, self._hosts = frontier, journal, options, hosts
        self._former, self._former_record, self._tell = former, former_record, tell
        self._open, self._closed = 0, asyncio.Event()
        allow, deny = tuple(options.follow), tuple(options.skip)
        self._links = LinkExtractor(allow=allow, deny=deny, deny_extensions=())

    async def start(self) -> AsyncIterator[Request]:
        """Yield the requests level by level, each when the one before is through."""
        for level in self._frontier.levels():
            for page in level:
                if page.url in self._journal.entries:
                    continue
                try:
                    request = self._request(page.url, page.depth)
                except ValueError as error:
                    self._note(UrlOutcome(url=page.url, fate="rejected", cause=f"no URL: {error}"))
                else:
                    self._open += 1
                    yield request
            while self._open:
                self._closed.clear()
                await self._closed.wait()
            self._tell(len(self._journal.entries), self._frontier.asked)

    def _request(self, url: str, depth: int) -> Request:
        former = self._former.get(url)
        headers = {} if former is None else former.conditions
        return Request(
            url,
            callback=self._answered,
            errback=self._failed,
            headers=headers,
            dont_filter=True,
            cb_kwargs={"asked": url, "depth": depth},
        )

    def _answered(self, response: Response, asked: str, depth: int) -> None:
        try:
            former = self._former.get(asked)
            if response.status == 304 and former is not None:
                carried = former.model_copy(update={"unchanged": True})
                self._note(carried, self._former_record(former))
            elif 200 <= response.status < 300:
                self._fetched(response, asked, depth)
            else:
                cause = f"status {_status(response.status)}"
                self._note(UrlOutcome(url=asked, fate="rejected", cause=cause, status=response.status))
        except Exception as error:  # a page that cannot be written must not keep its level open for ever
            self._note(UrlOutcome(url=asked, fate="rejected", cause=_text(error)))
        self._close()

    def _fetched(self, response: Response, asked: str, depth: int) -> None:
        date = self._options.clock or f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
        record, digest = response_record(
            response.url,
            _status(response.status),
            _headers(response),
            response.body,
            date,
            packed=self._options.clock is None,  # zlib's bytes are not the same on every system
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
            links=self._found(response) if depth < self._options.depth else (),
        )
        self._note(entry, record)

    def _found(self, response: Response) -> tuple[str, ...]:
        if not isinstance(response, HtmlResponse):
            return ()
        host = urlsplit(response.url).hostname
        for element in itertools.islice(response.selector.root.iter("a", "area"), _LOOKED_AT, None):
            element.attrib.pop("href", None)
        links = [link.url.partition("#")[0] for link in self._links.extract_links(response)[:_LINKS]]
        return tuple(
            dict.fromkeys(
                link for link in links if not self._options.same_host or urlsplit(link).hostname == host
            )
        )

    def _failed(self, failure: Any) -> None:
        asked = failure.request.cb_kwargs["asked"]
        self._note(self._loss(asked, failure.value, urlsplit(failure.request.url).hostname or ""))
        self._close()

    def _loss(self, asked: str, error: BaseException, host: str) -> UrlOutcome:
        if isinstance(error, RobotsError):
            return UrlOutcome(url=asked, fate="dropped", cause="robots", detail=str(error))
        if isinstance(error, DownloadCancelledError) or "DOWNLOAD_MAXSIZE" in str(error):
            limit = f"more than {self._options.page_bytes} bytes, unpacked"
            return UrlOutcome(url=asked, fate="dropped", cause="size", detail=limit)
        if isinstance(error, RefusedError):
            cause = str(error)
        elif isinstance(error, IgnoreRequest) and "redirections" in str(error):
            cause = f"more than {self._options.redirects} redirects"
        elif isinstance(error, ResponseDataLossError):
            cause = "the answer was cut short"
        elif isinstance(error, DownloadTimeoutError):
            cause = f"no whole answer within {self._options.timeout:g} seconds"
        elif isinstance(error, CannotResolveHostError):
            cause = self._hosts.refused.get(host, f"the name {host} has no address")
        else:
            cause = _text(_reason(error))
        return UrlOutcome(url=asked, fate="rejected", cause=cause)

    def _note(self, entry: UrlOutcome, record: bytes = b"") -> None:
        """Write an outcome down. Where that cannot be, the crawl ends; the next run goes on from there."""
        try:
            self._journal.add(entry, record)
        except OSError as error:
            print(f"the journal of the crawl cannot be written: {error}", file=sys.stderr, flush=True)
            os._exit(4)

    def _close(self) -> None:
        self._open -= 1
        self._tell(len(self._journal.entries), self._frontier.asked)
        if not self._open:
            self._closed.set()


def _headers(response: Response) -> Headers:
    """Return the headers of an answer as they came, packed or not."""
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
    """Return what an answer failed for, which Scrapy names within another error."""
    failures = getattr(error.__cause__, "reasons", None)
    return failures[0].value if failures else error


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:_LONGEST_CAUSE]
