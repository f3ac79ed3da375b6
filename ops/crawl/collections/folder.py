"""Any folder or bucket, through fsspec: file://, s3://, gs://, az://, sftp://.

Belongs here: files below a place. Not here: the web (url_list.py): fsspec checks no address. So no protocol
that asks for addresses of the web, or hands a place on to another protocol (`simplecache::http://...`), is
among those that are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ops.crawl.client import FetchError
from ops.crawl.collections.item import Item

if TYPE_CHECKING:
    import fsspec

_CHUNK = 2**20
#: What places of files and buckets begin with; a path without any is that of a file.
_PROTOCOLS = frozenset(
    ("file", "local", "memory", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "sftp", "ssh")
)


@dataclass(frozen=True)
class Folder:
    """Files below `place` whose path matches `pattern`; its one group is the month (YYYY-MM or YYYYMM)."""

    place: str
    pattern: str

    def items(self, month: str) -> Iterator[Item]:
        """Yield the files of a month by path; a link out of a local folder is none. Raises FetchError."""
        system, base = file_system(self.place)
        if not system.exists(base):
            raise FetchError(f"{self.place}: there is no such folder")
        for path in sorted(system.find(base)):
            name = path.removeprefix(base).lstrip("/")
            found = re.search(self.pattern, name)
            if found and _dashed(found.group(1) or "") == month and not leads_out(system, base, path):
                yield Item(name, path, month, about={"size": str(system.info(path).get("size", ""))})

    def content(self, item: Item, conditions: Mapping[str, str] | None = None) -> Iterator[bytes]:
        """Yield the bytes of a file in pieces; it knows no conditions. Raises FetchError."""
        system, _ = file_system(self.place)
        try:
            with system.open(item.url, "rb") as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
        except OSError as error:
            raise FetchError(f"{item.url}: {error.strerror or error}") from error


def file_system(place: str) -> tuple[fsspec.AbstractFileSystem, str]:
    """Return what reads a folder or bucket, and its path there. Raises FetchError for other places."""
    import fsspec  # here, since every command imports the kinds of collections

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
