"""The formats of articles: pages of a MediaWiki's dump, and files of wikitext.

Belongs here: the XML of a page. Not here: finding pages (dump.py), wikitext (article.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ops.parse.decoding import decoded
from ops.parse.files import whole_files
from ops.parse.papers.xml_tree import descend, plain, root_of
from ops.parse.source import Only, ParseError, Raw, Source
from ops.parse.wikipedia.article import Article, article
from ops.parse.wikipedia.dump import pages

NOT_AN_ARTICLE = "not_an_article"

_TIMESTAMP = re.compile(rb"<timestamp>([0-9TZ:-]{4,20})</timestamp>")


class Dump:
    """Reads dumps of a MediaWiki; every page of every *.xml, *.bz2 and *.gz file is a record."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every page; the document id is its title."""
        return pages(folder, source, only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return title, document, and `date`: when the page was last edited."""
        date = _TIMESTAMP.search(raw.content)
        return {
            "title": raw.document,
            "date": date[1].decode("ascii") if date else "",
            "document": raw.document,
        }

    def parse(self, raw: Raw) -> Article:
        """Return the article. Raises ParseError for what is no page, or holds no wikitext."""
        page = root_of(raw.content, "page")
        title, date = plain(descend(page, "title")), plain(descend(page, "revision", "timestamp"))
        if not title:
            raise ParseError("a page without a title")
        text = descend(page, "revision", "text")
        if text is None:
            raise ParseError("a page without text")
        if plain(descend(page, "ns")) not in ("", "0"):
            return Article(title, date, [], [], 0, [], NOT_AN_ARTICLE)
        model = plain(descend(page, "revision", "model"))
        if model not in ("", "wikitext"):
            raise ParseError(f"its text is no wikitext but {model!r:.40}")
        return article(title, date, text.text or "", descend(page, "redirect") is not None)


class Wikitext:
    """Reads files of wikitext; every *.wikitext, *.wiki and *.txt file below the folder is an article."""

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document id is its stem."""
        return whole_files(folder, source, (".wikitext", ".wiki", ".txt"), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document and title: the name of the file, "_" read as a space."""
        return {"document": raw.document, "title": _title(raw)}

    def parse(self, raw: Raw) -> Article:
        """Return the article. Raises ParseError for what is no text."""
        return article(_title(raw), "", decoded(raw.content))


def _title(raw: Raw) -> str:
    return raw.document.replace("_", " ")
