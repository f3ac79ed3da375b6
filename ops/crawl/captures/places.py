"""Files that are read in ranges (on the web, in a folder, in a bucket), and the options of captures.

Belongs here: the files of a place, their sizes, reading bytes of them, and the options in params.yaml. Not
here: the content of the files.

All web requests go through the crawl's client, which checks addresses, waits and retries. fsspec reads
folders and buckets.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urljoin

from pydantic import Field

from silverloom.ops.crawl.client import Client, FetchError
from silverloom.ops.crawl.collections.kinds import BUCKETS, CollectionOptions
from silverloom.ops.crawl.collections.web import file_system, leads_out
from silverloom.ops.parse.unpacked import packing_of

if TYPE_CHECKING:
    import fsspec


class CaptureOptions(CollectionOptions):
    """Locations of Common Crawl's columnar index and WARC files, and which captures to take."""

    licence: str = Field(min_length=1, description="of the pages; an SPDX name")
    index: str = Field(
        min_length=1,
        description="a folder or bucket with Parquet files, or the https:// address of a list of them",
    )
    files: str = Field(
        default="https://data.commoncrawl.org/",
        min_length=1,
        description="a folder, bucket or address that names of WARC files begin at, and those of the list",
    )
    crawl: str = Field(
        default="",
        pattern=r"^[\w-]*$",
        description="CC-MAIN-2018-26: its last capture of a page, whenever; empty: the last of the period",
    )
    pages: int = Field(default=10_000_000, gt=0, description="how many addresses are looked for")

    @property
    def environment(self) -> tuple[str, ...]:
        """Environment variables with keys and settings for the packages behind fsspec."""
        return BUCKETS


_PARQUET = ".parquet"
#: A relative path that does not leave its place, and is not an address.
_BELOW = re.compile(r"(?!.*(?:^|/)\.\.?(?:/|$))[\w.=+-]+(?:/[\w.=+-]+)*", re.ASCII)


class RangedPlace(Protocol):
    """Files that are read in ranges."""

    def size(self, name: str) -> int:
        """Return the size of a file in bytes. Raises FetchError."""
        ...

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return exactly this range of a file. Raises FetchError."""
        ...


@dataclass(frozen=True)
class WebPlace:
    """Files below a web address."""

    client: Client
    base: str

    def size(self, name: str) -> int:
        """Return the size of a file; see `RangedPlace.size`."""
        return self.client.size(urljoin(self.base, name))

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return bytes of a file; see `RangedPlace.read`."""
        return b"".join(self.client.range(urljoin(self.base, name), offset, length))


@dataclass(frozen=True)
class FolderPlace:
    """Files in a folder or bucket."""

    system: fsspec.AbstractFileSystem
    base: str

    def size(self, name: str) -> int:
        """Return the size of a file; see `RangedPlace.size`."""
        path = self._path(name)
        try:
            return int(self.system.info(path)["size"])
        except Exception as error:  # depends on the package that reads the bucket
            raise FetchError(f"{name}: {_told(error)}") from error

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return bytes of a file; see `RangedPlace.read`."""
        path = self._path(name)
        try:
            content = bytes(self.system.cat_file(path, start=offset, end=offset + length))
        except Exception as error:  # depends on the package that reads the bucket
            raise FetchError(f"{name}: {_told(error)}") from error
        if len(content) != length:
            raise FetchError(f"{name}: {len(content)} bytes from {offset} on, but {length} were requested")
        return content

    def files(self) -> list[str]:
        """Return the names of all Parquet files, sorted. Raises FetchError."""
        if not self.system.exists(self.base):
            raise FetchError(f"{self.base}: there is no such folder")
        paths = (path for path in self.system.find(self.base) if path.endswith(_PARQUET))
        return sorted(path.removeprefix(self.base).lstrip("/") for path in paths)

    def _path(self, name: str) -> str:
        path = f"{self.base}/{name}"
        if leads_out(self.system, self.base, path):
            raise FetchError(f"{name}: a link out of the folder")
        return path


def place_of(place: str, client: Client, root: Path) -> WebPlace | FolderPlace:
    """Return the reader of a place. A path without a protocol is relative to `root`. Raises FetchError."""
    if place.startswith(("http://", "https://")):
        return WebPlace(client, f"{place.rstrip('/')}/")
    return FolderPlace(*file_system(place if "://" in place else str(root.resolve() / place)))


def listed_files(address: str, client: Client, most_bytes: int) -> list[str]:
    """Return the names of Parquet files in a list on the web, plain or gzip, sorted.

    Raises FetchError, also for a list of more than `most_bytes` after decompression.
    """
    content = client.read(address)
    if packing_of(content) == "gzip":
        try:
            content = gzip.GzipFile(fileobj=io.BytesIO(content)).read(most_bytes + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise FetchError(f"{address}: {error}") from error
        if len(content) > most_bytes:
            raise FetchError(f"{address}: more than {most_bytes} bytes, unpacked")
    names = [line.strip() for line in content.decode(errors="replace").splitlines()]
    for name in names:
        if name and not is_below(name):
            raise FetchError(f"{address}: no path of a file: {name[:80]!r}")
    return sorted(name for name in names if name.endswith(_PARQUET))


def is_below(name: str) -> bool:
    """Say whether a name is a relative path that stays below its place."""
    return len(name) < 1000 and _BELOW.fullmatch(name) is not None


class RangedFile(io.RawIOBase):
    """A file object over a file that is read in ranges."""

    def __init__(self, place: RangedPlace, name: str) -> None:
        self._place, self._name = place, name
        self._size, self._at = place.size(name), 0
        self.failed: FetchError | None = None
        """Why bytes were not available: libraries that read the file only pass on the message."""

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the current position."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the current position."""
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, begin + offset)
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes, fewer at the end. Raises FetchError."""
        left = max(0, self._size - self._at)
        size = left if size is None or size < 0 else min(size, left)
        try:
            content = self._place.read(self._name, self._at, size) if size else b""
        except FetchError as error:
            self.failed = error
            raise
        self._at += size
        return content


def _told(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
