"""Crawls of search results: lists of queries, whose results are web pages.

Belongs here: getting from queries to URLs of results, the ranks of a page, the queries for an article (its
title, and the headings of its sections); search through any HTTP API that responds with JSON, and the
interface of searches. Not here: search in crawled pages (local_search.py), requesting pages (spider.py),
crawling what is found for articles (cited.py).
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple
from urllib.parse import quote, quote_plus

import pyarrow as pa
from pydantic import AfterValidator, Field, field_validator

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.params import Params
from silverloom.ops.crawl.client import Client, FetchError
from silverloom.ops.crawl.collect import list_lines
from silverloom.ops.crawl.frontier import same
from silverloom.ops.crawl.journal import FormerVersion, Journal, UrlOutcome
from silverloom.ops.crawl.options import SEARCH, CrawlOptions
from silverloom.ops.parse.source import Raw


class Hit(NamedTuple):
    """A search result."""

    url: str
    rank: int
    """Rank from 1."""
    score: float | None
    """The back end's score, if it has one."""


class HttpSearchParams(Params):
    """A search provider, without secrets: the key is in the environment."""

    url: str = Field(pattern=r"^https?://.*\{query\}", description="with {query}, maybe {k}, {offset}, {key}")
    results: str = Field(description="JMESPath to the list of URLs: `web.results[].url`")
    key_variable: str | None = Field(
        default=None, pattern=r"^\w+$", description="the environment variable that holds the key"
    )
    key_header: str | None = Field(default=None, description="the header for the key; else {key} in url")
    page: int = Field(default=100, gt=0, description="the most that the provider gives at once")

    @field_validator("results")
    @classmethod
    def _path(cls, value: str) -> str:
        import jmespath  # late, as below: every command imports the kinds of crawls
        from jmespath.exceptions import JMESPathError

        try:
            jmespath.compile(value)
        except JMESPathError as error:
            raise ValueError(f"no JMESPath: {error}") from None
        return value


@dataclass(frozen=True)
class HttpSearch:
    """A provider that is queried by a client."""

    params: HttpSearchParams
    client: Client

    def search(self, query: str, k: int) -> list[Hit]:
        """Return up to `k` pages in the provider's order, with several requests if the URL has an {offset}.

        Without {offset}, it returns up to `page` results. Raises LookupError if the environment has no key,
        FetchError if a response has no URLs; neither message contains the key.
        """
        pages: dict[str, None] = {}
        offset, paged = 0, "{offset}" in self.params.url
        while len(pages) < k and (paged or not offset):
            size = min(k - len(pages), self.params.page)
            urls = self._answer(query, size, offset)[:size]
            if pages.keys() >= {*urls}:  # the end, or repeated results
                break
            pages |= dict.fromkeys(urls)
            offset += len(urls)
        return [Hit(url, rank, None) for rank, url in enumerate(pages, start=1)]

    def _answer(self, query: str, k: int, offset: int) -> list[str]:
        key = self._key()
        values = {"query": quote_plus(query), "k": str(k), "offset": str(offset), "key": quote_plus(key)}
        url = self.params.url
        for name, value in values.items():
            url = url.replace(f"{{{name}}}", value)
        headers = {self.params.key_header: key} if self.params.key_header else {}
        try:
            urls = self._urls(query, self.client.read(url, headers))
        except FetchError as error:
            raise type(error)(_without(key, str(error))) from _system_error(error)
        if any(_without(key, place) != place for place in urls):
            raise FetchError(f"the answer to {query!r} gives the key away in its URLs")
        return urls

    def _urls(self, query: str, content: bytes) -> list[str]:
        import jmespath

        try:
            urls = jmespath.search(self.params.results, json.loads(content))
        except (ValueError, RecursionError) as error:
            raise FetchError(f"the answer to {query!r} is no JSON: {str(error)[:300]}") from None
        if not isinstance(urls, list) or not all(isinstance(url, str) for url in urls):
            raise FetchError(f"the answer to {query!r} has no URLs at {self.params.results!r}")
        # Lone surrogates are replaced, as in browsers.
        return [url.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for url in urls]

    def _key(self) -> str:
        name = self.params.key_variable
        if name is None:
            return ""
        key = os.environ.get(name, "").strip()
        if not (key and key.isascii() and key.isprintable()):
            raise LookupError(f"the environment variable {name} holds no key for {self.params.url}")
        return key


def _system_error(error: BaseException) -> OSError | None:
    """Return the error of the system that caused another: it decides about retries, and has no key in it."""
    cause = error.__cause__
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__cause__
    return cause


def _without(key: str, text: str) -> str:
    """Return a text with all forms of a key in URLs and headers masked."""
    for form in filter(None, (key, quote_plus(key), quote(key))):
        text = text.replace(form, "***")
    return text


