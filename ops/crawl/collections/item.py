"""An item of a collection, and what a collection must be able to do.

Belongs here: what all collections share. Not here: their formats (a module each).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ops.crawl.client import Client


@dataclass(frozen=True)
class Item:
    """One document, or one piece of a dump, and where it lies."""

    id: str
    """In its collection; the same whenever it is listed."""
    url: str
    month: str
    """YYYY-MM, of publication."""
    offset: int | None = None
    """Where it begins in what lies at `url`; None: it is all of that."""
    length: int | None = None
    """Its bytes; None: to the end."""
    about: Mapping[str, str] = field(default_factory=dict)
    """What the listing says of it: title, video, licence."""

    @property
    def address(self) -> str:
        """Where it lies, the same whenever it is listed: with its range, and without a signature."""
        end = "" if self.length is None else (self.offset or 0) + self.length - 1
        place = self.url.partition("?X-Amz-")[0]
        return place if self.offset is None else f"{place}#bytes={self.offset}-{end}"


class Collection(Protocol):
    """What lists and fetches."""

    def items(self, month: str) -> Iterator[Item]:
        """Yield the items of a month, in the same order each time. Raises FetchError."""
        ...

    def content(self, item: Item, conditions: Mapping[str, str]) -> Iterator[bytes]:
        """Yield the bytes of an item in pieces; with headers as conditions, if it changed.

        Raises FetchError, also in the middle, and UnchangedError at the beginning.
        """
        ...


@dataclass(frozen=True)
class WebCollection:
    """A collection whose items are files, or ranges of files, on the web."""

    client: Client

    def content(self, item: Item, conditions: Mapping[str, str] | None = None) -> Iterator[bytes]:
        """Yield the bytes of an item in pieces, see `Collection.content`."""
        if item.offset is None:
            return self.client.stream(item.url, conditions)
        return self.client.range(item.url, item.offset, item.length, conditions)
