"""Search in what was crawled: BM25 over the texts of pages, by bm25s.

Belongs here: the index, its files and answers, and the texts of crawled pages for it. Not here: search by
HTTP (search.py), paragraphs, language and boilerplate (ops/parse/web.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding

from ops.crawl.search import Hit
from ops.parse.bounded import Bounds, child_of
from ops.parse.source import ParseError

if TYPE_CHECKING:
    import bm25s

_URLS = "urls.txt"


class LocalIndex:
    """Pages by URL. The same pages give the same answers, in whichever order they came."""

    def __init__(self, urls: Sequence[str], index: bm25s.BM25 | None) -> None:
        self._urls, self._index = urls, index

    @classmethod
    def of(cls, pages: Iterable[tuple[str, str]]) -> LocalIndex:
        """Return the index of pages, given as URL and text; of two with one URL the last counts."""
        texts = dict(sorted(dict(pages).items()))
        tokens = _tokens(list(texts.values())) if texts else []
        if not any(tokens):
            return cls(list(texts), None)
        import bm25s  # late: half a second, which every command would pay

        index = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
        # Left to itself, it numbers words in the order of a set, another one in each process.
        vocabulary = {word: number for number, word in enumerate(sorted(set().union(*tokens)))}
        index.index(
            ([[vocabulary[word] for word in words] for words in tokens], vocabulary), show_progress=False
        )
        return cls(list(texts), index)

    def save(self, folder: Path) -> None:
        """Write the index into a folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _URLS).write_text("".join(f"{url}\n" for url in self._urls))
        if self._index is not None:
            self._index.save(folder, show_progress=False)

    @classmethod
    def load(cls, folder: Path) -> LocalIndex:
        """Read an index, its scores mapped from disk and not read into memory."""
        import bm25s

        urls = (folder / _URLS).read_text().splitlines()
        there = (folder / "params.index.json").exists()
        return cls(urls, bm25s.BM25.load(folder, mmap=True) if there else None)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` pages that share a word with the query; ties go by URL."""
        tokens = _tokens([query])[0]
        if self._index is None or not tokens:
            return []
        scores = self._index.get_scores(tokens)
        order = np.argsort(-scores, kind="stable")[:k]
        return [
            Hit(self._urls[place], rank, float(scores[place]))
            for rank, place in enumerate(order, start=1)
            if scores[place] > 0
        ]


def _tokens(texts: list[str]) -> list[list[str]]:
    import bm25s

    found: list[list[str]] = bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
    return found


_BOUNDS = Bounds(seconds=10)
_PAGES = WarcRecordType.response | WarcRecordType.resource
_GZIP = b"\x1f\x8b"
#: The bytes of a page that are looked at: what a collection gave may unpack to any number.
_PAGE = 16 * 2**20


def texts_of_crawl(folders: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield URL and text of the HTML pages in the WARC files of published crawls.

    A record of WARC that a collection gave as an item is read as the page that it holds. The crawl wrote the
    records; their pages are untrusted, and one that cannot be read within bounds is left out.
    """
    for folder in folders:
        for path in sorted([*folder.glob("*.warc"), *folder.glob("*.warc.gz")]):
            with path.open("rb") as stream:
                for url, html in _pages(stream):
                    with suppress(ParseError):
                        yield url, child_of(_BOUNDS).call(_text, html)


def _pages(stream: BinaryIO, within: bool = False) -> Iterator[tuple[str, bytes]]:
    for record in ArchiveIterator(stream, record_types=_PAGES):
        resource = record.record_type == WarcRecordType.resource
        kind = record.headers.get("Content-Type") if resource else record.http_content_type
        content = record.reader.read(_PAGE)
        if "html" in (kind or ""):
            yield record.headers["WARC-Target-URI"], content
        elif resource and not within and content.startswith(_GZIP):
            with suppress(OSError):  # it holds no WARC
                yield from _pages(BytesIO(content), within=True)


def _text(content: bytes) -> str:
    html = bytes_to_str(content, detect_encoding(content) or "utf-8")
    return str(extract_plain_text(html, main_content=True))
