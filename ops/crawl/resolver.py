"""Names looked up for a crawl: a connection goes to an address that was checked, and to no other.

Belongs here: the resolver that Scrapy installs in Twisted. Not here: what is allowed (addresses.py).

Twisted asks it for every connection, also where a URL holds an address, and connects to what it answers. So
nothing can change between check and connection, as a name can whose server gives another address each time.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any

from scrapy.crawler import Crawler
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from ops.crawl.addresses import AddressPolicy, AddressRefusedError


class CheckedHosts:
    """The policy of a crawl, its own server on loopback, and why hosts were refused."""

    def __init__(self, policy: AddressPolicy, server: tuple[str, int] | None = None) -> None:
        self.policy, self.server = policy, server
        self.refused: dict[str, str] = {}

    def __deepcopy__(self, known: object) -> CheckedHosts:
        """Stay one, though Scrapy copies its settings."""
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
    """Holds addresses back until all are there: if one is refused, the name has none."""

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
    """Resolves IPv4 and IPv6 as the system does, and gives only what the crawl's `CheckedHosts` let pass."""

    def __init__(self, reactor: Any, hosts: CheckedHosts) -> None:
        self._reactor, self._hosts = reactor, hosts
        self._system: Any = reactor.nameResolver

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> CheckedResolver:
        """Return the resolver of a crawl, as Scrapy asks for it."""
        return cls(reactor, crawler.settings["CHECKED_HOSTS"])

    def install_on_reactor(self) -> None:
        """Take the place of the system's resolver."""
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Any = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        """Look a name up, and check what it is."""
        receiver = _Collector(resolutionReceiver, self._hosts, hostName, portNumber)
        return self._system.resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)
