"""A tar of papers, as arXiv's bulk data are.

Belongs here: walking its members. Not here: what they are (crawled.py). Tars in a folder are to be unpacked.

A header is read by Python's tarfile, the way from one to the next is our own: it leads forward only, and no
member is longer than what is there. Links, directories, sparse files and longer names (which are headers of
their own) are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from tarfile import (
    AREGTYPE,
    BLKTYPE,
    BLOCKSIZE,
    CHRTYPE,
    DIRTYPE,
    FIFOTYPE,
    LNKTYPE,
    REGTYPE,
    SYMTYPE,
    HeaderError,
    TarInfo,
)
from typing import NamedTuple

_MAGIC = slice(257, 262)
#: Behind their headers stands nothing, whatever size these tell.
_NO_CONTENT = frozenset((LNKTYPE, SYMTYPE, DIRTYPE, FIFOTYPE, CHRTYPE, BLKTYPE))


class Member(NamedTuple):
    """A file in a tar, or why no more are read."""

    name: str
    content: bytes
    error: str | None = None


def is_tar(content: bytes) -> bool:
    """Say whether bytes begin as a POSIX or GNU tar does, not packed."""
    return content[_MAGIC] == b"ustar"


def members_of(content: bytes) -> Iterator[Member]:
    """Yield the files of a tar in their order; what stops the reading is the error of one last member."""
    place = 0
    while place < len(content):
        block = content[place : place + BLOCKSIZE]
        if not block.strip(b"\0"):  # the end of the archive
            return
        try:
            header = TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except HeaderError as error:
            yield Member("", b"", f"the archive is damaged from byte {place} on: {error}")
            return
        start = place + BLOCKSIZE
        end = start + (0 if header.type in _NO_CONTENT else header.size)
        if not start <= end <= len(content):
            yield Member(header.name, b"", "the archive ends within this file")
            return
        if header.type in (REGTYPE, AREGTYPE):
            yield Member(header.name, content[start:end])
        place = end + -end % BLOCKSIZE
