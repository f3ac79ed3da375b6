"""Articles of an encyclopedia, and the op that makes a table of them.

Belongs here: the registry of formats by kind, and the row of an article. Not here: dumps (dump.py), pages
(page.py), wikitext (markup.py, article.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from ops.identity import row_id
from ops.outcome import Outcome, Row
from ops.parse.bounded import BoundedFormat, Bounds
from ops.parse.records import Record, UnwantedError, read_each, readable
from ops.parse.row_format import RowFormat
from ops.parse.schemas import ARTICLES
from ops.parse.several import name_in_source, rows_of
from ops.parse.source import Format
from ops.parse.wikipedia.article import Article
from ops.parse.wikipedia.crawled import CrawledArticles
from ops.parse.wikipedia.page import Dump, Wikitext

__all__ = ["FORMATS", "Article", "parse_articles"]

#: The longest article of Wikipedia takes a second.
_BOUNDS = Bounds(seconds=10)

_DUMP = BoundedFormat(Dump(), _BOUNDS, quick=True)

_Form: TypeAlias = Format[Article] | RowFormat[Article]

FORMATS: dict[str, _Form] = {
    "crawled": CrawledArticles(_DUMP),
    "mediawiki_dump": _DUMP,
    "wikitext": BoundedFormat(Wikitext(), _BOUNDS, quick=True),
}

_PARAGRAPH_END = "\n\n"


def parse_articles(records: Sequence[Record]) -> Outcome:
    """Return every record as an article, dropped with its reason, or rejected with its cause; shape ARTICLES.

    Dropped are redirects, disambiguation pages, lists, pages of other namespaces, and those without a
    paragraph; and what a crawl fetched that is no dump.
    """
    lost: Counter[str] = Counter()
    return read_each(
        records, ARTICLES, lambda record: rows_of(record, FORMATS[record.kind], _row, lost), lost, FORMATS
    )


def _row(record: Record, form: _Form) -> Row:
    article = form.parse(readable(record))
    if article.reason:
        raise UnwantedError(article.reason, article.title)
    sections, pieces, length = [], [], 0
    for section in article.sections:
        text = _PARAGRAPH_END.join(section.paragraphs)
        start = length
        if text:
            pieces.append(text)
            length += len(text) + len(_PARAGRAPH_END)
        sections.append(
            {"title": section.title, "level": section.level, "start": start, "end": start + len(text)}
        )
    return {
        "id": row_id("article", record.source, name_in_source(record)),
        "source_ids": [record.id],
        "licence": record.licence,
        "document": record.raw.document,
        "title": article.title,
        "month": record.month,
        "date": article.date or None,
        "text": _PARAGRAPH_END.join(pieces),
        "sections": sections,
        "citations": [{"url": url, "section": section} for url, section in article.citations],
        "list_items": article.list_items,
        "categories": article.categories,
    }
