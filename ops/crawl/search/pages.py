"""The texts of crawled pages, for an index. Not here: paragraphs, language and boilerplate (ops/parse)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding

from ops.parse.bounded import Bounds, child_of
from ops.parse.source import ParseError

_BOUNDS = Bounds(seconds=10)


def texts_of_crawl(folders: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield URL and text of the HTML pages in the WARC files of published crawls.

    The crawl wrote the records; their pages are untrusted, and one that cannot be read within bounds is left
    out.
    """
    for folder in folders:
        for path in sorted([*folder.glob("*.warc"), *folder.glob("*.warc.gz")]):
            with path.open("rb") as stream:
                for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
                    if "html" in (record.http_content_type or ""):
                        with suppress(ParseError):
                            text = child_of(_BOUNDS).call(_text, record.reader.read())
                            yield record.headers["WARC-Target-URI"], text


def _text(content: bytes) -> str:
    html = bytes_to_str(content, detect_encoding(content) or "utf-8")
    return str(extract_plain_text(html, main_content=True))
