"""Web pages: their formats, and the op that reads them into a table.

Belongs here: the registry of formats by kind (WARC files, HTML files, rows of a crawl), the row of a page,
the language of a page. Not here: reading WARC files (warc.py), finding paragraphs in HTML (page_text.py).

All visible text of a page but fields and buttons of forms is kept; each paragraph has a score for
boilerplate. A paragraph of main text scores below 0.5, any other at least 0.5. In each half, longer
paragraphs score lower.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from pydantic import Field
from resiliparse.parse.html import HTMLTree
from resiliparse.parse.lang import detect_fast

from silverloom.ops.core.outcome import Outcome, Row
from silverloom.ops.core.params import Params
from silverloom.ops.parse.bounded import BoundedFormat, Bounds
from silverloom.ops.parse.files import whole_files, with_options
from silverloom.ops.parse.page_bytes import html_text, not_text, other_text
from silverloom.ops.parse.page_text import BOILERPLATE, PageExtractor, Paragraph, printable, text_of
from silverloom.ops.parse.records import Record, UnwantedError, read_each, readable, row_of
from silverloom.ops.parse.schemas import WEB_PAGES
from silverloom.ops.parse.source import Format, Only, ParseError, Raw, RowFormat, Source
from silverloom.ops.parse.warc import STATUS, CrawledRows, Message, message, records

NOT_HTML, NO_TEXT = "not_html", "no_text"

_HTML = ("text/html", "application/xhtml")

EXTRACTOR: PageExtractor = "trafilatura"
_EXTRACTOR = "extractor"


class WebOptions(Params):
    """Options of web pages: which package finds their main text."""

    extractor: PageExtractor = Field(
        default=EXTRACTOR, description="trafilatura, or resiliparse, which is quicker and finds less"
    )


class WebPage(NamedTuple):
    """A page with its address and date; or no page, with `reason` (and `detail`) saying why.

    `cut` says whether the response is cut short.
    """

    url: str
    date: str
    page: HtmlPage | None
    reason: str = ""
    detail: str = ""
    cut: bool = False


class Warc:
    """Reads WARC: every response and resource of every *.warc and *.warc.gz file is a record."""

    options = WebOptions
    bytes_a_character = 10

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every response and resource; the document id is its WARC-Record-ID."""
        return with_options(records(folder, source, only), source)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document id, url, and `date`: when it was fetched."""
        return {"url": raw.companions["url"], "date": raw.companions["date"], "document": raw.document}

    def parse(self, raw: Raw) -> WebPage:
        """Return the page.

        Raises ParseError if the HTTP message is invalid or cannot be decompressed, or its body is no text.
        """
        about = raw.companions
        response = Message(200, about["content_type"].lower(), raw.content)
        if about["content_type"].lower().startswith("application/http") or raw.content.startswith(b"HTTP/"):
            response = message(raw.content)
        if response.status != 200:
            return WebPage(about["url"], about["date"], None, STATUS, str(response.status))
        return _page(raw, response.content_type, response.body)._replace(cut=response.cut)


@dataclass(frozen=True)
class CrawledPage(CrawledRows):
    """Reads fetched pages from the rows of a crawl."""

    warc: Format[WebPage]
    extractor: PageExtractor = EXTRACTOR
    options = WebOptions

    def given(self, options: WebOptions) -> CrawledPage:
        """Return a copy with the options of a source."""
        return replace(self, extractor=options.extractor)

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return a row's record, with the extractor among its companions unless it is the default."""
        record = super().raw(row, kept, folder)
        if self.extractor == EXTRACTOR:
            return record
        return replace(record, companions={**record.companions, _EXTRACTOR: self.extractor})

    def parse(self, raw: Raw) -> WebPage:
        """Return the page; see `Warc.parse`."""
        return self.warc.parse(raw)


