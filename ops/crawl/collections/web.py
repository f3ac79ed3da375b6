"""Collections of pages and files: Wikipedia's dumps, any folder or bucket.

Belongs here: the packs of a dump (bzip2 streams of a hundred pages each, located by the index); files below a
place, through fsspec (file://, s3://, gs://, az://, sftp://). Not here: reading XML and wikitext (ops/parse),
captures of Common Crawl (ops/crawl/captures).

fsspec does not check addresses. So protocols that request web addresses, or pass a place on to another
protocol (`simplecache::http://...`), are not allowed.
"""

from __future__ import annotations

import bz2
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from silverloom.ops.crawl.client import FetchError
from silverloom.ops.crawl.collections.item import Item, WebCollection
from silverloom.ops.text.words import whole_number

if TYPE_CHECKING:
    import fsspec

_LONGEST_LINE = 10_000


@dataclass(frozen=True)
class WikipediaDump(WebCollection):
    """The packs `first` to `last` of a dump, counted from 0, without `last`; None for the end."""

    dump: str
    """`https://dumps.wikimedia.org/enwiki/20180801/enwiki-20180801-pages-articles-multistream.xml.bz2`."""
    index: str
    """The same with `-index.txt.bz2`."""
    month: str
    first: int = 0
    last: int | None = None

    def items(self, month: str) -> Iterator[Item]:
        """Yield the packs if the dump is of this month, reading only as much of the index as needed."""
        if month != self.month:
            return
        offsets = self._offsets()
        begin = next(offsets, None)
        number = 0
        while begin is not None and (self.last is None or number < self.last):
            end = next(offsets, None)
            if number >= self.first:
                length = None if end is None else end - begin
                yield Item(f"{begin}", self.dump, month, begin, length)
            begin, number = end, number + 1

    def _offsets(self) -> Iterator[int]:
        """Yield the start of each pack: index lines are `offset:page:title`, a hundred per offset."""
        former = -1
        for line in _lines(self.client.stream(self.index), self.index):
            try:
                offset = whole_number(line.partition(b":")[0].decode("latin-1"))
            except ValueError:
                offset = -1
            if offset < max(former, 0):
                raise FetchError(f"{self.index}: no line of an index: {line[:80]!r}")
            if offset > former:
                former = offset
                yield former


def _lines(chunks: Iterable[bytes], where: str) -> Iterator[bytes]:
    """Yield the lines of a bzip2 text, with one piece in memory at a time."""
    unpacker, rest = bz2.BZ2Decompressor(), b""
    for chunk in chunks:
        while chunk or not (unpacker.needs_input or unpacker.eof):
            if unpacker.eof:
                unpacker = bz2.BZ2Decompressor()
            try:
                text = rest + unpacker.decompress(chunk, 2**20)
            except OSError as error:
                raise FetchError(f"{where}: {error}") from error
            chunk = unpacker.unused_data if unpacker.eof else b""
            *lines, rest = text.split(b"\n")
            yield from lines
            if len(rest) > _LONGEST_LINE:
                raise FetchError(f"{where}: a line of more than {_LONGEST_LINE} bytes")
    if not unpacker.eof:
        raise FetchError(f"{where}: it ends too early")
    yield from filter(None, [rest])


_CHUNK = 2**20
#: Protocols of files and buckets; a place without one is a local path.
_PROTOCOLS = frozenset(
    ("file", "local", "memory", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "sftp", "ssh")
)


@dataclass(frozen=True)
class Folder:
    """Files below `place` whose path matches `pattern`; its only group is the month (YYYY-MM or YYYYMM)."""

    place: str
    pattern: str

    def items(self, month: str) -> Iterator[Item]:
        """Yield the files of a month by path, without links out of a local folder. Raises FetchError."""
        system, base = file_system(self.place)
        if not system.exists(base):
            raise FetchError(f"{self.place}: there is no such folder")
        for path in sorted(system.find(base)):
            name = path.removeprefix(base).lstrip("/")
            match = re.search(self.pattern, name)
            if match and _dashed(match.group(1) or "") == month and not leads_out(system, base, path):
                yield Item(name, path, month, about={"size": str(system.info(path).get("size", ""))})

    def content(self, item: Item, conditions: Mapping[str, str] | None = None) -> Iterator[bytes]:
        """Yield the bytes of a file in pieces; ignores conditions. Raises FetchError."""
        system, _ = file_system(self.place)
        try:
            with system.open(item.url, "rb") as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
        except OSError as error:
            raise FetchError(f"{item.url}: {error.strerror or error}") from error


def file_system(place: str) -> tuple[fsspec.AbstractFileSystem, str]:
    """Return the file system and path of a folder or bucket. Raises FetchError for other places."""
    import fsspec  # late: every command imports the kinds of collections

    protocol = fsspec.utils.get_protocol(place)
    if protocol in ("http", "https"):
        raise FetchError(f"{place}: pages of the web are crawled (kind url_list), not listed")
    if protocol not in _PROTOCOLS or "::" in place:
        raise FetchError(f"{place}: no protocol of {', '.join(sorted(_PROTOCOLS))}")
    try:
        system, base = fsspec.core.url_to_fs(place)
    except (ImportError, ValueError) as error:
        raise FetchError(f"{place}: {error}") from error
    return system, str(base).rstrip("/")


def _dashed(month: str) -> str:
    return month if "-" in month else f"{month[:4]}-{month[4:]}"


def leads_out(system: fsspec.AbstractFileSystem, base: str, path: str) -> bool:
    """Say whether a path of a local folder is a link out of it."""
    local = "file" in (system.protocol if isinstance(system.protocol, tuple) else (system.protocol,))
    return local and not Path(path).resolve().is_relative_to(Path(base).resolve())
