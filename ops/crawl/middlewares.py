"""What Scrapy does between a request and its answer, where its own middlewares do too little.

Belongs here: addresses, robots.txt that cannot be had, Retry-After, what unpacking hides. Not here: reading
robots.txt (robots.py), what becomes of an answer (spider.py).
"""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from twisted.internet.defer import Deferred

from ops.crawl.addresses import AddressRefusedError
from ops.crawl.resolver import CheckedHosts
from ops.crawl.retry_after import seconds_to_wait
from ops.crawl.robots import RobotsError

_BUSY = frozenset({429, 503})


class RefusedError(IgnoreRequest):
    """The address of a URL, or of what it leads to, is refused."""


class Guard:
    """Checks each URL as it is written, also those that redirects lead to, and those of robots.txt.

    Hosts that the crawl serves itself are asked there.
    """

    def __init__(self, hosts: CheckedHosts, served: frozenset[str]) -> None:
        self._hosts, self._served = hosts, served

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Guard:
        """Return the guard of a crawl, as Scrapy asks for it."""
        return cls(crawler.settings["CHECKED_HOSTS"], crawler.settings["SERVED_HOSTS"])

    def process_request(self, request: Request) -> None:
        """Let a request pass, or raise RefusedError."""
        for name in ("proxy", "download_slot"):  # which a redirect to another host brings along
            request.meta.pop(name, None)
        try:
            host = self._hosts.policy.check_url(request.url)
        except AddressRefusedError as error:
            raise RefusedError(str(error)) from None
        if host in self._served and self._hosts.server is not None:
            address, port = self._hosts.server
            request.meta["proxy"] = f"http://{address}:{port}"
            request.meta["autothrottle_dont_adjust_delay"] = True


class Robots(RobotsTxtMiddleware):
    """Obeys robots.txt as RFC 9309 has it: without one all is allowed, with an unreadable one nothing."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._faults: dict[str, Exception] = {}

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Raise RobotsError for what is not allowed, with what went wrong as its cause."""
        if rp is None:
            fault = self._faults.get(urlsplit(request.url).netloc)
            raise RobotsError("nothing of a site is asked for whose robots.txt cannot be read") from fault
        try:
            super().process_request_2(rp, request)
        except IgnoreRequest:
            raise RobotsError("robots.txt forbids it") from None

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        self._faults[netloc] = exc
        super()._robots_error(exc, netloc)

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return what was read of robots.txt, None where it could not be read."""
        await super().robot_parser(request)
        # Of several that wait for one answer, Scrapy 2.19 gives it to the first, and None to the others.
        found = self._parsers[urlsplit(request.url).netloc]
        return None if isinstance(found, Deferred) else found

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status >= 500 or response.status in _BUSY:
            raise RobotsError(f"status {response.status}")
        body = response.body if response.status < 400 else b""
        await super()._parse_robots(response.replace(body=body), netloc, request)


class PatientRetry(RetryMiddleware):
    """Waits as long as Retry-After asks for, with the whole host; gives up where that is too long."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PatientRetry:
        """Return the middleware of a crawl, as Scrapy asks for it."""
        made = super().from_crawler(crawler)
        made._longest = crawler.settings.getfloat("LONGEST_WAIT")
        crawler.signals.connect(made._pause, signals.response_downloaded)
        return made

    _longest: float

    def process_response(
        self, request: Request, response: Response, spider: Any = None
    ) -> Request | Response:
        """Return the answer, or the request again."""
        if response.status in _BUSY and _wait(response, request) > self._longest:
            return response
        return super().process_response(request, response)

    def _pause(self, response: Response, request: Request) -> None:
        """Ask the host for nothing until it wants to be asked: called before its next request is begun."""
        if response.status not in _BUSY or (seconds := _wait(response, request)) > self._longest:
            return
        engine = self.crawler.engine
        assert engine is not None
        slot = engine.downloader.slots.get(request.meta.get("download_slot", ""))
        if slot is not None:
            slot.lastseen = time.monotonic() + seconds


class Unpacking:
    """Remembers the headers that an answer loses when it is unpacked."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Note how the page came."""
        request.meta["packing"] = [
            (name, value.decode("latin-1"))
            for name in ("Content-Encoding", "Content-Length")
            if (value := response.headers.get(name)) is not None
        ]
        return response


def _wait(response: Response, request: Request) -> float:
    header = (response.headers.get("Retry-After") or b"").decode("latin-1")
    return seconds_to_wait(header, int(request.meta.get("retry_times", 0)))
