"""Scrapy's settings, and middlewares of our own where Scrapy's are not enough.

Belongs here: Scrapy's settings from the options of a crawl; address checks, robots.txt that is huge, slow or
missing, Retry-After, headers that decompression removes; the resolver. Not here: the options themselves
(options.py), which addresses are allowed (addresses.py), handling a response (spider.py).

A robots.txt, like a page, may be built to be slow to read. Twisted asks the resolver for every connection,
even if a URL contains an IP address, and connects to the address in the answer. So every connection goes to a
checked address, which cannot change between check and connection. (A name can, if its server returns another
address each time.)
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Sequence
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.robotstxt import ProtegoRobotParser, RobotParser
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from silverloom.ops.crawl.addresses import AddressPolicy, AddressRefusedError
from silverloom.ops.crawl.client import seconds_to_wait
from silverloom.ops.crawl.options import CrawlOptions
from silverloom.ops.parse.bounded.bounds import TooLongError, computing_at_most

_BUSY = frozenset({429, 503})


class RefusedError(IgnoreRequest):
    """The address of a URL, or of a redirect target, is refused."""


class Guard:
    """Checks each URL as written, including redirect targets and those of robots.txt.

    Hosts that the crawl serves itself are requested from its own server.
    """

    def __init__(self, hosts: CheckedHosts, served: frozenset[str]) -> None:
        self._hosts, self._served = hosts, served

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Guard:
        """Return the guard of a crawl, for Scrapy."""
        return cls(crawler.settings["CHECKED_HOSTS"], crawler.settings["SERVED_HOSTS"])

    def process_request(self, request: Request) -> None:
        """Accept a request, or raise RefusedError."""
        for name in ("proxy", "download_slot"):  # a redirect to another host would keep them
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
    """Obeys robots.txt as in RFC 9309: if it does not exist, all is allowed, and if unreadable, nothing."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._faults: dict[str, Exception] = {}

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Raise RobotsError if the request is not allowed, with an error of reading robots.txt as cause."""
        if rp is None:
            fault = self._faults.get(urlsplit(request.url).netloc)
            raise RobotsError("nothing is requested from a site whose robots.txt cannot be read") from fault
        try:
            super().process_request_2(rp, request)
        except IgnoreRequest:
            raise RobotsError("robots.txt forbids it") from None

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        self._faults[netloc] = exc
        super()._robots_error(exc, netloc)

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the parsed robots.txt, or None if it could not be read."""
        await super().robot_parser(request)
        # If several requests wait for one response, Scrapy 2.19 gives it to the first and None to the others.
        parser = self._parsers[urlsplit(request.url).netloc]
        return None if isinstance(parser, Deferred) else parser

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status >= 500 or response.status in _BUSY:
            raise RobotsError(f"status {response.status}")
        body = response.body if response.status < 400 else b""
        await super()._parse_robots(response.replace(body=body), netloc, request)


class PatientRetry(RetryMiddleware):
    """Waits as long as Retry-After demands, for the whole host; gives up if that is too long."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PatientRetry:
        """Return the middleware of a crawl, for Scrapy."""
        made = super().from_crawler(crawler)
        made._longest = crawler.settings.getfloat("LONGEST_WAIT")
        crawler.signals.connect(made._pause, signals.response_downloaded)
        return made

    _longest: float

    def process_response(
        self, request: Request, response: Response, spider: Any = None
    ) -> Request | Response:
        """Return the response, or the request for a retry."""
        if response.status in _BUSY and _wait(response, request) > self._longest:
            return response
        return super().process_response(request, response)

    def _pause(self, response: Response, request: Request) -> None:
        """Block the host until it accepts requests again; called before its next request starts."""
        if response.status not in _BUSY or (seconds := _wait(response, request)) > self._longest:
            return
        engine = self.crawler.engine
        assert engine is not None
        slot = engine.downloader.slots.get(request.meta.get("download_slot", ""))
        if slot is not None:
            slot.lastseen = time.monotonic() + seconds


class Unpacking:
    """Remembers the headers that a response loses when it is decompressed."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Store the original headers."""
        request.meta["packing"] = [
            (name, value.decode("latin-1"))
            for name in ("Content-Encoding", "Content-Length")
            if (value := response.headers.get(name)) is not None
        ]
        return response


def _wait(response: Response, request: Request) -> float:
    header = (response.headers.get("Retry-After") or b"").decode("latin-1")
    return seconds_to_wait(header, int(request.meta.get("retry_times", 0)))


#: Bytes of robots.txt that are read: the minimum that RFC 9309 requires.
_ROBOTS_BYTES = 500 * 2**10
#: CPU seconds for parsing it: each rule is stored for each of the agents above it.
_ROBOTS_SECONDS = 2


class RobotsError(IgnoreRequest):
    """robots.txt forbids a URL, or cannot be read."""


class RobotRules(RobotParser):
    """The rules of one robots.txt, parsed by Protego."""

    def __init__(self, rules: RobotParser) -> None:
        self._rules = rules

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        """Return the rules, for Scrapy. Raises RobotsError."""
        try:
            with computing_at_most(_ROBOTS_SECONDS):
                return cls(ProtegoRobotParser.from_crawler(crawler, robotstxt_body[:_ROBOTS_BYTES]))
        except TooLongError as error:
            raise RobotsError(f"to read it takes {error}") from None

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Say whether an agent may request a URL."""
        return self._rules.allowed(url, user_agent)


class CheckedHosts:
    """A crawl's address policy, its own local server, and why hosts were refused."""

    def __init__(self, policy: AddressPolicy, server: tuple[str, int] | None = None) -> None:
        self.policy, self.server = policy, server
        self.refused: dict[str, str] = {}

    def __deepcopy__(self, known: object) -> CheckedHosts:
        """Return the same object, although Scrapy deep-copies its settings."""
        return self

    def check(self, host: str, port: int, addresses: Sequence[str]) -> bool:
        """Say whether all addresses of a host may be connected to; if not, remember why."""
        if (host, port) == self.server:
            return True
        try:
            for address in addresses:
                self.policy.check_address(host, ipaddress.ip_address(address.partition("%")[0]))
        except AddressRefusedError as error:
            self.refused[host] = str(error)
            return False
        self.refused.pop(host, None)
        return True


