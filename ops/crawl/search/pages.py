"""The texts of crawled pages, for an index. Not here: paragraphs, language and boilerplate (ops/parse)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding

from ops.parse.bounded import Bounds, child_of
from ops.parse.source import ParseError

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
