"""An item of a collection, the interface of collections, and parsing of XML from the web.

Belongs here: what all collections share. Not here: the registry (kinds.py), the collections (papers.py,
web.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from silverloom.ops.crawl.client import Client, FetchError


@dataclass(frozen=True)
class Item:
    """One document, or one piece of a dump, and where it is."""

    id: str
    """Its id in the collection, the same in every listing."""
    url: str
    month: str
    """Month of publication, YYYY-MM."""
    offset: int | None = None
    """Start of its range in the file at `url`; None for the whole file."""
    length: int | None = None
    """Length in bytes; None to the end."""
    about: Mapping[str, str] = field(default_factory=dict)
    """Metadata in the listing: title, video, licence."""

    @property
    def address(self) -> str:
        """Its address, the same in every listing: with its range, and without a signature."""
        end = "" if self.length is None else (self.offset or 0) + self.length - 1
        place = self.url.partition("?X-Amz-")[0]
        return place if self.offset is None else f"{place}#bytes={self.offset}-{end}"


class Collection(Protocol):
    """Lists items and fetches them."""

    def items(self, month: str) -> Iterator[Item]:
        """Yield the items of a month, always in the same order. Raises FetchError."""
        ...

    def content(self, item: Item, conditions: Mapping[str, str]) -> Iterator[bytes]:
        """Yield the bytes of an item in pieces; `conditions` are headers of a conditional request.

        Raises FetchError, also between pieces, and UnchangedError at the start.
        """
        ...


@dataclass(frozen=True)
class WebCollection:
    """A collection whose items are files, or ranges of files, on the web."""

    client: Client

    def content(self, item: Item, conditions: Mapping[str, str] | None = None) -> Iterator[bytes]:
        """Yield the bytes of an item in pieces; see `Collection.content`."""
        if item.offset is None:
            return self.client.stream(item.url, conditions)
        return self.client.range(item.url, item.offset, item.length, conditions)


def elements(chunks: Iterable[bytes], where: str) -> Element:
    """Parse a document from pieces and return its root; entities are refused. Raises FetchError."""
    parser = DefusedXMLParser()
    try:
        for chunk in chunks:
            parser.feed(chunk)
        root: Element = parser.close()
    except (ParseError, DefusedXmlException, ValueError) as error:
        if isinstance(error, FetchError):
            raise
        raise FetchError(f"{where}: no XML that can be read: {error}") from error
    return root


def text_of(element: Element | None) -> str:
    """Return all text of an element with single spaces; "" for None."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def texts(parent: Element, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield name and text of the named children that have text."""
    for name in names:
        if text := text_of(parent.find(name)):
            yield name, text
