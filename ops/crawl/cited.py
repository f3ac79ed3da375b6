"""Crawl what articles cite, or what a search finds for them: sources that name a dataset of articles.

Belongs here: getting from rows with citations, or with titles, to their pages. Not here: reading articles
(ops/parse), building queries (search.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.outcome import Outcomes, Row
from silverloom.ops.crawl.captures.places import CaptureOptions
from silverloom.ops.crawl.crawl import fetched, run
from silverloom.ops.crawl.journal import UrlOutcome
from silverloom.ops.crawl.options import CAPTURES, SEARCH, URLS, CrawlOptions, CrawlPlace
from silverloom.ops.crawl.outcomes import CrawlParts, Listed
from silverloom.ops.crawl.search import ArticleQueries, ranks
from silverloom.ops.parse.records import RowRecords
from silverloom.ops.parse.scan import Records
from silverloom.ops.parse.source import Raw


class CitedOptions(CrawlOptions):
    """How cited pages are crawled."""

    depth: int = Field(default=1, ge=1, description="1: the cited pages alone")
    licence: str = Field(min_length=1, description="of the pages; an SPDX name")


@dataclass(frozen=True)
class Citations:
    """Reads rows of a dataset that have `citations` with a `url`, and returns these URLs, each once."""

    options: type[CitedOptions] | type[CaptureOptions] = CitedOptions
    asks: str = URLS
    """The kind of crawl that fetches the cited pages."""
    beside = False

    def given(self, options: CrawlOptions) -> Citations:
        """Return itself: the options are those of the crawl, and do not affect how rows are read."""
        return self

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the column of citations. Raises ValueError for rows without it."""
        if "citations" not in kept.names:
            raise ValueError("has no citations")
        return ["citations"]

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return the addresses that an article cites as JSON."""
        urls = dict.fromkeys(cited["url"].partition("#")[0] for cited in row["citations"])
        return Raw(row["id"], row["id"], json.dumps([*urls]).encode())

    def parse(self, raw: Raw) -> tuple[str, ...]:
        """Return the URLs, unchecked."""
        return tuple(json.loads(raw.content))


FORMATS = {"citations": Citations(), CAPTURES: Citations(CaptureOptions, CAPTURES)}
#: Formats of pages that a search finds for articles.
SEARCHES = {SEARCH: ArticleQueries()}
_FORMS: Mapping[str, Citations | ArticleQueries] = {**FORMATS, **SEARCHES}


def crawl_cited(records: Records, place: CrawlPlace) -> Outcomes:
    """Yield the outcomes of the pages that articles of one month cite, or that a search finds for them.

    Units are the articles, their queries, and the pages. An article is dropped as a listing, with the number
    of pages that it cites, or of its queries; so is a query, with the number of its results. A page has one
    row, however many articles cite it. Raises CrawlError like `crawl`.
    """
    for articles in records.rows:
        yield from _crawl(articles, records.corpus.root, records.corpus.records_per_part, place)


def _crawl(articles: RowRecords, root: Path, per_part: int, place: CrawlPlace) -> Outcomes:
    form = _FORMS[articles.kind]
    options = form.options.model_validate(dict(articles.source.options))
    records = [record for piece in articles for record in piece]
    listings = [
        UrlOutcome(url=record.id, fate="listing", links=form.parse(record.raw))
        for record in records
        if record.raw.error is None
    ]
    urls = [listing.url for listing in listings]
    lines = [link for listing in listings for link in listing.links] if form.asks == SEARCH else []
    queries = [*dict.fromkeys(lines)]

    ask = partial(
        run,
        urls=urls,
        options=options,
        root=root,
        tell=place.tell,
        kind=form.asks,
        month=articles.month,
        queries=queries,
    )
    with fetched(articles.name, urls, options, place, ask, listings) as journal:
        yield from CrawlParts(
            articles.name,
            articles.month,
            options.licence,
            [Listed(record.id, record.id, record.raw.error) for record in records],
            options,
            journal,
            per_part,
            ranks(queries, journal.entries),
        ).outcomes()
