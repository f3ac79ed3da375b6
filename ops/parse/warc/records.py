"""WARC files as records: a response or a resource each, streamed.

Belongs here: walking the records of *.warc and *.warc.gz files in bytes, within bounds, and past damage. Not
here: the HTTP message of a response (http_message.py), what they hold (ops/parse/web).

Records of WARC 0.18 to 1.1 are read. Those that hold no page (requests, metadata, warcinfo, revisits) are
passed over. Behind a record with a wrong length, or damage in a packed one, reading goes on at the next that
can be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path

from ops.parse.files import Found, find, once, too_large
from ops.parse.source import Only, Raw, Source
from ops.parse.warc.unpacked import BombError, DamageError, Unpacked
from ops.text.numbers import whole_number

_VERSION = re.compile(rb"WARC/(?:0\.1[78]|1\.[01])[ \t]*\r?\n")
_PAGES = ("response", "resource", "conversion")
_LONGEST_HEAD = 64 * 2**10
#: The fields that are read; a head of many others costs little.
_FIELD = re.compile(
    rb"\n[ \t]*(content-(?:length|type)|warc-(?:type|record-id|target-uri|date))[ \t]*:([^\n]*)",
    re.IGNORECASE,
)


def records(folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
    """Yield every response and resource; the document id is its WARC-Record-ID, the row its number in the
    file.

    What the WARC says of it is among the companions: type, url, date and the type of its content.
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
    """Return the one record that `content` is, packed or not; one with an error where it is none."""
    try:
        found = _record(Unpacked(BytesIO(content), len(content), max_bytes, b"WARC/"), path, 1, max_bytes)
    except (DamageError, BombError) as error:
        return Raw(path, path, b"", 1, error=str(error))
    return found or Raw(path, path, b"", 1, error="a record of WARC that holds no page")


def _record(stream: Unpacked, path: str, row: int, max_bytes: int) -> Raw | None:
    """Return the next record, None for one that holds no page. Raises DamageError."""
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
    """Return the fields of a head, names in small letters; of one that is there twice the first."""
    fields: dict[str, str] = {}
    for field in _FIELD.finditer(head):
        fields.setdefault(field[1].decode("ascii").lower(), field[2].decode("utf-8", "replace").strip())
    return fields