class SearchOptions(HttpSearchParams, CrawlOptions):
    """Options of a search: a line is a query, and its results are requested like listed pages."""

    depth: int = Field(default=1, ge=1, description="1: the results alone")
    k: int = Field(default=10, gt=0, description="how many results of a query are requested")
    listing_bytes: int = Field(default=2**30, gt=0, description="a larger answer, unpacked, is rejected")

    @property
    def keys(self) -> tuple[str, ...]:
        """The variable with the provider's key."""
        return (self.key_variable,) if self.key_variable else ()


def list_results(
    queries: Sequence[str],
    options: SearchOptions,
    journal: Journal,
    former: FormerVersion,
    tell: Callable[[int, int], None],
) -> None:
    """Record the results of each query, the best first, except for queries already in the journal."""
    provider = HttpSearch(options, Client.of(options, options.listing_bytes))

    def results(query: str) -> list[str]:
        hits = provider.search(query, options.k)
        if not hits:
            raise FetchError(f"nothing is found for {query!r}")
        return [hit.url for hit in hits]

    listed = {line for line, entry in journal.entries.items() if entry.fate == "listing"}
    list_lines([query for query in queries if query not in listed], results, journal, former, tell)


def ranks(queries: Sequence[str], entries: Mapping[str, UrlOutcome]) -> dict[str, dict[str, int]]:
    """Return the ranks of each page by query; pages are keyed by canonical URL."""
    page_ranks: dict[str, dict[str, int]] = defaultdict(dict)
    for query in queries:
        results = entries[query].links if query in entries else ()
        for rank, url in enumerate(results, start=1):
            page_ranks[same(url)].setdefault(query, rank)
    return page_ranks


#: The title distinguishes sections with the same heading in different articles.
QUERY = "{title} {section}"
#: Headings of standard lists, which are not about anything.
NOT_ASKED = ("References", "External links", "See also", "Further reading", "Notes", "Bibliography")


def _words(query: str) -> str:
    try:
        query.format(title="", section="")
    except (LookupError, ValueError, AttributeError) as error:
        raise ValueError(f"{query!r} has something other than title and section in braces: {error}") from None
    return query


#: A template of a query, with {title} and {section}.
Query = Annotated[str, AfterValidator(_words)]


def asked(headings: Iterable[str], not_asked: Collection[str]) -> list[str]:
    """Return the headings to search for, without those in `not_asked`, ignoring case."""
    without = {heading.casefold() for heading in not_asked}
    return [heading for heading in headings if heading.strip().casefold() not in without]


def queries(title: str, headings: Iterable[str], query: str) -> list[str]:
    """Return the queries for an article, each once; for the lead, which has no heading, it is the title."""
    all_queries = (query.format(title=title, section=heading) if heading else title for heading in headings)
    return list(dict.fromkeys(all_queries))


class ArticleSearchOptions(SearchOptions):
    """How queries for articles are built, and how their results are requested."""

    how_many: ClassVar = SearchOptions.how_many | {"query", "not_asked"}

    depth: int = Field(default=2, ge=2, description="1 are the queries, 2 their results")
    licence: str = Field(min_length=1, description="of the pages; an SPDX name")
    query: Query = Field(
        default=QUERY, description="the query for a section; readers of the results need the same template"
    )
    not_asked: tuple[str, ...] = Field(default=NOT_ASKED, description="headings that nothing is searched for")


class ArticleQueries:
    """Reads rows with `title` and `sections`, and returns the queries for them."""

    beside = False
    options = ArticleSearchOptions
    asks = SEARCH

    def __init__(self, query: str = QUERY, not_asked: Collection[str] = NOT_ASKED) -> None:
        self._query, self._not_asked = query, not_asked

    def given(self, options: ArticleSearchOptions) -> ArticleQueries:
        """Return a reader that builds queries with a source's options."""
        return ArticleQueries(options.query, options.not_asked)

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns of title and sections. Raises ValueError for rows without them."""
        if missing := {"title", "sections"} - {*kept.names}:
            raise ValueError(f"has no {' and no '.join(sorted(missing))}")
        return ["title", "sections"]

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return the queries of an article as JSON, without any that are URLs."""
        headings = asked((section["title"] for section in row["sections"]), self._not_asked)
        all_queries = queries(row["title"], headings, self._query)
        no_urls = [query for query in all_queries if not query.lower().startswith(("http://", "https://"))]
        return Raw(row["id"], row["id"], json.dumps(no_urls).encode())

    def parse(self, raw: Raw) -> tuple[str, ...]:
        """Return the queries."""
        return tuple(json.loads(raw.content))
