"""A crawl of what a search finds: lists of queries, each of which leads to pages of the web.

Belongs here: from queries to the URLs of results, and the ranks of a page. Not here: the search itself
(search/), asking for the pages (spider.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from pydantic import Field

from ops.crawl.client import Client, FetchError
from ops.crawl.frontier import same
from ops.crawl.journal import Journal, UrlOutcome
from ops.crawl.listing import list_lines
from ops.crawl.options import CrawlOptions
from ops.crawl.recrawl import FormerVersion
from ops.crawl.search.http_api import HttpSearch, HttpSearchParams


class SearchOptions(HttpSearchParams, CrawlOptions):
    """Of a search: a line is a query; its results are asked for as pages of a list are."""

    depth: int = Field(default=1, ge=1, description="1: the results alone")
    k: int = Field(default=10, gt=0, description="how many results of a query are asked for")
    listing_bytes: int = Field(default=2**30, gt=0, description="a larger answer, unpacked, is rejected")

    @property
    def keys(self) -> tuple[str, ...]:
        """The key of the provider."""
        return (self.key_variable,) if self.key_variable else ()


def list_results(
    queries: Sequence[str],
    options: SearchOptions,
    journal: Journal,
    former: FormerVersion,
    tell: Callable[[int, int], None],
) -> None:
    """Write down the results of each query, the best first, but for queries whose results the journal has."""
    provider = HttpSearch(options, Client.of(options, options.listing_bytes))

    def results(query: str) -> list[str]:
        hits = provider.search(query, options.k)
        if not hits:
            raise FetchError(f"nothing is found for {query!r}")
        return [hit.url for hit in hits]

    listed = {line for line, entry in journal.entries.items() if entry.fate == "listing"}
    list_lines([query for query in queries if query not in listed], results, journal, former, tell)


def ranks(queries: Sequence[str], entries: Mapping[str, UrlOutcome]) -> dict[str, dict[str, int]]:
    """Return the rank of each page by the query that found it; pages by what their URLs have in common."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for query in queries:
        results = entries[query].links if query in entries else ()
        for rank, url in enumerate(results, start=1):
            found[same(url)].setdefault(query, rank)
    return found