class Html:
    """Reads HTML: every *.html, *.htm and *.xhtml file below the folder is a page."""

    options = WebOptions
    bytes_a_character = 10

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document id is its path without the suffix."""
        files = whole_files(folder, source, (".html", ".htm", ".xhtml"), only, document=_document)
        return with_options(files, source)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the document id."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> WebPage:
        """Return the page, which has no address. Raises ParseError for an empty file or one of no text."""
        if not raw.content.strip():
            raise ParseError("the file is empty")
        return _page(raw, "text/html", raw.content)


def _document(path: str) -> str:
    return str(Path(path).with_suffix(""))


def _page(raw: Raw, content_type: str, body: bytes) -> WebPage:
    about = raw.companions
    url, date = about.get("url", ""), about.get("date", "")
    if content_type and not content_type.startswith(_HTML):
        return WebPage(url, date, None, NOT_HTML, content_type[:100])
    if (kind := not_text(body)) is not None:
        raise ParseError(f"no web page: its bytes are {kind}, and its type is {content_type or 'not given'}")
    if (kind := other_text(body)) is not None:
        return WebPage(url, date, None, NOT_HTML, f"{kind}, served as {content_type or 'no type'}"[:100])
    page = page_of(body, content_type, about.get(_EXTRACTOR, EXTRACTOR))
    if not page.paragraphs:
        return WebPage(url, date, None, NO_TEXT)
    return WebPage(url, date, page)


#: A page of a megabyte takes half a second, a list of 50,000 links nine, a deeply nested page forever.
_BOUNDS = Bounds(seconds=30)

_WARC = BoundedFormat(Warc(), _BOUNDS, quick=True)

FORMATS: dict[str, Format[WebPage] | RowFormat[WebPage]] = {
    "crawled": CrawledPage(_WARC),
    "html": BoundedFormat(Html(), _BOUNDS, quick=True),
    "warc": _WARC,
}

_PARAGRAPH_END = "\n\n"


def parse_web_pages(records: Sequence[Record]) -> Outcome:
    """Return every record as a page, dropped with its reason, or rejected with its cause; shape WEB_PAGES.

    Responses with a status other than 200 or a type other than HTML are dropped, and so are pages without
    text. The outcome counts the pages whose main text resiliparse found, by the reason, and those cut short.
    """
    counts: Counter[str] = Counter()
    return read_each(records, WEB_PAGES, lambda record: [_row(record, counts)], counts)


def _row(record: Record, counts: Counter[str]) -> Row:
    web_page = FORMATS[record.kind].parse(readable(record))
    page = web_page.page
    if page is None:
        raise UnwantedError(web_page.reason, web_page.detail or None)
    if page.fallback:
        counts[f"pages read by resiliparse: {page.fallback}"] += 1
    if web_page.cut:
        counts["pages cut short within their compressed or chunked body"] += 1
    paragraphs, start = [], 0
    for paragraph in page.paragraphs:
        end = start + len(paragraph.text)
        paragraphs.append({"start": start, "end": end, "boilerplate": paragraph.boilerplate})
        start = end + len(_PARAGRAPH_END)
    letters = sum(len(paragraph.text) for paragraph in page.paragraphs)
    outside = sum(len(one.text) for one in page.paragraphs if one.boilerplate >= BOILERPLATE)
    return {
        **row_of(record, "page"),
        "document": record.raw.document,
        "url": web_page.url or None,
        "title": page.title,
        "month": record.month,
        "date": web_page.date or None,
        "encoding": page.encoding,
        "language": page.language,
        "language_distance": page.distance,
        "boilerplate": round(outside / letters, 4),
        "text": _PARAGRAPH_END.join(paragraph.text for paragraph in page.paragraphs),
        "paragraphs": paragraphs,
    }


class HtmlPage(NamedTuple):
    """A page; `language` is a code or "unknown", and a low `distance` means that it is certain.

    `fallback` says why resiliparse found the main text in place of trafilatura, or is empty.
    """

    title: str
    encoding: str
    language: str
    distance: int
    paragraphs: tuple[Paragraph, ...]
    fallback: str


def page_of(content: bytes, content_type: str = "", extractor: PageExtractor = EXTRACTOR) -> HtmlPage:
    """Return the paragraphs of HTML; `content_type` is the HTTP header, which may name the encoding."""
    text, encoding = html_text(content, content_type)
    tree = HTMLTree.parse(text)
    paragraphs, fallback = text_of(tree, text, extractor)
    main = " ".join(paragraph.text for paragraph in paragraphs if paragraph.boilerplate < BOILERPLATE)
    language, distance = detect_fast(main or " ".join(paragraph.text for paragraph in paragraphs))
    return HtmlPage(printable(tree.title or ""), encoding, language, distance, tuple(paragraphs), fallback)
