"""Records of WARC files, by ranges: near ones of a file in one request, each read in a child with bounds.

Belongs here: which bytes are asked for together, and what a record gives. Not here: which records are wanted
(index.py).
"""

from __future__ import annotations

import hashlib
import zlib
from base64 import b32encode
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ops.crawl.captures.index import Capture
from ops.crawl.captures.options import CaptureOptions
from ops.crawl.client import FetchError
from ops.crawl.journal import UrlOutcome
from ops.parse.bounded import Bounds, child_of
from ops.parse.source import ParseError
from ops.parse.warc.http_message import message
from ops.parse.warc.records import only_record

#: Bytes between two records that are read and thrown away rather than asked around; of one request.
_GAP, _TOGETHER = 2**18, 2**24
#: Bytes of a record besides the page: its head, and that of the answer.
_HEAD = 2**17
_BOUNDS = Bounds(seconds=10)


class WarcSpan(NamedTuple):
    """Bytes of a WARC file that are asked for at once, and the captures in them."""

    file: str
    offset: int
    length: int
    captures: list[Capture]


class Opened(NamedTuple):
    """What a record holds: the page with what was said of it, its body as JSON can hold it."""

    url: str
    status: int
    content_type: str
    body: str
    """A character a byte."""


def spans(captures: Iterable[Capture], gap: int = _GAP, together: int = _TOGETHER) -> Iterator[WarcSpan]:
    """Yield the spans that hold captures, which come by file and offset.

    Two records are in one span if at most `gap` bytes lie between them, and both within `together` bytes.
    """
    span: WarcSpan | None = None
    for capture in captures:
        best = _best(capture)
        file, offset, end = best["file"], best["offset"], best["offset"] + best["length"]
        if (
            span is not None
            and span.file == file
            and span.offset <= offset <= span.offset + span.length + gap
        ):
            length = max(span.length, end - span.offset)
            if length <= together:
                span.captures.append(capture)
                span = span._replace(length=length)
                continue
        if span is not None:
            yield span
        span = WarcSpan(file, offset, end - offset, [capture])
    if span is not None:
        yield span


def of_span(span: WarcSpan, content: bytes, capture: Capture) -> bytes:
    """Return the bytes of a capture among those of its span."""
    begin = _best(capture)["offset"] - span.offset
    return content[begin : begin + _best(capture)["length"]]


def record_of(capture: Capture, member: bytes, options: CaptureOptions) -> tuple[UrlOutcome, bytes]:
    """Return the outcome of an address, and its record: that of Common Crawl, byte by byte.

    Where the crawl has a clock it is unpacked, as all records are then. Raises ParseError for bytes that are
    no response of the address that the index names.
    """
    best = _best(capture)
    most = options.page_bytes + _HEAD
    record = _unpacked(member, most)
    if record is None:
        detail = f"more than {options.page_bytes} bytes"
        return UrlOutcome(url=capture.url, fate="dropped", cause="size", detail=detail), b""
    opened = child_of(_BOUNDS).call(open_record, record, most)
    if opened.url != best["found"]:
        raise ParseError(f"the record is of another address: {opened.url[:200]}")
    if opened.status != 200:
        raise ParseError(f"the record has the status {opened.status}")
    body = opened.body.encode("latin-1")
    about = {"warc": f"{best['file']}#bytes={best['offset']}-{best['offset'] + best['length'] - 1}"}
    if best["truncated"]:
        about["truncated"] = best["truncated"]
    entry = UrlOutcome(
        url=capture.url,
        fate="fetched",
        final_url=best["found"],
        status=opened.status,
        content_type=opened.content_type,
        bytes=len(body),
        digest=f"sha1:{b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()}",
        date=best["time"],
        about=about,
    )
    return entry, member if options.clock is None else record


def open_record(record: bytes, most: int) -> Opened:
    """Return what a record holds. Raises ParseError for bytes that are no response."""
    found = only_record(record, "the record", most)
    if found.error is not None:
        raise ParseError(found.error)
    if found.companions["type"] != "response":
        raise ParseError(f"a record of the type {found.companions['type']!r}, and no response")
    answer = message(found.content)
    return Opened(found.companions["url"], answer.status, answer.content_type, answer.body.decode("latin-1"))


def _unpacked(member: bytes, most: int) -> bytes | None:
    """Return a member of gzip unpacked, None where that is larger. Raises ParseError for what is none."""
    unpacking = zlib.decompressobj(31)
    try:
        record = unpacking.decompress(member, most)
    except zlib.error as error:
        raise ParseError(f"no packed record: {error}") from None
    if unpacking.unconsumed_tail:
        return None
    if not unpacking.eof:
        raise ParseError("the record is cut short")
    if unpacking.unused_data:
        raise ParseError("more than one record lies where the index names one")
    return record


def _best(capture: Capture) -> Any:
    if capture.best is None:
        raise FetchError(f"{capture.url} has no capture")
    return capture.best
