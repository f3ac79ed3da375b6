"""Which addresses a crawl may connect to.

Belongs here: telling public addresses from those of this machine and its network, in every way of writing
them. Not here: looking names up (resolver.py), and when it is asked (middlewares.py, client.py).

A page may send its reader anywhere: to http://169.254.169.254/ by a redirect, to 127.0.0.1 by a name of its
own. So each URL is checked as it is written, and each address again at the moment of connecting to it.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from typing import TypeAlias
from urllib.parse import urlsplit

IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

#: IPv6 with an IPv4 address in its last 32 bits: RFC 6052, RFC 8215, the compatible ones of RFC 4291.
_CARRIERS = [ipaddress.IPv6Network(text) for text in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96")]


class AddressRefusedError(ValueError):
    """A URL, or the address that its host has, is none that the crawl may ask; the text says why."""


class AddressPolicy:
    """Public addresses, and what `allow` names: hosts; addresses and networks, for URLs without a name."""

    def __init__(self, allow: Iterable[str] = ()) -> None:
        self._hosts: set[str] = set()
        self._networks: list[_Network] = []
        for name in allow:
            try:
                self._networks.append(ipaddress.ip_network(name))
            except ValueError:
                self._hosts.add(_normal(name))

    def check_url(self, url: str) -> str:
        """Return the host of a URL. Raises AddressRefusedError for one that is refused as it stands."""
        try:
            parts = urlsplit(url)
            host, _ = _normal(parts.hostname or ""), parts.port
        except ValueError as error:
            raise AddressRefusedError(f"no URL: {error}") from None
        if parts.scheme not in ("http", "https"):
            raise AddressRefusedError(f"the scheme {parts.scheme!r} is neither http nor https")
        if not host:
            raise AddressRefusedError("the URL has no host")
        if parts.username is not None:
            raise AddressRefusedError("the URL holds a user name")
        if (address := literal(host)) is not None:
            self.check_address(host, address)
        elif (host == "localhost" or host.endswith(".localhost")) and host not in self._hosts:
            raise AddressRefusedError(f"{host} is this machine")
        return host

    def check_address(self, host: str, address: IpAddress) -> None:
        """Raise AddressRefusedError where a host has an address that is neither public nor allowed."""
        if _normal(host) in self._hosts:
            return
        plain = embedded(address)
        # A name may lead anywhere: what a network allows must be written as an address.
        if literal(host) and any(
            place in network for place in (address, plain) for network in self._networks
        ):
            return
        if (fault := _fault(address) or _fault(plain)) is not None:
            at = "" if literal(host) == address else f" of {host}"
            raise AddressRefusedError(f"the address {address}{at} is {fault}")


def literal(host: str) -> IpAddress | None:
    """Return the address that a host is written as, None for a name.

    As the C library reads them: 2130706433, 0x7f.1, 0177.0.0.1 and 127.1 are all 127.0.0.1.
    """
    text = host.strip("[]").partition("%")[0]
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        pass
    try:
        return None if not text or " " in text else ipaddress.IPv4Address(socket.inet_aton(text))
    except (OSError, UnicodeEncodeError):
        return None


def embedded(address: IpAddress) -> IpAddress:
    """Return the IPv4 address inside of an IPv6 address (mapped, 6to4, Teredo, NAT64), else the address."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if int(address) > 1 and any(address in network for network in _CARRIERS):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _fault(address: IpAddress) -> str | None:
    for kind in ("unspecified", "loopback", "link_local", "multicast", "private"):
        if getattr(address, f"is_{kind}"):
            return kind.replace("_", "-")
    carried = isinstance(address, ipaddress.IPv6Address) and embedded(address) != address
    return None if address.is_global or carried else "not public"


def _normal(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()
