"""A crawl of what articles cite.

Belongs here: from rows with citations to the pages behind them. Not here: reading articles (ops/parse).
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from ops.crawl.fetched import fetched
from ops.crawl.journal import UrlOutcome
from ops.crawl.options import CrawlOptions
from ops.crawl.outcomes import CrawlParts, Listed
from ops.crawl.place import CrawlPlace
from ops.crawl.run import run
from ops.outcome import Outcomes
from ops.parts import Parts

_CRAWL = "cited"


class CitedOptions(CrawlOptions):
    """How cited pages are asked for. A dataset gives it a section of params.yaml, by a class of its own."""

    depth: int = Field(default=1, ge=1, description="1: the cited pages alone")
    licence: str = Field(min_length=1, description="of the pages; an SPDX name")
    records_per_part: int = Field(default=256, gt=0)


def crawl_cited(articles: Parts, options: CitedOptions, place: CrawlPlace) -> Outcomes:
    """Yield what became of the pages that articles of one month cite; units are the articles, and the pages.

    `articles` have `id`, `month` and `citations` with a `url`. An article is dropped as a listing, with the
    number of pages that it cites; a page is a row of its own, once, whoever else cites it.
    """
    listed: list[Listed] = []
    listings: list[UrlOutcome] = []
    month = ""
    for table in (part.read(["id", "month", "citations"]) for part in articles.parts):
        for article in table.to_pylist():
            month = article["month"]
            links = dict.fromkeys(cited["url"].partition("#")[0] for cited in article["citations"])
            listed.append(Listed(article["id"], article["id"], None))
            listings.append(UrlOutcome(url=article["id"], fate="listing", links=tuple(links)))
    urls = [line.url for line in listed]

    def ask(folder: Path, former: Path | None) -> None:
        run(folder, urls, options, place.root, former, place.tell)

    with fetched(_CRAWL, urls, options, place, ask, listings) as journal:
        yield from CrawlParts(
            _CRAWL, month, options.licence, listed, options, journal, options.records_per_part
        ).outcomes()
