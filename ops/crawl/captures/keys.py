"""The key that addresses have in Common Crawl's index: SURT, by which it is sorted.

Belongs here: what captures of an address are found by. Not here: the index (index.py).

Rules are those of the Internet Archive's canonicalizer (WaybackURLKeyMaker of webarchive-commons), as far as
they are documented; what an address has by no rule of these is found by the address as it is (`bare`).
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

_WWW = re.compile(r"www\d*\.")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_SESSION = re.compile(
    r"(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)
_PATH_SESSION = re.compile(r";jsessionid=[0-9a-z]{32}$")
_DEFAULT_PORTS = {"http": 80, "https": 443}
#: How often an escape is undone: `%252541` is `A`.
_UNESCAPED = 5


class AddressKeys(NamedTuple):
    """What captures of an address are found by."""

    surt: str
    bare: str
    """The address without its scheme and fragment."""

    @property
    def host(self) -> str:
        """The host, and a port that is not the scheme's, as SURT begins: `com,example`."""
        return self.surt.partition(")")[0]


def keys_of(url: str) -> AddressKeys:
    """Return the keys of an address of the web. Raises ValueError for what is none.

    >>> keys_of("https://www.example.com/A/?b=2&a=1#c")
    AddressKeys(surt='com,example)/a?a=1&b=2', bare='www.example.com/A/?b=2&a=1')
    """
    parts = urlsplit(url)
    bare = _SCHEME.sub("", url.partition("#")[0], count=1)
    path = _PATH_SESSION.sub("", _escaped(parts.path or "/").lower())
    path = path.removesuffix("/") or "/"
    query = _SESSION.sub("", _escaped(parts.query).lower()).removesuffix("&")
    sorted_query = "&".join(sorted(query.split("&")))
    return AddressKeys(f"{_host(parts)}){path}{'?' if sorted_query else ''}{sorted_query}", bare)


def _host(parts: SplitResult) -> str:
    """Return the host in reverse, without `www`. Raises ValueError for what is none."""
    name = (parts.hostname or "").rstrip(".")
    if not name.isascii():
        name = name.encode("idna").decode()  # a UnicodeError is a ValueError
    port = parts.port
    name = _WWW.sub("", name, count=1) if _WWW.match(name) else name
    host = name if ":" in name else ",".join(reversed(name.split(".")))
    return host if port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f"{host}:{port}"


def _escaped(text: str) -> str:
    """Return a path or query with those signs escaped alone that must be."""
    content = text.encode(errors="replace")
    for _ in range(_UNESCAPED):
        former, content = content, unquote_to_bytes(content)
        if former == content:
            break
    return "".join(
        chr(byte) if 0x20 < byte < 0x7F and byte not in b"#%" else f"%{byte:02x}" for byte in content
    )
