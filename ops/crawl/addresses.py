"""Which addresses a crawl may connect to.

Belongs here: telling public addresses from those of this machine and its network, in every way of writing
them. Not here: looking names up, and when it is asked (middlewares.py, client.py).

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

#: All of IPv6 that is assigned to public hosts; of it, what IANA's registry of special purposes takes out.
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_SPECIAL = [ipaddress.IPv6Network(text) for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]
#: Public IPv4 hosts, as a network of IPv6 alone sees them (RFC 6052): the last 32 bits are their address.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


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
        # A name may lead anywhere: what a network allows must be written as an address.
        if literal(host) and any(
            place in network for place in (address, _carried(address)) for network in self._networks
        ):
            return
        if not _is_public(address):
            at = "" if literal(host) == address else f" of {host}"
            raise AddressRefusedError(f"the address {address}{at} is {_kind(address)}")


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


def _is_public(address: IpAddress) -> bool:
    """Say whether an address is that of one public host; of NAT64, whether the host behind it is public."""
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast
    if address in _NAT64:
        return _is_public(_carried(address))
    return address in _GLOBAL_UNICAST and not any(address in network for network in _SPECIAL)


def _carried(address: IpAddress) -> IpAddress:
    """Return the IPv4 address that an IPv6 address stands for (mapped, NAT64), else the address."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address


def _kind(address: IpAddress) -> str:
    """Return what an address is that is not public."""
    plain = _carried(address)
    kinds = ("unspecified", "loopback", "link_local", "multicast", "private")
    found = (kind.replace("_", "-") for kind in kinds if getattr(plain, f"is_{kind}"))
    return next(found, "not public")


def _normal(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()
