"""Articles that a crawl fetched: packs of a dump, and exports of pages.

Belongs here: telling by its bytes what was fetched. Not here: pages of a dump (dump.py), crawls
(ops/parse/warc).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ops.parse.files import once
from ops.parse.records import UnwantedError
from ops.parse.source import Format, Raw
from ops.parse.warc.crawled import CrawledRows, body_of, opened
from ops.parse.wikipedia.article import Article
from ops.parse.wikipedia.dump import pages_of

NOT_A_DUMP = "not_a_dump"

_LARGEST_PAGE = 16 * 2**20


@dataclass(frozen=True)
class CrawledArticles(CrawledRows):
    """Reads the pages of a MediaWiki, plain or packed, off the rows of a crawl."""

    dump: Format[Article]

    def documents(self, raw: Raw) -> Iterator[Raw]:
        """Yield every page.

        Raises ParseError for what cannot be unpacked, UnwantedError for what is no dump.
        """
        body = body_of(raw)
        stream, head = opened(body)
        if b"<page>" not in head and b"<mediawiki" not in head:
            raise UnwantedError(NOT_A_DUMP, f"{raw.companions['url']} begins with {head[:16]!r}")
        return once(pages_of(stream, raw.path, len(body), _LARGEST_PAGE))

    def parse(self, raw: Raw) -> Article:
        """Return the article, see `Dump.parse`."""
        return self.dump.parse(raw)
