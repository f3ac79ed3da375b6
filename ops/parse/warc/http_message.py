"""The HTTP message in a response of a WARC: status, type, and the body as it was before it was sent.

Belongs here: heads, chunks and packing of messages. Not here: what is in a body (ops/parse/web).
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

from ops.parse.source import ParseError

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})")
_LARGEST = 64 * 2**20


class Message(NamedTuple):
    """An HTTP message; `content_type` in small letters, with its parameters."""

    status: int
    content_type: str
    body: bytes


def message(content: bytes) -> Message:
    """Return a message. Raises ParseError for what is none, and for a body that cannot be unpacked."""
    found = _STATUS.match(content)
    if found is None:
        raise ParseError(f"no HTTP message: {content[:20]!r}")
    head, gap, body = _parted(content)
    if not gap:
        raise ParseError("an HTTP message without the end of its head")
    fields: dict[str, str] = {}
    for line in head.split(b"\n")[1:]:
        name, _, value = line.decode("latin-1").partition(":")
        fields.setdefault(name.strip().lower(), value.strip())
    if "chunked" in fields.get("transfer-encoding", "").lower():
        body = _unchunked(body)
    for packing in reversed(fields.get("content-encoding", "").lower().split(",")):
        body = _unpacked(body, packing.strip())
    return Message(int(found[1]), fields.get("content-type", "").lower(), body)


def _parted(content: bytes) -> tuple[bytes, bytes, bytes]:
    ends = [place for mark in (b"\r\n\r\n", b"\n\n") if (place := content.find(mark)) >= 0]
    if not ends:
        return content, b"", b""
    mark = b"\r\n\r\n" if content.startswith(b"\r\n\r\n", min(ends)) else b"\n\n"
    return content.partition(mark)


def _unchunked(body: bytes) -> bytes:
    """Return a body without its chunks; one that crawlers have joined already, as it is."""
    pieces: list[bytes] = []
    place = 0
    while found := re.compile(rb"([0-9a-fA-F]{1,8})[^\r\n]{0,200}\r?\n").match(body, place):
        size = int(found[1], 16)
        if not size:
            return b"".join(pieces)
        pieces.append(body[found.end() : found.end() + size])
        place = found.end() + size
        place += 2 if body.startswith(b"\r\n", place) else 1
    return b"".join(pieces) if pieces else body


def _unpacked(body: bytes, packing: str) -> bytes:
    """Return a body unpacked; one that crawlers have unpacked already, as it is. Raises ParseError."""
    if packing in ("", "identity", "none"):
        return body
    try:
        if packing in ("gzip", "x-gzip"):
            return _inflated(body, 31) if body.startswith(b"\x1f\x8b") else body
        if packing == "deflate":
            try:
                return _inflated(body, 15)
            except zlib.error:
                return _inflated(body, -15)
        if packing == "br":
            import brotli

            return bytes(brotli.decompress(body))
    except (zlib.error, OSError, ValueError) as error:
        raise ParseError(f"a body that cannot be unpacked ({packing}): {error}") from None
    except Exception as error:  # brotli's own, which it does not name
        raise ParseError(f"a body that cannot be unpacked ({packing}): {error}") from None
    raise ParseError(f"a body in an unknown packing: {packing!r:.40}")


def _inflated(body: bytes, window: int) -> bytes:
    unpacking = zlib.decompressobj(window)
    found = unpacking.decompress(body, _LARGEST)
    if unpacking.unconsumed_tail:
        raise ParseError(f"a body that unpacks to more than {_LARGEST} bytes")
    return found
