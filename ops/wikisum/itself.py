"""Whether a page is the article itself: an encyclopedia is no reference of its own.

Belongs here: which page an address names. Not here: copies under other addresses (clones.py), where a crawl
was led to (references.py).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

#: Behind this MediaWiki has the name of a page, which may have slashes.
_PAGE = re.compile(r"/(?:wiki|index\.php)/(?!index\.php\b)(.+)")
_SUFFIX = re.compile(r"\.html?$", re.IGNORECASE)
#: What stands between the title of a page and the name of its site.
_DASHES = (" - ", " \u2013 ", " \u2014 ")
_SPACES = re.compile(r"[\s_\u2010-\u2015\u2212-]+")


def is_itself(address: str, title: str, hosts: Sequence[str]) -> bool:
    """Return whether an address on the encyclopedia's hosts, or below them, names the article of a title.

    Hosts of mobile readers and of other languages are below them. What is asked for beside the page (a
    fragment, `redirect=no`) does not count, nor do case and how words are joined ("_", "-"); other signs do:
    "C++" is not "C". A site that is no MediaWiki names a page by the end of its path, "/salt-bread.html".
    """
    parts = _on(address, hosts)
    return parts is not None and _folded(_page(parts, title.count("/"))) == _folded(title)


def is_titled(address: str, page_title: str, title: str, hosts: Sequence[str]) -> bool:
    """Return whether a page on the encyclopedia's hosts has an article's title, under whatever address.

    MediaWiki shows an article under the names that redirect to it, too. Behind its title a page may have the
    name of the site: "Salt bread - Wikipedia".
    """
    names = {page_title, *(page_title.rpartition(dash)[0] for dash in _DASHES)}
    return _on(address, hosts) is not None and _folded(title) in map(_folded, names - {""})


def _on(address: str, hosts: Sequence[str]) -> SplitResult | None:
    """Return the parts of an address on some hosts, or below them; None for another."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return None
    return parts if any(host == name or host.endswith(f".{name}") for name in hosts) else None


def _page(parts: SplitResult, slashes: int) -> str:
    """Return what an address calls its page; a site that is no MediaWiki has as many slashes as asked for."""
    if found := _PAGE.search(parts.path):
        return unquote(found[1])
    if titles := parse_qs(parts.query).get("title"):
        return titles[-1]
    segments = unquote(parts.path).strip("/").split("/")
    return _SUFFIX.sub("", "/".join(segments[-slashes - 1 :]))


def _folded(text: str) -> str:
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text).casefold()).strip(" /")
