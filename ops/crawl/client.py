"""HTTP requests with a crawl's limits, for listings, indexes, ranges of files and search engines.

Belongs here: limits on the time and size of responses, retries, waiting as long as a server demands, checked
redirects. Not here: crawls of pages (spider.py), the meaning of a response (collections/, search.py).
"""

from __future__ import annotations

import contextlib
import email.utils
import ipaddress
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.client import responses
from typing import Any
from urllib.parse import urljoin, urlsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError
from urllib3.response import HTTPResponse

from silverloom.ops.crawl.addresses import AddressPolicy
from silverloom.ops.crawl.options import CrawlOptions

_CHUNK = 2**16
_AGAIN = frozenset({429, 500, 502, 503, 504})
_HARMLESS = frozenset({"Range", "Accept-Encoding", "If-None-Match", "If-Modified-Since"})
_UNCHANGED = 304
#: The whole size in the response to a range. Python refuses to parse numbers with thousands of digits.
_WHOLE = re.compile(r"bytes 0-0/([0-9]{1,18})")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class FetchError(ValueError):
    """A resource cannot be fetched; the message says why."""


class UnavailableError(FetchError):
    """A server is busy or broken (429, 5xx), even after all retries of the request."""


class UnchangedError(FetchError):
    """A resource that was requested conditionally has not changed."""


@dataclass
class Client:
    """Requests URLs as `user_agent`; size limits apply to the decompressed response."""

    user_agent: str
    policy: AddressPolicy = field(default_factory=AddressPolicy)
    timeout: float = 60.0
    """Seconds for one whole response."""
    most_bytes: int = 2**30
    retries: int = 3
    longest_wait: float = 300.0
    delay: float = 0.0
    """Minimum seconds between two requests."""
    redirects: int = 5
    connections: int = 1
    """Connections kept open per host, for as many threads."""
    validators: Mapping[str, str] = field(default_factory=dict, init=False)
    """`etag` and `last_modified` of the latest response, for conditional requests."""
    _asked: float = field(default=-1e9, init=False)
    _turn: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._pools = urllib3.PoolManager(retries=False, maxsize=self.connections)
        self._pools.pool_classes_by_scheme = _pools(self.policy)

    @classmethod
    def of(cls, options: CrawlOptions, most_bytes: int) -> Client:
        """Return the client of a crawl, with this limit on the size of responses."""
        return cls(
            options.user_agent,
            AddressPolicy(options.allow),
            options.timeout,
            most_bytes,
            options.retries,
            options.longest_wait,
            options.delay,
            options.redirects,
            options.host_connections,
        )

    def read(self, url: str, headers: Mapping[str, str] | None = None) -> bytes:
        """Return a whole response. Raises FetchError."""
        return b"".join(self.stream(url, headers))

    def stream(self, url: str, headers: Mapping[str, str] | None = None, due: int = 200) -> Iterator[bytes]:
        """Yield a response of status `due` in pieces. Raises FetchError, also between pieces."""
        response, end = self._answer(url, headers or {}, due)
        told = {"etag": response.headers.get("ETag"), "last_modified": response.headers.get("Last-Modified")}
        self.validators = {name: value for name, value in told.items() if value}
        yield from self._pieces(url, response, end)

    def _pieces(self, url: str, response: Any, end: float) -> Iterator[bytes]:
        """Yield a response in pieces. Raises FetchError if it is too large, cut off or late."""
        size = 0
        with contextlib.closing(response), self._explained(url, end), _ended(end, response.shutdown):
            for chunk in response.stream(_CHUNK, decode_content=True):
                size += len(chunk)
                if size > self.most_bytes:
                    raise FetchError(f"{url}: more than {self.most_bytes} bytes, unpacked")
                if time.monotonic() > end:
                    break
                yield chunk
            if time.monotonic() > end:  # a response of unknown length looks complete when it is cut off
                raise TimeoutError

    def range(
        self, url: str, offset: int, length: int | None, conditions: Mapping[str, str] | None = None
    ) -> Iterator[bytes]:
        """Yield a range of a file, to its end if `length` is None. Raises FetchError."""
        last = "" if length is None else offset + length - 1
        headers = {**(conditions or {}), "Range": f"bytes={offset}-{last}", "Accept-Encoding": "identity"}
        size = 0
        for chunk in self.stream(url, headers, due=206):
            size += len(chunk)
            if length is not None and size > length:
                break
            yield chunk
        if length is not None and size != length:
            more = "more than " if size > length else ""
            raise FetchError(
                f"{url}: {more}{min(size, length)} bytes from {offset} on, but {length} were requested"
            )

    def size(self, url: str) -> int:
        """Return the size in bytes of a file that supports ranges. Raises FetchError."""
        headers = {"Range": "bytes=0-0", "Accept-Encoding": "identity"}
        response, _ = self._answer(url, headers, 206)
        response.close()
        told = str(response.headers.get("Content-Range", ""))
        match = _WHOLE.fullmatch(told)
        if match is None:
            raise FetchError(f"{url}: its answer to a range does not tell its size: {told:.80}")
        return int(match[1])

    def _answer(self, url: str, headers: Mapping[str, str], due: int) -> tuple[Any, float]:
        """Return the response after redirects and retries, with an unread body, and its deadline."""
        place, hops, tries = url, 0, 0
        while True:
            response, end = self._ask(place, headers)
            if response.status == due:
                return response, end
            wait = seconds_to_wait(response.headers.get("Retry-After", ""), tries)
            location = response.headers.get("Location")
            status = response.status
            response.close()
            if status == _UNCHANGED:
                raise UnchangedError(f"{url}: unchanged")
            if status in _REDIRECTS and location:
                with self._explained(url, end):
                    former, place, hops = place, urljoin(place, location), hops + 1
                if urlsplit(former)[:2] != urlsplit(place)[:2]:  # keep secrets to one scheme and host
                    headers = {name: value for name, value in headers.items() if name in _HARMLESS}
                if hops > self.redirects:
                    raise FetchError(f"{url}: more than {self.redirects} redirects")
            elif status in _AGAIN and tries < self.retries and wait <= self.longest_wait:
                tries += 1
                time.sleep(wait)
            else:
                kind = UnavailableError if status in _AGAIN else FetchError
                raise kind(f"{url}: status {status} {responses.get(status, '')}".rstrip())

    def _ask(self, url: str, headers: Mapping[str, str]) -> tuple[Any, float]:
        with self._turn:  # threads take turns, but wait at the same time
            now = time.monotonic()
            self._asked = max(now, self._asked + self.delay)
            wait = self._asked - now
        time.sleep(wait)
        end = time.monotonic() + self.timeout
        sent = {"User-Agent": self.user_agent, "Accept-Encoding": "gzip, br", **headers}
        with self._explained(url, end):
            self.policy.check_url(url)
            response = self._pools.request(
                "GET",
                url,
                headers=sent,
                redirect=False,
                preload_content=False,
                timeout=self.timeout,
            )
            return response, end

    @contextlib.contextmanager
    def _explained(self, url: str, end: float) -> Iterator[None]:
        """Turn exceptions of libraries into FetchError; most of them raise ValueError for an invalid URL."""
        try:
            yield
        except FetchError:
            raise
        except (HTTPError, ValueError, TimeoutError) as error:
            late = time.monotonic() > end
            cause = f"no whole answer within {self.timeout:g} seconds" if late else _cause(error)
            raise FetchError(f"{url}: {cause}") from error


