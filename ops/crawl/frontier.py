"""Which URLs a crawl asks for, level by level: those listed, then the links of what came back.

Belongs here: the order, each URL once, the limit on pages. Not here: asking (spider.py).

A level begins when the one before it is finished. So what is asked for, and the order in which it is written,
depend on the pages alone, not on which of them came first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from w3lib.url import canonicalize_url

from ops.crawl.journal import UrlOutcome
from ops.crawl.options import CrawlOptions

#: URLs over the limit of pages that are told apart. Of more, each counts as often as it is linked to.
TOLD_APART = 100_000


class PageRequest(NamedTuple):
    """A URL to be asked for."""

    url: str
    depth: int = 0
    found_on: str | None = None


@dataclass
class Frontier:
    """The levels of a crawl. `entries` holds what is known of the URLs, and grows from level to level."""

    listed: Sequence[str]
    options: CrawlOptions
    entries: Mapping[str, UrlOutcome]
    left_out: int = 0
    """How many URLs were over the limit of pages, so far; see TOLD_APART."""
    asked: int = 0
    """How many URLs the levels hold, so far, listings included."""
    _listings: int = 0
    _seen: set[str] = field(default_factory=set)

    def levels(self) -> Iterator[list[PageRequest]]:
        """Yield each level; before the next is asked for, the URLs of the last must have entries."""
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


@lru_cache(50_000)  # asked for several times of each URL, and as costly as a request's headers
def same(url: str) -> str:
    """Return what URLs have in common that differ in a fragment or in the order of the query's fields.

    A fragment that names a range of bytes counts. What is no URL of a page (a query, a path) is the same as
    itself alone.
    """
    if not url.lower().startswith(("http://", "https://")):
        return url
    try:
        return str(canonicalize_url(url, keep_blank_values=True, keep_fragments="#bytes=" in url))
    except ValueError:  # of a port, of brackets, of letters: who asks for it rejects it
        return url
