"""The links of a page, read in a child process with limits: a page may be built to be slow to read.

Belongs here: finding the links of a page. Not here: choosing which to request (frontier.py).
"""

from __future__ import annotations

import gc
import itertools
from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit

from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from w3lib.encoding import resolve_encoding

from silverloom.ops.parse.bounded import Bounds
from silverloom.ops.parse.source import ParseError, Raw

#: Limits for reading one page. Pages are read one after the other, so a slow one delays all others.
BOUNDS = Bounds(seconds=5, memory=2**30, output=2**25, patience=120)

#: Maximum link elements examined per page, links that may be followed, and length of an address.
_LOOKED_AT, _LINKS, _LONGEST = 10_000, 5_000, 2_083
#: Pages larger than this trigger a garbage collection first.
_LARGE = 2**17

#: The encodings of the WHATWG standard, and the names of UTF-16, in w3lib's spelling.
_BROWSERS_KNOW = frozenset(
    resolve_encoding(name)
    for name in (
        *(
            "utf-8",
            "utf-16",
            "utf-16be",
            "utf-16le",
            "ibm866",
            "koi8-r",
            "koi8-u",
            "macintosh",
            "mac-cyrillic",
        ),
        *(f"iso-8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
        *(f"windows-{page}" for page in (874, *range(1250, 1259))),
        *("gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr"),
    )
)


class LinkRules(NamedTuple):
    """Rules for which links of a page may be followed."""

    follow: tuple[str, ...]
    skip: tuple[str, ...]
    same_host: bool


def may_link(body: bytes) -> bool:
    """Say whether HTML may contain links, in any encoding. Skipping others saves a third of their cost."""
    return b"href" in body.lower() or b"\0" in body


def links_of(page: Raw, rules: LinkRules) -> tuple[str, ...]:
    """Return the links of a page that may be followed, in page order, each once.

    `page.path` is its address, and its companions have its `content_type`. Raises ParseError if the page's
    base address is invalid.
    """
    if len(page.content) > _LARGE:
        gc.collect()  # a response and its tree reference each other, so large pages would pile up
    try:
        response = _response(page)
        for element in itertools.islice(response.selector.root.iter("a", "area"), _LOOKED_AT, None):
            element.attrib.pop("href", None)
        links = _extractor(rules).extract_links(response)
    except ValueError as error:
        raise ParseError(f"the base address of its links, in <base>, is invalid: {error}") from error
    urls = [link.url.partition("#")[0] for link in links[:_LINKS]]
    host = urlsplit(page.path).hostname
    return tuple(
        dict.fromkeys(
            link
            for link in urls
            if len(link) <= _LONGEST and (not rules.same_host or urlsplit(link).hostname == host)
        )
    )


def _response(page: Raw) -> HtmlResponse:
    """Return a page in its encoding. Encodings unknown to browsers are Python's own and may be very slow."""
    headers = {"Content-Type": page.companions["content_type"].encode("latin-1")}
    response = HtmlResponse(page.path, headers=headers, body=page.content)
    if response.encoding in _BROWSERS_KNOW:
        return response
    return HtmlResponse(page.path, body=page.content, encoding="utf-8")


@cache
def _extractor(rules: LinkRules) -> LinkExtractor:
    return LinkExtractor(allow=rules.follow, deny=rules.skip, deny_extensions=())
