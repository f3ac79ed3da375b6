"""Which URLs a crawl requests, level by level: first the listed ones, then the links of their pages.

Belongs here: the order, removing duplicates, the limit on pages. Not here: requests (spider.py).

A level starts when the one before it is finished. So the requested URLs, and the order in which they are
written, depend on the pages alone, not on which of them arrived first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from w3lib.url import canonicalize_url

from silverloom.ops.crawl.journal import UrlOutcome
from silverloom.ops.crawl.options import CrawlOptions

#: URLs over the page limit that are deduplicated. Beyond this number, each link counts.
TOLD_APART = 100_000


class PageRequest(NamedTuple):
    """A URL to request."""

    url: str
    depth: int = 0
    found_on: str | None = None


@dataclass
class Frontier:
    """The levels of a crawl. `entries` has the outcomes so far, and grows with each level."""

    listed: Sequence[str]
    options: CrawlOptions
    entries: Mapping[str, UrlOutcome]
    left_out: int = 0
    """URLs over the page limit so far; see TOLD_APART."""
    asked: int = 0
    """URLs in the levels so far, including listings."""
    _listings: int = 0
    _seen: set[str] = field(default_factory=set)

    def levels(self) -> Iterator[list[PageRequest]]:
        """Yield each level; the URLs of one level must have entries before the next is taken."""
        level = self._fresh(PageRequest(url) for url in self.listed)
        while level:
            yield level
            if level[0].depth == self.options.depth:
                return
            level = sorted(self._fresh(self._linked(level)))

    def _linked(self, level: Sequence[PageRequest]) -> Iterator[PageRequest]:
        for page in level:
            if (entry := self.entries.get(page.url)) is not None:
                for link in entry.links:
                    yield PageRequest(link, page.depth + 1, page.url)

    def _fresh(self, pages: Iterable[PageRequest]) -> list[PageRequest]:
        fresh: list[PageRequest] = []
        for page in pages:
            if self.left_out >= TOLD_APART:
                self.left_out += 1
                continue
            if (key := same(page.url)) in self._seen:
                continue
            self._seen.add(key)
            entry = self.entries.get(page.url)
            if entry is not None and entry.fate == "listing":
                self._listings += 1
            elif self.asked - self._listings >= self.options.pages:
                self.left_out += 1
                continue
            self.asked += 1
            fresh.append(page)
        return fresh


@lru_cache(50_000)  # called several times for each URL, and as expensive as a request's headers
def same(url: str) -> str:
    """Return a canonical form of a URL, which ignores its fragment and the order of query fields.

    A fragment with a range of bytes is kept. Anything but a web URL (a query, a path) is returned unchanged.
    """
    if not url.lower().startswith(("http://", "https://")):
        return url
    try:
        return str(canonicalize_url(url, keep_blank_values=True, keep_fragments="#bytes=" in url))
    except ValueError:  # invalid port, brackets or letters: the request will be rejected
        return url
