"""What a crawl fetched: its rows as records, each with the WARC record that it points to.

Belongs here: from a row to the bytes of an answer. Not here: crawling (ops/crawl), what the bytes are.
"""

from __future__ import annotations

import bz2
import gzip
import zlib
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from ops.outcome import Row
from ops.parse.bounded import Bounds, child_of
from ops.parse.records import UnwantedError
from ops.parse.source import ParseError, Raw
from ops.parse.warc.http_message import message
from ops.parse.warc.records import only_record

GZIP = b"\x1f\x8b"
STATUS = "status"
#: What an answer may be larger than its row says, and a record in a record.
_HEAD, _WITHIN = 2**17, 16 * 2**20
_BEGINNING = 2**16
_BOUNDS = Bounds(seconds=10)


@dataclass(frozen=True)
class CrawledRows:
    """Rows of a crawl. What a collection gave as a WARC record of its own is read as that one."""

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
        if found.companions.get("type") == "resource" and found.content.startswith(GZIP):
            within = only_record(found.content, found.path, _WITHIN)
            found = found if within.error else within
        return replace(found, document=row["id"], row=None)


def body_of(raw: Raw) -> bytes:
    """Return what was fetched: the body of a response, or a resource as it is.

    Raises ParseError for what is no HTTP message, UnwantedError for one of another status than 200.
    """
    if raw.companions["type"] != "response":
        return raw.content
    status, body = child_of(_BOUNDS).call(_status_and_body, raw.content)
    if status != 200:
        raise UnwantedError(STATUS, str(status))
    return body.encode("latin-1")


def _status_and_body(content: bytes) -> tuple[int, str]:
    """Return a message's status, and its body as JSON can hold it: a character a byte."""
    found = message(content)
    return found.status, found.body.decode("latin-1")


def opened(body: bytes) -> tuple[IO[bytes], bytes]:
    """Return a body as a stream, which unpacks gzip and bzip2, and how it begins.

    Raises ParseError for what cannot be unpacked.
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
    """Return the last name in the address of what was fetched, without its ending; else the row's id."""
    name = unquote(urlsplit(raw.companions["url"]).path.rpartition("/")[2])
    return without_suffix(name, suffixes) or raw.document


def without_suffix(name: str, suffixes: tuple[str, ...]) -> str:
    """Return a name without the first of the endings that it has."""
    ending = next((suffix for suffix in suffixes if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(ending)]