@implementer(IResolutionReceiver)
class _Collector:
    """Holds addresses back until all have arrived: if one is refused, the name gets none."""

    def __init__(self, receiver: Any, hosts: CheckedHosts, host: str, port: int) -> None:
        self._receiver, self._hosts, self._host, self._port = receiver, hosts, host, port
        self._addresses: list[Any] = []

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802  # Twisted's name
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        self._addresses.append(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        texts = [str(getattr(address, "host", "")) for address in self._addresses]
        if self._hosts.check(self._host, self._port, texts):
            for address in self._addresses:
                self._receiver.addressResolved(address)
        self._receiver.resolutionComplete()


@implementer(IHostnameResolver)
class CheckedResolver:
    """Resolves IPv4 and IPv6 like the system, but returns only addresses that `CheckedHosts` allows."""

    def __init__(self, reactor: Any, hosts: CheckedHosts) -> None:
        self._reactor, self._hosts = reactor, hosts
        self._system: Any = reactor.nameResolver

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> CheckedResolver:
        """Return the resolver of a crawl, for Scrapy."""
        return cls(reactor, crawler.settings["CHECKED_HOSTS"])

    def install_on_reactor(self) -> None:
        """Replace the system's resolver."""
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Any = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        """Resolve a name, and check the addresses."""
        receiver = _Collector(resolutionReceiver, self._hosts, hostName, portNumber)
        return self._system.resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)


_DOWNLOADER = "scrapy.downloadermiddlewares"
_SPIDER = "scrapy.spidermiddlewares"
#: Minimum seconds between two requests to a host: without any, Scrapy 2.19 may start two at once.
_LEAST_DELAY = 0.001


def scrapy_settings(options: CrawlOptions, hosts: CheckedHosts) -> dict[str, Any]:
    """Return the settings of a crawl that connects to `hosts`."""
    return {
        "USER_AGENT": options.user_agent,
        "ROBOTSTXT_OBEY": True,
        "ROBOTSTXT_USER_AGENT": options.agent,
        "ROBOTSTXT_PARSER": "silverloom.ops.crawl.middlewares.RobotRules",
        "AUTOTHROTTLE_ENABLED": options.delay > 0,
        "AUTOTHROTTLE_START_DELAY": options.delay,
        "AUTOTHROTTLE_TARGET_CONCURRENCY": float(options.host_connections),
        "DOWNLOAD_DELAY": max(options.delay, _LEAST_DELAY),
        "CONCURRENT_REQUESTS": options.connections,
        "CONCURRENT_ITEMS": 1,  # there are no items, and Scrapy creates this many tasks per response
        "CONCURRENT_REQUESTS_PER_DOMAIN": options.host_connections,
        "DOWNLOAD_SLOTS": {host: {"delay": _LEAST_DELAY, "concurrency": 1} for host in options.serve},
        "DOWNLOAD_TIMEOUT": options.timeout,
        "DOWNLOAD_MAXSIZE": options.page_bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "RETRY_TIMES": options.retries,
        "RETRY_ENABLED": True,
        "LONGEST_WAIT": options.longest_wait,
        "REDIRECT_ENABLED": True,
        "REDIRECT_MAX_TIMES": options.redirects,
        "METAREFRESH_ENABLED": False,
        "COOKIES_ENABLED": False,
        "HTTPPROXY_ENABLED": False,  # a proxy would resolve names itself, unchecked
        "EXTENSIONS": dict.fromkeys(  # disabled: they listen on ports
            ("scrapy.extensions.telnet.TelnetConsole", "scrapy.extensions.remote_control.RemoteControl")
        ),
        "LOG_LEVEL": "ERROR",
        "TWISTED_DNS_RESOLVER": "silverloom.ops.crawl.middlewares.CheckedResolver",
        "DNSCACHE_ENABLED": False,
        "HTTPERROR_ALLOW_ALL": True,
        "DOWNLOAD_HANDLERS": dict.fromkeys(("data", "file", "ftp", "s3")),
        "DOWNLOADER_MIDDLEWARES": {
            "silverloom.ops.crawl.middlewares.Guard": 50,
            f"{_DOWNLOADER}.robotstxt.RobotsTxtMiddleware": None,
            "silverloom.ops.crawl.middlewares.Robots": 100,
            f"{_DOWNLOADER}.retry.RetryMiddleware": None,
            "silverloom.ops.crawl.middlewares.PatientRetry": 550,
            "silverloom.ops.crawl.middlewares.Unpacking": 595,
        },
        "SPIDER_MIDDLEWARES": dict.fromkeys(
            (
                f"{_SPIDER}.depth.DepthMiddleware",
                f"{_SPIDER}.urllength.UrlLengthMiddleware",
                f"{_SPIDER}.referer.RefererMiddleware",
            )
        ),
        "CHECKED_HOSTS": hosts,
        "SERVED_HOSTS": frozenset(options.serve),
    }
