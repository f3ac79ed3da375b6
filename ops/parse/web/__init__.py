"""Web pages, and the op that makes a table of them.

Belongs here: the registry of formats by kind, and the row of a page. Not here: WARC (ops/parse/warc), HTML
(paragraphs.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ops.identity import row_id
from ops.outcome import Outcome, Row
from ops.parse.bounded import BoundedFormat, Bounds
from ops.parse.records import Record, UnwantedError, read_each, readable
from ops.parse.row_format import RowFormat
from ops.parse.schemas import WEB_PAGES
from ops.parse.source import Format
from ops.parse.web.page import CrawledPage, Html, Warc, WebPage
from ops.parse.web.paragraphs import BOILERPLATE

__all__ = ["FORMATS", "WebPage", "parse_web_pages"]

#: A page of a megabyte takes a tenth of a second; nested deeply, it takes for ever.
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

    Dropped are responses of another status than 200 or another type than HTML, and pages without text.
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
