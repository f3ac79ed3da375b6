"""Lists as a source: text files with a URL a line, a query, or what a collection lists.

Belongs here: the format, which gives a record its line. Not here: asking for what it leads to (crawl.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ops.crawl.collections.kinds import KINDS
from ops.crawl.options import SEARCH, URLS, CrawlOptions
from ops.crawl.searched import SearchOptions
from ops.parse.lines import lines_of_files
from ops.parse.source import Only, ParseError, Raw, Source


@dataclass(frozen=True)
class UrlList:
    """`*.txt` in UTF-8: a line is a URL, or what a collection lists, and a comment if it begins with #.

    A month rule may name `file`, the name of the file without its extension: `2018-06.txt`.
    """

    options: type[CrawlOptions]

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield the lines that are no comments."""
        for raw in lines_of_files(folder, source, (".txt",), only):
            if not raw.content.startswith(b"#"):
                yield raw

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the file's name without its extension."""
        return {"file": PurePosixPath(raw.path).stem}

    def parse(self, raw: Raw) -> str:
        """Return the URL, checked by nobody."""
        try:
            return raw.content.decode().strip()
        except UnicodeDecodeError as error:
            raise ParseError(f"not UTF-8: {error.reason} at byte {error.start}") from error


@dataclass(frozen=True)
class QueryList(UrlList):
    """As a list of URLs; a line is a query."""

    def parse(self, raw: Raw) -> str:
        """Return the query. Raises ParseError for a URL: as a result, it could not be told from the query."""
        query = super().parse(raw)
        if query.startswith(("http://", "https://")):
            raise ParseError("a URL and no query; the kind url_list asks for URLs")
        return query


FORMATS = {
    URLS: UrlList(CrawlOptions),
    SEARCH: QueryList(SearchOptions),
    **{name: UrlList(kind.options) for name, kind in KINDS.items()},
}
