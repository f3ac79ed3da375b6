"""The datasets of web crawls, by partition.

Belongs here: datasets that request pages and keep the responses. Not here: what is parsed from them
(sources.py).
"""

from __future__ import annotations

from functools import partial

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.expectations import between
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.crawl import cited
from silverloom.ops.crawl.crawl import FORMATS
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.crawl.outcomes import PAGES
from silverloom.ops.parse.scan import Records

_EXPECTATIONS = [
    between("status", 200, 299),
    between("offset", 0),
    between("length", 1),
]

_crawl = partial(
    dataset, group="sources", shape=PAGES, measures=["bytes", "depth"], expectations=_EXPECTATIONS
)


@_crawl(formats=FORMATS)
def crawls(records: Records, place: CrawlPlace) -> Outcomes:
    """Requested URLs, each with the location of its record in the WARC files, or why no record exists."""
    from silverloom.ops.crawl.crawl import crawl  # its imports take a second

    return crawl(records, place)


@_crawl(formats=cited.FORMATS)
def cited_pages(records: Records, place: CrawlPlace) -> Outcomes:
    """Requested pages that articles cite, each with the location of its record, or why no record exists."""
    return cited.crawl_cited(records, place)


@_crawl(formats=cited.SEARCHES)
def found_pages(records: Records, place: CrawlPlace) -> Outcomes:
    """Requested pages that a search found, each with the location of its record, or why no record exists."""
    return cited.crawl_cited(records, place)
