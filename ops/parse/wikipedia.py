"""Articles of an encyclopedia: their formats, the op that reads them into a table, and MediaWiki dumps.

Belongs here: the registry of formats by kind (dumps, wikitext files, crawled dumps), the row of an article,
the XML of a page, reading the pages of *.xml, *.bz2 and *.gz files as bytes within limits. Not here: wikitext
(wikitext.py), crawls (warc.py).

At most one page and one chunk of a dump are in memory. Several concatenated bz2 streams (multistream) are
read as one; a damaged one costs its own pages.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from lxml import etree

from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Outcome, Row
from silverloom.ops.parse.bounded import BoundedFormat, Bounds
from silverloom.ops.parse.decoding import decoded
from silverloom.ops.parse.files import Found, find, once, opened, too_large, whole_files
from silverloom.ops.parse.papers.xml_tree import children, descend, plain, root_of
from silverloom.ops.parse.records import (
    Record,
    UnwantedError,
    name_in_source,
    read_each,
    readable,
    row_of,
    rows_of,
)
from silverloom.ops.parse.schemas import ARTICLES
from silverloom.ops.parse.source import Format, Only, ParseError, Raw, RowFormat, Source
from silverloom.ops.parse.unpacked import DamageError, Unpacked
from silverloom.ops.parse.warc import CrawledRows, body_of, opened_body
from silverloom.ops.parse.wikitext import Article, article
from silverloom.ops.parse.wikitext_marks import ReferenceMark
from silverloom.ops.text.holes import closed

NOT_AN_ARTICLE = "not_an_article"

_TIMESTAMP = re.compile(rb"<timestamp>([0-9TZ:-]{4,20})</timestamp>")


class Dump:
    """Reads dumps of a MediaWiki: every page of every *.xml, *.bz2 and *.gz file is a record."""

    bytes_a_character = 2

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every page; the document id is its title."""
        return pages(folder, source, only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return title, document id, and `date`: when the page was last edited."""
        dates = _TIMESTAMP.findall(raw.content)
        date = max(dates, default=b"").decode("ascii")
        return {"title": raw.document, "date": date, "document": raw.document}

    def parse(self, raw: Raw) -> Article:
        """Return the article. Raises ParseError if it is not a page or contains no wikitext."""
        page = root_of(raw.content, "page")
        # A dump with its history has every revision of a page; of two at the same time, the later one counts.
        revision = max([*children(page, "revision")][::-1], key=_date, default=page)
        title, date = plain(descend(page, "title")), _date(revision)
        if not title:
            raise ParseError("a page without a title")
        text = descend(revision, "text")
        if text is None:
            raise ParseError("a page without text")
        if plain(descend(page, "ns")) not in ("", "0"):
            return Article(title, date, [], [], [], [], NOT_AN_ARTICLE)
        model = plain(descend(revision, "model"))
        if model not in ("", "wikitext"):
            raise ParseError(f"its text is no wikitext but {model!r:.40}")
        content = article(title, date, text.text or "", descend(page, "redirect") is not None)
        return content._replace(page=_number(page), revision=_number(revision))


def _date(revision: etree._Element) -> str:
    """Return when a revision was made."""
    return plain(descend(revision, "timestamp"))


def _number(element: etree._Element) -> str:
    """Return the number of a page or a revision."""
    return plain(next(children(element, "id"), None))


class Wikitext:
    """Reads wikitext files: every *.wikitext, *.wiki and *.txt file below the folder is an article."""

    any_encoding = True
    bytes_a_character = 2

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document id is its stem."""
        return whole_files(folder, source, (".wikitext", ".wiki", ".txt"), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document id and title: the file name, with "_" replaced by a space."""
        return {"document": raw.document, "title": _title(raw)}

    def parse(self, raw: Raw) -> Article:
        """Return the article. Raises ParseError if the file cannot be decoded."""
        return article(_title(raw), "", decoded(raw.content))


def _title(raw: Raw) -> str:
    return raw.document.replace("_", " ")


NOT_A_DUMP = "not_a_dump"

_LARGEST_PAGE = 16 * 2**20


@dataclass(frozen=True)
class CrawledArticles(CrawledRows):
    """Reads the pages of MediaWiki dumps, plain or compressed, from the rows of a crawl."""

    dump: Format[Article]

    def documents(self, raw: Raw) -> Iterator[Raw]:
        """Yield every page.

        Raises ParseError if the dump cannot be decompressed, UnwantedError if it is not a dump.
        """
        body = body_of(raw)
        stream, head = opened_body(body)
        if b"<page>" not in head and b"<mediawiki" not in head:
            raise UnwantedError(NOT_A_DUMP, f"{raw.companions['url']} begins with {head[:16]!r}")
        return once(pages_of(stream, raw.path, _LARGEST_PAGE))

    def parse(self, raw: Raw) -> Article:
        """Return the article; see `Dump.parse`."""
        return self.dump.parse(raw)


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
_PARAGRAPH = re.compile(r"[^\n]+")
#: A word, and what follows it without a space.
_WORD_AND_SIGNS = re.compile(r"\w+[^\w\s]*")


def parse_articles(records: Sequence[Record]) -> Outcome:
    """Return every record as an article, dropped with its reason, or rejected with its cause; shape ARTICLES.

    Redirects, disambiguation pages, lists, pages of other namespaces and pages without a paragraph are
    dropped, and so are fetched files that are not dumps.
    """
    lost: Counter[str] = Counter()
    return read_each(
        records, ARTICLES, lambda record: rows_of(record, FORMATS[record.kind], _row, lost), lost
    )


def _row(record: Record, form: _Form) -> Row:
    article = form.parse(readable(record))
    if article.reason:
        raise UnwantedError(article.reason, article.title)
    sections, pieces, holes, marks, lists, length = [], [], [], [], [], 0
    cited = {(work.url, section): place for place, (work, section) in enumerate(article.citations)}
    anywhere = {url: place for (url, _), place in reversed(cited.items())}
    for number, section in enumerate(article.sections):
        text, closings = closed(_PARAGRAPH_END.join(section.paragraphs))
        start = length
        holes += [start + place for place in closings]
        for place, reference in _placed(text, section.marks):
            urls = dict.fromkeys(article.references[reference])
            its = [cited.get((url, number), anywhere[url]) for url in urls]
            marks.append({"place": start + place, "citations": its})
        ends = [start, *(start + match.end() for match in _PARAGRAPH.finditer(text))]
        for before, content in section.items:
            item, gaps = closed(content)
            lists.append({"section": number, "place": ends[before], "text": item, "holes": len(gaps)})
        if text:
            pieces.append(text)
            length += len(text) + len(_PARAGRAPH_END)
        sections.append(
            {"title": section.title, "level": section.level, "start": start, "end": start + len(text)}
        )
    return {
        **row_of(record, "article"),
        "id": row_id("article", record.source, name_in_source(record)),
        "document": record.raw.document,
        "title": article.title,
        "month": record.month,
        "date": article.date or None,
        "text": _PARAGRAPH_END.join(pieces),
        "holes": holes,
        "sections": sections,
        "page": article.page or None,
        "revision": article.revision or None,
        "citations": [{**work._asdict(), "section": section} for work, section in article.citations],
        "marks": marks,
        "lists": lists,
        "categories": article.categories,
    }


def _placed(text: str, marks: Sequence[Sequence[ReferenceMark]]) -> Iterator[tuple[int, int]]:
    """Yield the place of each reference in a section's text: behind a word and its punctuation."""
    start = 0
    paragraphs = text.split(_PARAGRAPH_END) if text else []
    for paragraph, of_paragraph in zip(paragraphs, marks, strict=True):
        ends = [match.end() for match in _WORD_AND_SIGNS.finditer(paragraph)] if of_paragraph else []
        for mark in of_paragraph:
            yield start + ([0, *ends][min(mark.words, len(ends))]), mark.reference
        start += len(paragraph) + len(_PARAGRAPH_END)


#: Parts of real dumps have names like `enwiki-20180601-pages-articles1.xml-p10p30302.bz2`.
SUFFIXES = (".xml", ".xml.gz", ".bz2")

CHUNK = 2**18
_OPEN, _CLOSE, _END = b"<page>", b"</page>", b"</mediawiki>"
_TITLE = re.compile(rb"<title>([^<]{1,1000})</title>")


def pages(folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
    """Yield every page of every dump; the document id is its title, the row its number in the file.

    A page over source.max_bytes is yielded unread, with an error. Damage of a compressed stream is the error
    of a record, and so is what ends the reading of a file: a bomb, or an end within a page or before the end
    of the document.
    """
    return once(
        raw for file in find(folder, source, SUFFIXES) for raw in _of_file(file, source.max_bytes, only)
    )


def _of_file(file: Found, max_bytes: int, only: Only) -> Iterator[Raw]:
    if file.error is not None:
        yield Raw(file.path, Path(file.path).name, b"", error=file.error)
        return
    if only is not None and file.path not in only:
        return
    try:
        with opened(file.file, max_bytes) as stream:
            yield from pages_of(stream, file.path, max_bytes)
    except OSError as error:
        yield _unread(file.path, 1, str(error).replace(str(file.file), file.path))


def pages_of(stream: Unpacked, path: str, max_bytes: int) -> Iterator[Raw]:
    """Yield every page of one dump; see `pages`."""
    dump = _Dump(stream)
    row = 0
    goes_on = True
    while goes_on:
        row += 1
        try:
            page = dump.next_page(max_bytes)
        except (OSError, _CutError) as error:
            goes_on = isinstance(error, DamageError) and dump.proceed()
            yield _unread(path, row, f"{error}{'; reading goes on behind it' if goes_on else ''}")
            continue
        if page == b"":
            return
        yield _raw(path, row, page, max_bytes)


def _unread(path: str, row: int, cause: str) -> Raw:
    return Raw(path, f"{path}#{row}", b"", row, error=f"cannot be read from page {row} on: {cause}")


class _CutError(Exception):
    """Why reading of a dump stops."""


class _Dump:
    """The unread part of a dump. The buffer begins where the last search ended."""

    def __init__(self, stream: Unpacked) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self._read = self._pages = 0
        self._is_whole = False

    def next_page(self, max_bytes: int) -> bytes | None:
        """Return the next page, None for one that is too large, b"" at the end.

        Raises _CutError if the dump ends too early, DamageError and BombError.
        """
        if not self._skip_to(_OPEN):
            self._check_end()
            return b""
        page = self._take_to(_CLOSE, max_bytes)
        self._pages += 1
        self._stream.count_record()
        return page

    def proceed(self) -> bool:
        """Go to the next compressed stream behind damage; return False if there is none."""
        self._buffer.clear()
        return self._stream.proceed()

    def _check_end(self) -> None:
        if not self._read:
            raise _CutError("the file is empty")
        if not self._is_whole and not self._pages:
            raise _CutError("there is no page of MediaWiki in it")
        if self._is_whole and _END not in self._buffer:
            raise _CutError("the file is cut short: it ends without </mediawiki>")

    def _skip_to(self, mark: bytes) -> bool:
        """Drop what is before the next mark; return False at the end, with the last bytes in the buffer."""
        while (place := self._buffer.find(mark)) < 0:
            del self._buffer[: -len(_END) - 1]
            if not self._more():
                return False
        del self._buffer[:place]
        return True

    def _take_to(self, mark: bytes, max_bytes: int) -> bytes | None:
        """Take the bytes up to the next mark and with it, or None for more than `max_bytes`."""
        start = skipped = 0
        while (place := self._buffer.find(mark, start)) < 0:
            if len(self._buffer) > max_bytes + len(mark):
                skipped += len(self._buffer) - len(mark) + 1
                del self._buffer[: -len(mark) + 1]
            start = max(0, len(self._buffer) - len(mark) + 1)
            if not self._more():
                raise _CutError("the file ends within a page")
        end = place + len(mark)
        taken = None if skipped or end > max_bytes else bytes(self._buffer[:end])
        del self._buffer[:end]
        return taken

    def _more(self) -> bool:
        """Read the next chunk; return False at the end. Raises _CutError for what is no dump."""
        chunk = self._stream.read1(CHUNK)
        if chunk and not self._read and b"<" not in chunk:
            raise _CutError("it is no XML")
        self._read += len(chunk)
        self._is_whole = self._is_whole or b"<mediawiki" in chunk
        self._buffer += chunk
        return bool(chunk)


def _raw(path: str, row: int, page: bytes | None, max_bytes: int) -> Raw:
    place = f"{path}#{row}"
    if page is None:
        return Raw(path, place, b"", row, error=too_large(max_bytes))
    title = _TITLE.search(page[:4000])
    name = html.unescape(title[1].decode("utf-8", "replace")) if title else ""
    return Raw(path, name if name.isprintable() and name else place, page, row)
