"""Common Crawl: captures of given URLs, by its index and by ranges of its WARC files.

Belongs here: the capture of each URL in a month. Not here: reading WARC (ops/parse).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urljoin

from ops.crawl.client import FetchError
from ops.crawl.collections.item import Item, WebCollection
from ops.text.numbers import whole_number


@dataclass(frozen=True)
class CommonCrawl(WebCollection):
    """Captures of `urls` in one crawl, whose index is like https://index.commoncrawl.org/CC-MAIN-2018-26-index."""

    urls: Sequence[str]
    index: str
    files: str = "https://data.commoncrawl.org/"

    def items(self, month: str) -> Iterator[Item]:
        """Yield the last good capture of each URL in a month, which is a gzipped WARC record.

        URLs without one are left out. Raises FetchError.
        """
        for url in self.urls:
            captures = [item for item in self._captures(url) if item.month == month]
            if captures:
                yield max(captures, key=lambda item: item.about["timestamp"])

    def _captures(self, url: str) -> Iterator[Item]:
        place = f"{self.index}?url={quote(url, safe='')}&output=json&filter=status:200"
        try:
            content = self.client.read(place)
        except FetchError as error:
            if "status 404" in str(error):  # what it answers where it has none
                return
            raise
        for line in content.splitlines():
            try:
                found = json.loads(line)
                time = str(found["timestamp"])
                record = urljoin(self.files, found["filename"])
                offset, length = whole_number(found["offset"]), whole_number(found["length"])
            except (ValueError, KeyError, TypeError) as error:
                raise FetchError(f"{place}: no line of an index: {error!r}") from error
            about = {"timestamp": time, "digest": str(found.get("digest", ""))}
            yield Item(url, record, f"{time[:4]}-{time[4:6]}", offset, length, about)
