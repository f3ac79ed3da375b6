"""WARC 1.1 records of pages as bytes.

Belongs here: the format of a record and of the head of a file. Not here: which pages are written, and where
(journal.py, outcomes.py), reading them (ops/parse/warc.py).

A record contains the decompressed page (gzip, Brotli) with the headers of the response. Headers about the
compression are renamed to X-Crawler-..., as in Common Crawl's files. So no reader decompresses a server's
output.
"""

from __future__ import annotations

import io
import uuid

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

#: Headers that are wrong for the decompressed page.
_TRANSFER = frozenset({"content-encoding", "content-length", "transfer-encoding"})

Headers = list[tuple[str, str]]


def response_record(
    url: str, status: str, headers: Headers, body: bytes, date: str, packed: bool
) -> tuple[bytes, str]:
    """Return a response record, gzipped if `packed`, and the digest of its payload.

    `status` is like "200 OK". The record's id is derived from its content.
    """
    stored = [(f"X-Crawler-{name}" if name.lower() in _TRANSFER else name, value) for name, value in headers]
    stored.append(("Content-Length", str(len(body))))
    return _record(url, body, date, packed, StatusAndHeaders(status, stored, protocol="HTTP/1.1"))


def resource_record(
    url: str, body: bytes, date: str, packed: bool, content_type: str = "application/octet-stream"
) -> tuple[bytes, str]:
    """Return the record of content without headers worth keeping, and the digest of its payload."""
    return _record(url, body, date, packed, None, content_type)


def _record(
    url: str,
    body: bytes,
    date: str,
    packed: bool,
    headers: StatusAndHeaders | None,
    content_type: str = "",
) -> tuple[bytes, str]:
    content = io.BytesIO()
    writer = WARCWriter(content, gzip=packed, warc_version="WARC/1.1")
    record = writer.create_warc_record(
        url,
        "response" if headers else "resource",
        payload=io.BytesIO(body),
        length=len(body),  # without it, warcio writes the body into a temporary file
        http_headers=headers,
        warc_content_type=content_type,
        warc_headers_dict={"WARC-Date": date},
    )
    digest = record.rec_headers.get_header("WARC-Payload-Digest")
    record.rec_headers.replace_header("WARC-Record-ID", _record_id(date, url, digest))
    writer.write_record(record)
    return content.getvalue(), digest


def head(name: str, software: str, date: str, packed: bool) -> bytes:
    """Return the first record of a WARC file."""
    content = io.BytesIO()
    writer = WARCWriter(content, gzip=packed, warc_version="WARC/1.1")
    about = {"software": software, "format": "WARC File Format 1.1"}
    record = writer.create_warcinfo_record(name, about)
    record.rec_headers.replace_header("WARC-Date", date)
    record.rec_headers.replace_header("WARC-Record-ID", _record_id(date, name, software))
    writer.write_record(record)
    return content.getvalue()


def _record_id(*parts: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, ' '.join(parts))}>"
