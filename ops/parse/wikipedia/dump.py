"""Dumps of a MediaWiki as records: a page each, streamed.

Belongs here: walking the pages of *.xml, *.bz2 and *.gz files within bounds, in bytes. Not here: reading one
(page.py).

No more than a page and a chunk are in memory. A stream of several bz2 streams (multistream) is read as one.
"""

from __future__ import annotations

import bz2
import gzip
import html
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from ops.parse.files import Found, find, once, too_large
from ops.parse.source import Only, Raw, Source

#: Parts of real dumps are called `enwiki-20180601-pages-articles1.xml-p10p30302.bz2`.
SUFFIXES = (".xml", ".xml.gz", ".bz2")

_CHUNK = 2**18
_OPEN, _CLOSE, _END = b"<page>", b"</page>", b"</mediawiki>"
_TITLE = re.compile(rb"<title>([^<]{1,1000})</title>")
#: A dump that unpacks to so many times its size is a bomb; real ones, to five times.
_UNPACKED = 200
#: What a page counts for at least, so that tiny ones are no bomb either: one for five bytes of the dump.
_LEAST = 1000


def pages(folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
    """Yield every page of every dump; the document id is its title, the row its number in the file.

    A page over source.max_bytes is yielded unread, with an error. What ends the reading of a file is the
    error of one last record: damage, a bomb, an end within a page or without the end of the document.
    """
    return once(
        raw for found in find(folder, source, SUFFIXES) for raw in _of_file(found, source.max_bytes, only)
    )


def _of_file(found: Found, max_bytes: int, only: Only) -> Iterator[Raw]:
    if found.error is not None:
        yield Raw(found.path, Path(found.path).name, b"", error=found.error)
        return
    if only is not None and found.path not in only:
        return
    try:
        with _opened(found.file) as stream:
            yield from pages_of(stream, found.path, found.file.stat().st_size, max_bytes)
    except OSError as error:
        yield _unread(found.path, 1, str(error).replace(str(found.file), found.path))


def pages_of(stream: IO[bytes], path: str, size: int, max_bytes: int) -> Iterator[Raw]:
    """Yield every page of one dump of `size` bytes, see `pages`; `stream` unpacks it."""
    row = 0
    try:
        for page in _pages(stream, max_bytes, size * _UNPACKED + max_bytes):
            row += 1
            yield _raw(path, row, page, max_bytes)
    except (OSError, EOFError, zlib.error, _CutError) as error:
        yield _unread(path, row + 1, str(error))


def _unread(path: str, row: int, cause: str) -> Raw:
    return Raw(path, f"{path}#{row}", b"", row, error=f"cannot be read from page {row} on: {cause}")


class _CutError(Exception):
    """Why a dump is not read any further."""


def _opened(file: Path) -> IO[bytes]:
    suffix = file.suffix.lower()
    if suffix == ".bz2":
        return cast("IO[bytes]", bz2.open(file))
    return cast("IO[bytes]", gzip.open(file)) if suffix == ".gz" else file.open("rb")


def _pages(stream: IO[bytes], max_bytes: int, most: int) -> Iterator[bytes | None]:
    """Yield the bytes of every page, None for one that is too large."""
    buffer, start, read, whole = bytearray(), 0, 0, False  # nothing is to be found before `start`
    inside = skipping = False
    count = 0
    while chunk := stream.read(_CHUNK):
        if not read and b"<" not in chunk:
            raise _CutError("it is no XML")
        read += len(chunk)
        whole = whole or b"<mediawiki" in chunk
        if read > most:
            raise _CutError(f"it unpacks to more than {_UNPACKED} times its size")
        buffer += chunk
        while True:
            mark = _CLOSE if inside else _OPEN
            place = buffer.find(mark, start)
            if place < 0:
                break
            if inside:
                count += 1
                if read + count * _LEAST > most:
                    raise _CutError(
                        f"it unpacks to more than a page for {_LEAST // _UNPACKED} bytes of its size"
                    )
                end = place + len(mark)
                yield None if skipping or end > max_bytes else bytes(buffer[:end])
                del buffer[:end]
                inside = skipping = False
            else:
                del buffer[:place]
                inside = True
            start = 0
        if not inside:
            del buffer[: -len(_END) - 1]
        elif len(buffer) > max_bytes + len(_CLOSE):
            del buffer[: -len(_CLOSE) + 1]
            skipping = True
        start = max(0, len(buffer) - len(_CLOSE) + 1)
    if inside:
        raise _CutError("the file ends within a page")
    if not read:
        raise _CutError("the file is empty")
    if not whole and not count:
        raise _CutError("there is no page of MediaWiki in it")
    if whole and _END not in buffer:
        raise _CutError("the file is cut short: it ends without </mediawiki>")


def _raw(path: str, row: int, page: bytes | None, max_bytes: int) -> Raw:
    place = f"{path}#{row}"
    if page is None:
        return Raw(path, place, b"", row, error=too_large(max_bytes))
    title = _TITLE.search(page[:4000])
    name = html.unescape(title[1].decode("utf-8", "replace")) if title else ""
    return Raw(path, name if name.isprintable() and name else place, page, row)
