"""WARC: the records of files, the HTTP messages in them, and the files that a crawl stores with its rows.

Belongs here: reading the records of *.warc, *.warc.gz and *.warc.zst files as bytes, within limits and past
damage; heads, chunks and compression of messages; getting from the row of a crawl to the bytes of a response.
Not here: decompression of files (unpacked.py), crawling (ops/crawl), interpreting a body (web.py,
wikipedia.py, papers).

Records of WARC 0.17 to 1.1 are read. Records without a page (requests, metadata, warcinfo, revisits) are
skipped. Behind damage, reading continues at the next compressed member, or the next line that can begin a
record. FastWARC 2.0.1 (also with strict_mode=False) would be shorter, but loses records without an error: of
four, the last three behind an empty gzip member, two within a wrong length of 10,000, all with LF line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from silverloom.ops.core.outcome import Row
from silverloom.ops.parse.bounded import Bounds, child_of
from silverloom.ops.parse.files import Found, find, once, too_large
from silverloom.ops.parse.page_bytes import not_text
from silverloom.ops.parse.records import UnwantedError
from silverloom.ops.parse.source import Only, ParseError, Raw, Source
from silverloom.ops.parse.unpacked import (
    PACKINGS,
    BombError,
    CutShortError,
    DamageError,
    TrailingError,
    Unpacked,
    packing_of,
)
from silverloom.ops.text.words import whole_number

_VERSION = re.compile(rb"WARC/(?:0\.1[78]|1\.[01])[ \t]*\r*\n")
_MARK = b"WARC/"
_PAGES = ("response", "resource", "conversion")
_LONGEST_LINE, _LONGEST_HEAD = 100, 64 * 2**10
#: Bytes skipped at a time.
_SKIPPED = 2**20


def records(folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
    """Yield every response and resource; the id is its WARC-Record-ID, the row its number in the file.

    Its companions have metadata from the WARC: type, url, date and content type.
    """
    files = find(folder, source, (".warc", ".warc.gz", ".warc.zst"))
    return once(raw for file in files for raw in _of_file(file, source.max_bytes, only))


def _of_file(file: Found, max_bytes: int, only: Only) -> Iterator[Raw]:
    if file.error is not None:
        yield Raw(file.path, Path(file.path).name, b"", error=file.error)
    elif only is None or file.path in only:
        for row, raw in enumerate(_of_stream(file, max_bytes), 1):
            if raw is not None:
                yield replace(raw, document=raw.document or f"{file.path}#{row}", row=row)


def _of_stream(file: Found, max_bytes: int) -> Iterator[Raw | None]:
    try:
        with file.file.open("rb") as stream:
            size = file.file.stat().st_size
            yield from _records(stream, file.path, size, max_bytes)
        if not size:
            yield Raw(file.path, "", b"", error="the file is empty")
    except OSError as error:
        cause = f"cannot be read any further: {error}".replace(str(file.file), file.path)
        yield Raw(file.path, "", b"", error=cause)


def only_record(content: bytes, path: str, max_bytes: int) -> Raw:
    """Return the single record in `content`, compressed or not; if it is invalid, one with an error."""
    try:
        raw = next(_records(BytesIO(content), path, len(content), max_bytes), None)
    except OSError as error:
        raw = Raw(path, path, b"", error=str(error))
    raw = raw or Raw(path, path, b"", error="a record of WARC that holds no page")
    return replace(raw, document=raw.document or path, row=1)


def _records(stream: IO[bytes], path: str, size: int, max_bytes: int) -> Iterator[Raw | None]:
    """Yield every record: None for one without a page, an error for a damaged one.

    Raises OSError if reading cannot go on.
    """
    unpacked, line = Unpacked(stream, size, max_bytes, _MARK), b""
    while line or unpacked.proceed():
        try:
            line = line or _first_line(unpacked)
            if not line:  # an empty member
                continue
            unpacked.count_record()
            raw = _record(unpacked, line, path, max_bytes)
            line = _first_line(unpacked)
            if line and not _VERSION.fullmatch(line):
                raise ParseError("its Content-Length is wrong: no record starts behind its content")
        except (ParseError, DamageError) as error:
            raw, line = Raw(path, "", b"", error=str(error)), _next_version(unpacked)
        yield raw


def _first_line(stream: IO[bytes]) -> bytes:
    """Return the next line that is not blank, or the beginning of a long one; b"" if there is none."""
    while (line := stream.readline(_LONGEST_LINE)) and not line.strip(b"\r\n"):
        pass
    return line


def _next_version(stream: IO[bytes]) -> bytes:
    """Return the next line that can begin a record; b"" if there is none in this member."""
    with suppress(DamageError):
        while (line := stream.readline(_LONGEST_HEAD)) and not _VERSION.fullmatch(line):
            pass
        return line
    return b""


def _record(stream: IO[bytes], version: bytes, path: str, max_bytes: int) -> Raw | None:
    """Return the record that begins with a line, or None if it has no page.

    Raises ParseError and DamageError.
    """
    if not _VERSION.fullmatch(version):
        raise ParseError(f"no record of WARC begins here: {version[:20]!r}")
    head = _head(stream)
    length = head.get("content-length", "")
    try:
        size = whole_number(length)
    except ValueError:
        raise ParseError(f"its Content-Length is no number of bytes: {length[:40]!r}") from None
    content = stream.read(size) if size <= max_bytes else b""
    if size - len(content) > _skip(stream, size - len(content)):
        raise ParseError(f"its Content-Length is wrong, or the file is cut short: {size} is too much")
    kind, name = head.get("warc-type", "").lower(), head.get("warc-record-id", "").strip("<>")
    if not kind:
        raise ParseError("its WARC-Type is missing")
    if kind not in _PAGES:
        return None
    about = {
        "type": kind,
        "url": head.get("warc-target-uri", "").strip("<>"),
        "date": head.get("warc-date", ""),
        "content_type": head.get("content-type", ""),
    }
    error = too_large(max_bytes) if size > max_bytes else None
    return Raw(path, name if name.isprintable() else "", content, companions=about, error=error)


def _head(stream: IO[bytes]) -> Mapping[str, str]:
    """Return the fields of a head with lower-case names; if a field occurs twice, the first one wins."""
    fields: dict[str, str] = {}
    left = _LONGEST_HEAD
    while (line := stream.readline(left)).endswith(b"\n"):
        if not line.strip():
            return fields
        left -= len(line)
        name, _, value = line.decode("utf-8", "replace").partition(":")
        fields.setdefault(name.strip().lower(), value.strip())
    cause = "the file is cut short within the head of a record"
    raise ParseError(cause if len(line) < left else f"its head is longer than {_LONGEST_HEAD} bytes")


def _skip(stream: IO[bytes], count: int) -> int:
    """Skip bytes; return how many there were."""
    left = count
    while left and (piece := stream.read(min(left, _SKIPPED))):
        left -= len(piece)
    return count - left


_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})")
_LARGEST = 64 * 2**20
_CHUNK_HEAD = re.compile(rb"([0-9a-fA-F]{1,8})[^\r\n]{0,200}\r?\n")


class Message(NamedTuple):
    """An HTTP message; `content_type` is in lower case, with its parameters."""

    status: int
    content_type: str
    body: bytes
    cut: bool = False
    """Whether the body is cut short."""


def message(content: bytes) -> Message:
    """Return a parsed message; of a body that is cut short, what there is, as browsers show it, marked so.

    Raises ParseError if the message is invalid or its body cannot be decompressed.
    """
    match = _STATUS_LINE.match(content)
    if match is None:
        raise ParseError(f"no HTTP message: {content[:20]!r}")
    head, gap, body = _parted(content)
    if not gap:
        raise ParseError("an HTTP message without the end of its head")
    fields: dict[str, str] = {}
    for line in head.split(b"\n")[1:]:
        name, _, value = line.decode("latin-1").partition(":")
        fields.setdefault(name.strip().lower(), value.strip())
    cuts = [False]
    if "chunked" in fields.get("transfer-encoding", "").lower():
        body, cuts[0] = _unchunked(body)
    for packing in reversed(fields.get("content-encoding", "").lower().split(",")):
        body, is_cut = _unpacked_body(body, packing.strip())
        cuts.append(is_cut)
    return Message(int(match[1]), fields.get("content-type", "").lower(), body, any(cuts))


def _parted(content: bytes) -> tuple[bytes, bytes, bytes]:
    ends = [place for mark in (b"\r\n\r\n", b"\n\n") if (place := content.find(mark)) >= 0]
    if not ends:
        return content, b"", b""
    mark = b"\r\n\r\n" if content.startswith(b"\r\n\r\n", min(ends)) else b"\n\n"
    return content.partition(mark)


def _unchunked(body: bytes) -> tuple[bytes, bool]:
    """Return a body with its chunks joined, unless the crawler has already done so, and whether it is cut.

    Raises ParseError for a chunk without a size; a body may end without its last chunk.
    """
    pieces: list[bytes] = []
    place = 0
    while match := _CHUNK_HEAD.match(body, place):
        size = int(match[1], 16)
        if not size:
            return b"".join(pieces), False
        pieces.append(body[match.end() : match.end() + size])
        place = match.end() + size
        place += 2 if body.startswith(b"\r\n", place) else 1
    if pieces and place < len(body):
        raise ParseError(f"a chunk without a size, at byte {place} of the body")
    return (b"".join(pieces), place > len(body) + 1) if pieces else (body, False)


def _unpacked_body(body: bytes, packing: str) -> tuple[bytes, bool]:
    """Return a body decompressed, unless the crawler has already done so, and whether it is cut short.

    Raises ParseError.
    """
    try:
        return _decompressed(body, packing)
    except ParseError:
        # Servers declare a compression that they do not use, and crawlers keep the field.
        if not_text(body) is None:
            return body, False
        raise


def _decompressed(body: bytes, packing: str) -> tuple[bytes, bool]:
    """Return a body without its packing, which its first bytes may tell better, and whether it is cut short.

    What follows the packed bytes is ignored.
    """
    if not body or packing in ("", "identity", "none"):
        return body, False
    name = packing_of(body) or packing
    if name == "deflate" and (len(body) < 2 or int.from_bytes(body[:2]) % 31 or body[0] & 15 != 8):
        name = "deflate without a head"
    if name not in PACKINGS:
        raise ParseError(f"a body in an unknown packing: {packing!r:.40}")
    pieces: list[bytes] = []
    stream = Unpacked(BytesIO(body), 0, _LARGEST, packing=name)
    try:
        while piece := stream.read1():
            pieces.append(piece)
    except BombError:
        raise ParseError(f"a body that unpacks to more than {_LARGEST} bytes") from None
    except TrailingError:
        pass
    except DamageError as error:
        if not (pieces and isinstance(error, CutShortError)):
            raise ParseError(f"a body that cannot be unpacked ({packing}): {error}") from None
        return b"".join(pieces), True
    return b"".join(pieces), False


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
        record = only_record(content, f"{row['file']}@{row['offset']}", row["bytes"] + _HEAD)
        if record.companions.get("type") == "resource" and packing_of(record.content) == "gzip":
            within = only_record(record.content, record.path, _WITHIN)
            record = record if within.error else within
        return replace(record, document=row["id"], row=None)


def body_of(raw: Raw) -> bytes:
    """Return what was fetched: the body of a response, or the whole resource.

    Raises ParseError for an invalid HTTP message or a body that is cut short, UnwantedError for a status
    other than 200.
    """
    if raw.companions["type"] != "response":
        return raw.content
    status, body = child_of(_BOUNDS).call(_status_and_body, raw.content)
    if status != 200:
        raise UnwantedError(STATUS, str(status))
    return body.encode("latin-1")


def _status_and_body(content: bytes) -> tuple[int, str]:
    """Return a message's status, and its body as a string of one character per byte, which JSON can hold."""
    response = message(content)
    if response.cut:
        raise ParseError("the body of the response is cut short")
    return response.status, response.body.decode("latin-1")


def opened_body(body: bytes) -> tuple[Unpacked, bytes]:
    """Return a body as a stream, decompressed, and its first bytes.

    Raises ParseError if it cannot be decompressed.
    """
    stream, again = (Unpacked(BytesIO(body), len(body), _LARGEST) for _ in range(2))
    try:
        return again, stream.read(_BEGINNING)
    except OSError as error:
        raise ParseError(f"cannot be unpacked: {error}") from None


def name_of(raw: Raw, suffixes: tuple[str, ...]) -> str:
    """Return the file name in a fetched address without its suffix, or else the row's id."""
    name = unquote(urlsplit(raw.companions["url"]).path.rpartition("/")[2])
    return without_suffix(name, suffixes) or raw.document


def without_suffix(name: str, suffixes: tuple[str, ...]) -> str:
    """Return a name without the first suffix that it ends with."""
    ending = next((suffix for suffix in suffixes if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(ending)]
