"""The texts of crawled pages, for an index. Not here: paragraphs, language and boilerplate (ops/parse)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding


def texts_of_crawl(folders: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield URL and text of the HTML pages in the WARC files of published crawls."""
    for folder in folders:
        for path in sorted([*folder.glob("*.warc"), *folder.glob("*.warc.gz")]):
            with path.open("rb") as stream:
                for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
                    if "html" in (record.http_content_type or ""):
                        content = record.reader.read()
                        html = bytes_to_str(content, detect_encoding(content) or "utf-8")
                        yield record.headers["WARC-Target-URI"], extract_plain_text(html, main_content=True)
