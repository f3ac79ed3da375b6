"""The formats of web pages: WARC files, and files of HTML.

Belongs here: what of a record is a page. Not here: walking WARC files (ops/parse/warc), HTML (paragraphs.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ops.parse.files import whole_files
from ops.parse.source import Format, Only, ParseError, Raw, Source
from ops.parse.warc.crawled import STATUS, CrawledRows
from ops.parse.warc.http_message import Message, message
from ops.parse.warc.records import records
from ops.parse.web.paragraphs import HtmlPage, page_of

NOT_HTML, NO_TEXT = "not_html", "no_text"

_HTML = ("text/html", "application/xhtml")


class WebPage(NamedTuple):
    """A page with its address and date, or what is none: then `reason` says why, and `detail` more."""

    url: str
    date: str
    page: HtmlPage | None
    reason: str = ""
    detail: str = ""


class Warc:
    """Reads WARC; every response and resource of every *.warc and *.warc.gz file is a record."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every response and resource; the document id is its WARC-Record-ID."""
        return records(folder, source, only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document, url, and `date`: when it was fetched."""
        return {"url": raw.companions["url"], "date": raw.companions["date"], "document": raw.document}

    def parse(self, raw: Raw) -> WebPage:
        """Return the page. Raises ParseError for what is no HTTP message, or cannot be unpacked."""
        about = raw.companions
        found = Message(200, about["content_type"].lower(), raw.content)
        if about["content_type"].lower().startswith("application/http") or raw.content.startswith(b"HTTP/"):
            found = message(raw.content)
        if found.status != 200:
            return WebPage(about["url"], about["date"], None, STATUS, str(found.status))
        return _page(about["url"], about["date"], found.content_type, found.body)


@dataclass(frozen=True)
class CrawledPage(CrawledRows):
    """Reads the pages that a crawl fetched, off its rows."""

    warc: Format[WebPage]

    def parse(self, raw: Raw) -> WebPage:
        """Return the page, see `Warc.parse`."""
        return self.warc.parse(raw)


class Html:
    """Reads HTML; every *.html, *.htm and *.xhtml file below the folder is a page."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document id is its path without its ending."""
        return whole_files(folder, source, (".html", ".htm", ".xhtml"), only, document=_document)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> WebPage:
        """Return the page; a file has no address. Raises ParseError for an empty one."""
        if not raw.content.strip():
            raise ParseError("the file is empty")
        return _page("", "", "text/html", raw.content)


def _document(path: str) -> str:
    return str(Path(path).with_suffix(""))


def _page(url: str, date: str, content_type: str, body: bytes) -> WebPage:
    if content_type and not content_type.startswith(_HTML):
        return WebPage(url, date, None, NOT_HTML, content_type[:100])
    page = page_of(body, content_type)
    if not page.paragraphs:
        return WebPage(url, date, None, NO_TEXT)
    return WebPage(url, date, page)
