"""Web pages that a crawl fetched: its rows as records, each with the WARC record that it points to.

Belongs here: from a row to the bytes of a page. Not here: crawling (ops/crawl), pages themselves (page.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from ops.outcome import Row
from ops.parse.source import Format, Raw
from ops.parse.web.page import WebPage
from ops.parse.web.warc import only_record

_GZIP = b"\x1f\x8b"
#: What a page may be larger than its row says, and a record in a record.
_HEAD, _WITHIN = 2**17, 16 * 2**20


@dataclass(frozen=True)
class Crawled:
    """Reads the rows of a crawl. What a collection gave as a WARC record of its own is read as that one."""

    warc: Format[WebPage]
    beside = True

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns that tell where a record lies. Raises ValueError for rows without these."""
        wanted = ["bytes", "file", "offset", "length"]
        if missing := sorted({*wanted} - {*kept.names}):
            raise ValueError(f"is no crawl: it has no {', '.join(missing)}")
        return wanted

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return the record of a row; the document id is the row's: two crawls may hold the same record."""
        with (folder / row["file"]).open("rb") as file:
            file.seek(row["offset"])
            content = file.read(row["length"])
        found = only_record(content, f"{row['file']}@{row['offset']}", row["bytes"] + _HEAD)
        if found.companions.get("type") == "resource" and found.content.startswith(_GZIP):
            within = only_record(found.content, found.path, _WITHIN)
            found = found if within.error else within
        return replace(found, document=row["id"], row=None)

    def parse(self, raw: Raw) -> WebPage:
        """Return the page, see `Warc.parse`."""
        return self.warc.parse(raw)
