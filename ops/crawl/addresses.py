"""Which addresses a crawl may connect to.

Belongs here: distinguishing public addresses from those of this machine and its network, however they are
written. Not here: name resolution, and when to check (middlewares.py, client.py).

A page may send a crawler anywhere: to http://169.254.169.254/ by a redirect, to 127.0.0.1 by a DNS name of
its own. So each URL is checked as written, and each IP address again when connecting.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from typing import TypeAlias
from urllib.parse import urlsplit

IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

#: All IPv6 assigned to public hosts, and the ranges in it that IANA's registry of special purposes excludes.
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_SPECIAL = [ipaddress.IPv6Network(text) for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]
#: Public IPv4 hosts as seen from an IPv6-only network (RFC 6052): the last 32 bits are the IPv4 address.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class AddressRefusedError(ValueError):
    """A URL, or the address of its host, may not be requested; the message says why."""


class AddressPolicy:
    """Allows public addresses and those in `allow`: host names; for literal URLs, addresses and networks."""

    def __init__(self, allow: Iterable[str] = ()) -> None:
        self._hosts: set[str] = set()
        self._networks: list[_Network] = []
        for name in allow:
            try:
                self._networks.append(ipaddress.ip_network(name))
            except ValueError:
                self._hosts.add(_normal(name))

    def check_url(self, url: str) -> str:
        """Return the host of a URL. Raises AddressRefusedError if the URL itself is refused."""
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
        """Raise AddressRefusedError if a host's address is neither public nor allowed."""
        if _normal(host) in self._hosts:
            return
        # A name may resolve to anything, so allowed networks apply only to addresses written in the URL.
        if literal(host) and any(
            place in network for place in (address, _carried(address)) for network in self._networks
        ):
            return
        if not _is_public(address):
            at = "" if literal(host) == address else f" of {host}"
            raise AddressRefusedError(f"the address {address}{at} is {_kind(address)}")


def literal(host: str) -> IpAddress | None:
    """Return the IP address that a host is written as, or None for a name.

    All notations of the C library count: 2130706433, 0x7f.1, 0177.0.0.1 and 127.1 are all 127.0.0.1.
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


def _is_public(address: IpAddress) -> bool:
    """Say whether an address is that of one public host; for NAT64, the host behind it counts."""
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast
    if address in _NAT64:
        return _is_public(_carried(address))
    return address in _GLOBAL_UNICAST and not any(address in network for network in _SPECIAL)


def _carried(address: IpAddress) -> IpAddress:
    """Return the IPv4 address in an IPv6 address (mapped, NAT64), or else the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address


def _kind(address: IpAddress) -> str:
    """Return the kind of an address that is not public."""
    plain = _carried(address)
    kinds = ("unspecified", "loopback", "link_local", "multicast", "private")
    matching_kinds = (kind.replace("_", "-") for kind in kinds if getattr(plain, f"is_{kind}"))
    return next(matching_kinds, "not public")


def _normal(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()
