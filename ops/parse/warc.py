"""WARC: the records of files, the HTTP messages in them, and the files that a crawl stores with its rows.

Belongs here: reading the records of *.warc and *.warc.gz files as bytes, within limits and past damage;
heads, chunks and compression of messages; getting from the row of a crawl to the bytes of a response. Not
here: decompression of files (unpacked.py), crawling (ops/crawl), interpreting a body (web.py, wikipedia.py,
papers).

Records of WARC 0.18 to 1.1 are read. Records without a page (requests, metadata, warcinfo, revisits) are
skipped. After a record with a wrong length, or a damaged compressed one, reading continues at the next record
that can be found.
"""

from __future__ import annotations

import bz2
import gzip
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from ops.core.outcome import Row
from ops.parse.bounded import Bounds, child_of
from ops.parse.files import Found, find, once, too_large
from ops.parse.page_bytes import not_text
from ops.parse.records import UnwantedError
from ops.parse.source import Only, ParseError, Raw, Source
from ops.parse.unpacked import BombError, DamageError, Unpacked
from ops.text.words import whole_number

_VERSION = re.compile(rb"WARC/(?:0\.1[78]|1\.[01])[ \t]*\r?\n")
_PAGES = ("response", "resource", "conversion")
_LONGEST_HEAD = 64 * 2**10
#: The fields that are read. Other fields of a head cost little.
_FIELD = re.compile(
    rb"\n[ \t]*(content-(?:length|type)|warc-(?:type|record-id|target-uri|date))[ \t]*:([^\n]*)",
    re.IGNORECASE,
)


def records(folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
    """Yield every response and resource; the id is its WARC-Record-ID, the row its number in the file.

    Its companions have metadata from the WARC: type, url, date and content type.
    """
    found = find(folder, source, (".warc", ".warc.gz"))
    return once(raw for file in found for raw in _of_file(file, source.max_bytes, only))


def _of_file(found: Found, max_bytes: int, only: Only) -> Iterator[Raw]:
    if found.error is not None:
        yield Raw(found.path, Path(found.path).name, b"", error=found.error)
        return
    if only is not None and found.path not in only:
        return
    row = 0

    def failed(cause: str) -> Raw:
        return Raw(found.path, f"{found.path}#{row}", b"", row, error=cause)

    try:
        with found.file.open("rb") as stream:
            unpacked = Unpacked(stream, found.file.stat().st_size, max_bytes, b"WARC/")
            if unpacked.ended:
                row += 1
                yield failed("the file is empty")
            while not unpacked.ended:
                row += 1
                at = unpacked.place
                try:
                    raw = _record(unpacked, found.path, row, max_bytes)
                except DamageError as error:
                    yield failed(f"{error} (byte offset {at})")
                    unpacked.recover()
                    continue
                if raw is not None:
                    yield raw
    except (OSError, BombError) as error:
        row += 1
        yield failed(f"cannot be read any further: {error}".replace(str(found.file), found.path))


def only_record(content: bytes, path: str, max_bytes: int) -> Raw:
    """Return the single record in `content`, compressed or not; if it is invalid, one with an error."""
    try:
        found = _record(Unpacked(BytesIO(content), len(content), max_bytes, b"WARC/"), path, 1, max_bytes)
    except (DamageError, BombError) as error:
        return Raw(path, path, b"", 1, error=str(error))
    return found or Raw(path, path, b"", 1, error="a record of WARC that holds no page")


def _record(stream: Unpacked, path: str, row: int, max_bytes: int) -> Raw | None:
    """Return the next record, or None if it contains no page. Raises DamageError."""
    stream.begin()
    version = stream.first_line(100)
    if _VERSION.fullmatch(version) is None:
        raise DamageError(f"no record of WARC begins here: {version[:20]!r}")
    head = _fields(stream.head(_LONGEST_HEAD))
    length = head.get("content-length", "")
    try:
        size = whole_number(length)
    except ValueError:
        raise DamageError(f"its Content-Length is no number of bytes: {length[:40]!r}") from None
    kind = head.get("warc-type", "").lower()
    wanted = kind in _PAGES
    content = b""
    if size <= max_bytes:
        content = stream.read(size)
    else:
        stream.skip(size)
    stream.blank_lines()
    if not wanted:
        return None
    name = head.get("warc-record-id", "").strip("<>")
    document = name if name and name.isprintable() else f"{path}#{row}"
    about = {
        "type": kind,
        "url": head.get("warc-target-uri", "").strip("<>"),
        "date": head.get("warc-date", ""),
        "content_type": head.get("content-type", ""),
    }
    error = too_large(max_bytes) if size > max_bytes else None
    return Raw(path, document, content, row, companions=about, error=error)


def _fields(head: bytes) -> Mapping[str, str]:
    """Return the fields of a head with lower-case names; if a field occurs twice, the first one wins."""
    fields: dict[str, str] = {}
    for field in _FIELD.finditer(head):
        fields.setdefault(field[1].decode("ascii").lower(), field[2].decode("utf-8", "replace").strip())
    return fields


_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})")
_LARGEST = 64 * 2**20


