"""A small Common Crawl: WARC files, and an index with the columns and the order of the real one."""

import datetime
import hashlib
from base64 import b32encode
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.ops.crawl.captures.index import keys_of
from silverloom.ops.crawl.warc import head, response_record
from tests.ops.crawl.hostile import reply

CRAWL = "CC-MAIN-2018-26"
#: The columns of cc-index-schema-flat.json that Spark writes.
SCHEMA = pa.schema(
    [
        *[(name, pa.string()) for name in ("url_surtkey", "url", "url_host_name", "url_host_tld", "url_host_2nd_last_part", "url_host_registered_domain", "url_protocol")],
        ("url_port", pa.int32()),
        *[(name, pa.string()) for name in ("url_path", "url_query")],
        ("fetch_time", pa.timestamp("ms", "UTC")),
        ("fetch_status", pa.int16()),
        *[(name, pa.string()) for name in ("content_digest", "content_mime_type", "content_mime_detected", "content_charset", "content_languages", "content_truncated", "warc_filename")],
        ("warc_record_offset", pa.int32()),
        ("warc_record_length", pa.int32()),
        ("warc_segment", pa.string()),
    ]
)  # fmt: skip


class CommonCrawl:
    """Captures as files in a folder: `crawl-data/...warc.gz` and `cc-index/...parquet`."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.rows = []
        self.warcs = {}

    def capture(self, url, time, body=b"", status=200, warc="a", headers=(), says=None, **columns):
        """Capture pages one by one, at times like 2018-06-20; `says` is a different address to put into the record."""
        name = f"crawl-data/{CRAWL}/segments/1/warc/{warc}.warc.gz"
        content = self.warcs.setdefault(name, bytearray(head(name, "Nutch", f"{time}T00:00:00Z", True)))
        line = f"{status} {'OK' if status == 200 else 'Moved'}"
        told = [("Content-Type", "text/html; charset=utf-8"), *headers]
        record, _ = response_record(says or url, line, told, body, f"{time}T00:00:00Z", packed=True)
        parts = urlsplit(url)
        row = dict.fromkeys(SCHEMA.names) | {
            "url_surtkey": keys_of(url).surt,
            "url": url,
            "url_host_name": parts.hostname,
            "url_host_tld": parts.hostname.rpartition(".")[2],
            "url_protocol": parts.scheme,
            "url_path": parts.path,
            "url_query": parts.query or None,
            "fetch_time": datetime.datetime.fromisoformat(f"{time}T00:00:00+00:00"),
            "fetch_status": status,
            "content_digest": b32encode(hashlib.sha1(body).digest()).decode(),
            "content_mime_type": "text/html",
            "warc_filename": name,
            "warc_record_offset": len(content),
            "warc_record_length": len(record),
            "warc_segment": "1",
        }
        self.rows.append(row | columns)
        content += record

    def write(self, files=1, group=3, crawl=CRAWL, subset="warc"):
        """Write the files: a sorted index in `files` files, with row groups of `group` rows."""
        rows = sorted(self.rows, key=lambda row: row["url_surtkey"].encode())
        names = []
        size = -(-len(rows) // files)
        for number in range(files):
            name = f"cc-index/table/cc-main/warc/crawl={crawl}/subset={subset}/part-{number:05d}.gz.parquet"
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            table = pa.Table.from_pylist(rows[number * size : (number + 1) * size], SCHEMA)
            pq.write_table(table, path, row_group_size=group, compression="gzip")
            names.append(name)
        for name, content in self.warcs.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_bytes(content)
        listing = self.folder / "cc-index-table.paths"
        listing.write_text("".join(f"{name}\n" for name in names))
        return names

    def route(self, handler):
        """Serve the files like the real server: whole, or by range."""
        path = self.folder / handler.path.lstrip("/")
        if not path.is_file():
            return reply(404)(handler)
        content = path.read_bytes()
        if (asked := handler.headers.get("Range")) is None:
            return reply(body=content)(handler)
        first, _, last = asked.removeprefix("bytes=").partition("-")
        piece = content[int(first) : int(last) + 1]
        told = f"bytes {first}-{int(first) + len(piece) - 1}/{len(content)}"
        return reply(206, body=piece, Content_Range=told)(handler)
