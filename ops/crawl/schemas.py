"""The tables of a crawl: what each URL that was asked for gave.

Belongs here: columns. Not here: the record itself, which lies in a WARC file beside the rows (warc.py).
"""

from __future__ import annotations

import pyarrow as pa

from ops.outcome import NAME, TIME, Shape, columns

REQUEST = columns(
    ("crawl", pa.string(), "the source in params.yaml", NAME),
    ("url", pa.string(), "what was asked for", NAME),
    ("depth", pa.int32(), "links from a listed URL; 0: it is listed"),
    ("found_on", pa.string(), "the page that links to it; null where it is listed", NAME),
)

PAGES = Shape(
    unit=REQUEST,
    kept=columns(
        ("crawl", pa.string(), "the source in params.yaml", NAME),
        ("url", pa.string(), "what was asked for", NAME),
        ("final_url", pa.string(), "what answered, after redirects", NAME),
        (
            "also",
            pa.list_(pa.string()),
            "the other addresses asked for that have this record: in another form, or of the same bytes",
            NAME,
        ),
        ("month", pa.string(), "of the partition", TIME),
        ("depth", pa.int32(), "links from a listed URL; 0: it is listed"),
        ("found_on", pa.string(), "the page that links to it; null where it is listed", NAME),
        ("status", pa.int32(), "of the answer"),
        ("content_type", pa.string(), "as the server says"),
        ("bytes", pa.int64(), "of the page, unpacked"),
        ("digest", pa.string(), "SHA-1 of the page, as WARC writes it"),
        ("date", pa.string(), "when it was fetched"),
        ("etag", pa.string(), "what the next crawl asks with"),
        ("last_modified", pa.string(), "what the next crawl asks with"),
        ("unchanged", pa.bool_(), "whether it was the same when it was asked for again"),
        ("file", pa.string(), "the WARC file beside the rows that holds the answer", NAME),
        ("offset", pa.int64(), "of its record in the file, in bytes"),
        ("length", pa.int64(), "of its record in the file, in bytes"),
        ("about", pa.string(), "what a collection says of an item (title, video, md5), as JSON; else null"),
    ),
)
