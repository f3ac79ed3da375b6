"""Web pages: their formats, the op that reads them into a table, and their paragraphs.

Belongs here: the registry of formats by kind (WARC files, HTML files, rows of a crawl), the row of a page,
extracting paragraphs from HTML with resiliparse, the language of a page. Not here: reading WARC files
(warc.py).

All visible text of a page is kept; each paragraph has a score for boilerplate. A paragraph that resiliparse's
rules classify as main content scores below 0.5, any other at least 0.5. In each half, longer paragraphs score
lower.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Annotated, NamedTuple

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree
from resiliparse.parse.lang import detect_fast

from ops.core.identity import row_id
from ops.core.outcome import Outcome, Row
from ops.parse.bounded import BoundedFormat, Bounds
from ops.parse.bounded.messages import ByColumn
from ops.parse.files import whole_files
from ops.parse.page_bytes import html_text, not_text
from ops.parse.records import Record, UnwantedError, read_each, readable
from ops.parse.schemas import WEB_PAGES
from ops.parse.source import Format, Only, ParseError, Raw, RowFormat, Source
from ops.parse.warc import STATUS, CrawledRows, Message, message, records
from ops.text.words import fold

NOT_HTML, NO_TEXT = "not_html", "no_text"

_HTML = ("text/html", "application/xhtml")


class WebPage(NamedTuple):
    """A page with its address and date; or no page, with `reason` (and `detail`) saying why."""

    url: str
    date: str
    page: HtmlPage | None
    reason: str = ""
    detail: str = ""


class Warc:
    """Reads WARC: every response and resource of every *.warc and *.warc.gz file is a record."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every response and resource; the document id is its WARC-Record-ID."""
        return records(folder, source, only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document id, url, and `date`: when it was fetched."""
        return {"url": raw.companions["url"], "date": raw.companions["date"], "document": raw.document}

    def parse(self, raw: Raw) -> WebPage:
        """Return the page.

        Raises ParseError if the HTTP message is invalid or cannot be decompressed, or its body is no text.
        """
        about = raw.companions
        found = Message(200, about["content_type"].lower(), raw.content)
        if about["content_type"].lower().startswith("application/http") or raw.content.startswith(b"HTTP/"):
            found = message(raw.content)
        if found.status != 200:
            return WebPage(about["url"], about["date"], None, STATUS, str(found.status))
        return _page(about["url"], about["date"], found.content_type, found.body)


@dataclass(frozen=True)
class CrawledPage(CrawledRows):
    """Reads fetched pages from the rows of a crawl."""

    warc: Format[WebPage]

    def parse(self, raw: Raw) -> WebPage:
        """Return the page; see `Warc.parse`."""
        return self.warc.parse(raw)


class Html:
    """Reads HTML: every *.html, *.htm and *.xhtml file below the folder is a page."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document id is its path without the suffix."""
        return whole_files(folder, source, (".html", ".htm", ".xhtml"), only, document=_document)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the document id."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> WebPage:
        """Return the page, which has no address. Raises ParseError for an empty file or one of no text."""
        if not raw.content.strip():
            raise ParseError("the file is empty")
        return _page("", "", "text/html", raw.content)


def _document(path: str) -> str:
    return str(Path(path).with_suffix(""))


def _page(url: str, date: str, content_type: str, body: bytes) -> WebPage:
    if content_type and not content_type.startswith(_HTML):
        return WebPage(url, date, None, NOT_HTML, content_type[:100])
    if (kind := not_text(body)) is not None:
        raise ParseError(f"no web page: its bytes are {kind}, and its type is {content_type or 'not given'}")
    page = page_of(body, content_type)
    if not page.paragraphs:
        return WebPage(url, date, None, NO_TEXT)
    return WebPage(url, date, page)


#: A page of a megabyte takes a tenth of a second; a deeply nested page takes forever.
_BOUNDS = Bounds(seconds=10)

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
    text.
    """
    return read_each(records, WEB_PAGES, lambda record: [_row(record)], formats=FORMATS)


def _row(record: Record) -> Row:
    found = FORMATS[record.kind].parse(readable(record))
    page = found.page
    if page is None:
        raise UnwantedError(found.reason, found.detail or None)
    paragraphs, start = [], 0
    for paragraph in page.paragraphs:
        end = start + len(paragraph.text)
        paragraphs.append({"start": start, "end": end, "boilerplate": paragraph.boilerplate})
        start = end + len(_PARAGRAPH_END)
    letters = sum(len(paragraph.text) for paragraph in page.paragraphs)
    outside = sum(len(one.text) for one in page.paragraphs if one.boilerplate >= BOILERPLATE)
    return {
        "id": row_id("page", record.source, record.raw.document),
        "source_ids": [record.id],
        "licence": record.licence,
        "document": record.raw.document,
        "url": found.url or None,
        "title": page.title,
        "month": record.month,
        "date": found.date or None,
        "encoding": page.encoding,
        "language": page.language,
        "language_distance": page.distance,
        "boilerplate": round(outside / letters, 4),
        "text": _PARAGRAPH_END.join(paragraph.text for paragraph in page.paragraphs),
        "paragraphs": paragraphs,
    }


#: Paragraphs from here on are boilerplate; those below are main text in the benchmark.
BOILERPLATE = 0.5
#: Number of words for which a paragraph scores in the middle of its half.
_MIDDLING = 10
#: If resiliparse finds a smaller share of main content than this, it has missed the main content.
_LEAST_SHARE, _PROSE_WORDS = 0.05, 15

#: A paragraph that shares this much of its words with main content is a variant of that content.
_SAME_WORDS = 0.5

_SPLIT = re.compile(r"\n+")
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_SENTENCE = re.compile(r"[.!?\u2026\u3002][\"')\]\u2019\u201d]{0,3}(?:\s|$)")


class Paragraph(NamedTuple):
    """A paragraph with white space collapsed, and how much it looks like boilerplate, 0 to 1."""

    text: str
    boilerplate: float


class HtmlPage(NamedTuple):
    """A page; `language` is a code or "unknown", and a low `distance` means that it is certain."""

    title: str
    encoding: str
    language: str
    distance: int
    paragraphs: Annotated[tuple[Paragraph, ...], ByColumn()]


def page_of(content: bytes, content_type: str = "") -> HtmlPage:
    """Return the paragraphs of HTML; `content_type` is the HTTP header, which may name the encoding."""
    text, encoding = html_text(content, content_type)
    tree = HTMLTree.parse(text)
    paragraphs = _scored(list(_aligned(list(_paragraphs(tree, False)), list(_paragraphs(tree, True)))))
    main = " ".join(found.text for found in paragraphs if found.boilerplate < BOILERPLATE)
    language, distance = detect_fast(main or " ".join(found.text for found in paragraphs))
    return HtmlPage(
        fold(_NO_TEXT.sub(" ", tree.title or "")), encoding, language, distance, tuple(paragraphs)
    )


def _paragraphs(tree: HTMLTree, main: bool) -> Iterator[str]:
    text = extract_plain_text(
        tree, main_content=main, preserve_formatting=True, alt_texts=False, list_bullets=False
    )
    for block in _SPLIT.split(_NO_TEXT.sub(" ", text)):
        if paragraph := fold(block):
            yield paragraph


def _aligned(every: Sequence[str], main: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield all paragraphs in order, each with whether it is main content.

    The text of main content may differ, without hidden elements. Then it replaces the paragraph that it
    shares most of its words with.
    """
    places: dict[str, list[int]] = {}
    for index, text in enumerate(main):
        places.setdefault(text, []).append(index)
    done = 0
    waiting: list[str] = []
    paragraphs: list[str | None] = [*every, None]
    for paragraph in paragraphs:
        if paragraph is None:
            following = len(main)
        else:
            found = places.get(paragraph, [])
            place = bisect_left(found, done)
            if place == len(found):
                waiting.append(paragraph)
                continue
            following = found[place]
        others = main[done:following]
        known = Counter(word for other in others for word in other.split())
        for outside in waiting:
            words = Counter(outside.split())
            if (words & known).total() < _SAME_WORDS * words.total():
                yield outside, False
        waiting.clear()
        for other in others:
            yield other, True
        if paragraph is not None:
            yield paragraph, True
        done = following + 1


def _scored(aligned: Sequence[tuple[str, bool]]) -> list[Paragraph]:
    lengths = [len(paragraph.split()) for paragraph, _ in aligned]
    inside = [is_main for _, is_main in aligned]
    if sum(compress(lengths, inside)) < _LEAST_SHARE * sum(lengths):
        inside = [
            length >= _PROSE_WORDS and _SENTENCE.search(paragraph) is not None
            for (paragraph, _), length in zip(aligned, lengths, strict=True)
        ]
    return [
        Paragraph(paragraph, round((not is_main) / 2 + _MIDDLING / (_MIDDLING + length) / 2 - 1e-4, 4))
        for (paragraph, _), length, is_main in zip(aligned, lengths, inside, strict=True)
    ]