class Message(NamedTuple):
    """An HTTP message; `content_type` is in lower case, with its parameters."""

    status: int
    content_type: str
    body: bytes


def message(content: bytes) -> Message:
    """Return a parsed message. Raises ParseError if it is invalid or its body cannot be decompressed."""
    found = _STATUS_LINE.match(content)
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
        body = _unpacked_body(body, packing.strip())
    return Message(int(found[1]), fields.get("content-type", "").lower(), body)


def _parted(content: bytes) -> tuple[bytes, bytes, bytes]:
    ends = [place for mark in (b"\r\n\r\n", b"\n\n") if (place := content.find(mark)) >= 0]
    if not ends:
        return content, b"", b""
    mark = b"\r\n\r\n" if content.startswith(b"\r\n\r\n", min(ends)) else b"\n\n"
    return content.partition(mark)


def _unchunked(body: bytes) -> bytes:
    """Return a body with its chunks joined, unless the crawler has already done so."""
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


def _unpacked_body(body: bytes, packing: str) -> bytes:
    """Return a body decompressed, unless the crawler has already done so. Raises ParseError."""
    try:
        return _decompressed(body, packing)
    except ParseError:
        # Servers declare a compression that they do not use, and crawlers keep the field.
        if not_text(body) is None:
            return body
        raise


def _decompressed(body: bytes, packing: str) -> bytes:
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
        if packing == "zstd":
            from backports import zstd

            return zstd.ZstdDecompressor().decompress(body, _LARGEST)
    except (zlib.error, OSError, ValueError) as error:
        raise ParseError(f"a body that cannot be unpacked ({packing}): {error}") from None
    except Exception as error:  # brotli's and zstd's own exceptions
        raise ParseError(f"a body that cannot be unpacked ({packing}): {error}") from None
    raise ParseError(f"a body in an unknown packing: {packing!r:.40}")


def _inflated(body: bytes, window: int) -> bytes:
    unpacking = zlib.decompressobj(window)
    found = unpacking.decompress(body, _LARGEST)
    if unpacking.unconsumed_tail:
        raise ParseError(f"a body that unpacks to more than {_LARGEST} bytes")
    return found


GZIP = b"\x1f\x8b"
STATUS = "status"
#: Extra bytes of a record beyond the body size in its row, and the limit of a record within a record.
_HEAD, _WITHIN = 2**17, 16 * 2**20
_BEGINNING = 2**16
_BOUNDS = Bounds(seconds=10)


@dataclass(frozen=True)
class CrawledRows:
    """Reads rows of a crawl. An item that is itself a compressed WARC record is read as that record."""

    beside = True

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns that locate a record. Raises ValueError for rows without them."""
        wanted = ["bytes", "file", "offset", "length"]
        if missing := sorted({*wanted} - {*kept.names}):
            raise ValueError(f"is no crawl: it has no {', '.join(missing)}")
        return wanted

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return the record of a row, with the row's id as document id: two crawls may share a record."""
        with (folder / row["file"]).open("rb") as file:
            file.seek(row["offset"])
            content = file.read(row["length"])
        found = only_record(content, f"{row['file']}@{row['offset']}", row["bytes"] + _HEAD)
        if found.companions.get("type") == "resource" and found.content.startswith(GZIP):
            within = only_record(found.content, found.path, _WITHIN)
            found = found if within.error else within
        return replace(found, document=row["id"], row=None)


def body_of(raw: Raw) -> bytes:
    """Return what was fetched: the body of a response, or the whole resource.

    Raises ParseError for an invalid HTTP message, UnwantedError for a status other than 200.
    """
    if raw.companions["type"] != "response":
        return raw.content
    status, body = child_of(_BOUNDS).call(_status_and_body, raw.content)
    if status != 200:
        raise UnwantedError(STATUS, str(status))
    return body.encode("latin-1")


def _status_and_body(content: bytes) -> tuple[int, str]:
    """Return a message's status, and its body as a string of one character per byte, which JSON can hold."""
    found = message(content)
    return found.status, found.body.decode("latin-1")


def opened(body: bytes) -> tuple[IO[bytes], bytes]:
    """Return a body as a stream, decompressing gzip and bzip2, and its first bytes.

    Raises ParseError if it cannot be decompressed.
    """
    stream: Any = BytesIO(body)
    if body.startswith(GZIP):
        stream = gzip.GzipFile(fileobj=stream)
    elif body.startswith(b"BZh"):
        stream = bz2.BZ2File(stream)
    try:
        head = stream.read(_BEGINNING)
        stream.seek(0)
    except (OSError, EOFError, zlib.error) as error:
        raise ParseError(f"cannot be unpacked: {error}") from None
    return stream, head


def name_of(raw: Raw, suffixes: tuple[str, ...]) -> str:
    """Return the file name in a fetched address without its suffix, or else the row's id."""
    name = unquote(urlsplit(raw.companions["url"]).path.rpartition("/")[2])
    return without_suffix(name, suffixes) or raw.document


def without_suffix(name: str, suffixes: tuple[str, ...]) -> str:
    """Return a name without the first suffix that it ends with."""
    ending = next((suffix for suffix in suffixes if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(ending)]