@contextlib.contextmanager
def _ended(end: float, shutdown: Callable[[], None]) -> Iterator[None]:
    """Shut down a socket at a deadline: a connection that receives a byte now and then never times out."""

    def shut() -> None:
        with contextlib.suppress(OSError, ValueError, RuntimeError):  # already closed
            shutdown()

    timer = threading.Timer(max(0.0, end - time.monotonic()), shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _pools(policy: AddressPolicy) -> dict[str, type[HTTPConnectionPool]]:
    """Return connection pools that connect only to addresses that the policy allows."""

    class Plain(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            return _connected(policy, self)

        def getresponse(self) -> HTTPResponse:  # type: ignore[override]
            with _ended(time.monotonic() + (self.timeout or 0), partial(self.sock.shutdown, socket.SHUT_RD)):
                return super().getresponse()

    class Secure(Plain, HTTPSConnection):
        pass

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}


def _connected(policy: AddressPolicy, connection: HTTPConnection) -> socket.socket:
    """Connect to the address that was checked: resolving the name again may give another one."""
    host, port = connection.host, connection.port
    try:
        addresses = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # a label of more than 63 letters cannot be encoded
        raise HTTPError(f"the name {host} has no address") from error
    for *_, place in addresses:
        policy.check_address(host, ipaddress.ip_address(str(place[0]).partition("%")[0]))
    timeout = connection.timeout if isinstance(connection.timeout, (int, float)) else None
    try:
        return socket.create_connection((str(addresses[0][-1][0]), port), timeout)
    except OSError as error:
        raise HTTPError(f"{host} cannot be connected to: {error.strerror or error}") from error


def _cause(error: BaseException) -> str:
    while (reason := getattr(error, "reason", None)) is not None and isinstance(reason, BaseException):
        error = reason
    return " ".join(str(error).split()) or type(error).__name__


def seconds_to_wait(retry_after: str, tries: int) -> float:
    """Return the seconds of a Retry-After header, which is a number or a date.

    Without the header, returns one second, doubled for each previous try.
    """
    value = retry_after.strip()
    if value.isascii() and value.isdecimal():
        return float(value)  # infinite for more than 308 digits
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):  # a year with very many digits
        return float(2**tries)
