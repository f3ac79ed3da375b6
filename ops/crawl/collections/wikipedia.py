"""Wikipedia dumps in many streams: packs of a hundred pages, each bzip2 of its own, found by the index.

Belongs here: the packs of a dump, by ranges. Not here: reading XML and wikitext (ops/parse).
"""

from __future__ import annotations

import bz2
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ops.crawl.client import FetchError
from ops.crawl.collections.item import Item, WebCollection
from ops.text.numbers import whole_number

_LONGEST_LINE = 10_000


@dataclass(frozen=True)
class WikipediaDump(WebCollection):
    """The packs `first` to `last` of a dump, counted from 0, the last not included; None: to the end."""

    dump: str
    """`https://dumps.wikimedia.org/enwiki/20180801/enwiki-20180801-pages-articles-multistream.xml.bz2`."""
    index: str
    """The same with `-index.txt.bz2`."""
    month: str
    first: int = 0
    last: int | None = None

    def items(self, month: str) -> Iterator[Item]:
        """Yield the packs, if the dump is of this month; the index is read as far as is needed."""
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

    def pages(self, item: Item) -> bytes:
        """Return the pages of a pack as XML, without the element around them. Raises FetchError."""
        packed = b"".join(self.content(item))
        try:
            return bz2.BZ2Decompressor().decompress(packed, self.client.most_bytes)
        except OSError as error:
            raise FetchError(f"{item.url}: no pack begins at byte {item.offset}: {error}") from error

    def _offsets(self) -> Iterator[int]:
        """Yield where each pack begins: lines are `offset:page:title`, a hundred with the same offset."""
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
    """Yield the lines of a packed text, a piece at a time in memory."""
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
