"""An item of a collection, what a collection must be able to do, and elements of XML from the web.

Belongs here: what all collections share. Not here: which there are (kinds.py), their formats (papers.py,
web.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from ops.crawl.client import Client, FetchError


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


def elements(chunks: Iterable[bytes], where: str) -> Element:
    """Return the root of a document that comes in pieces; entities are refused. Raises FetchError."""
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
    """Return all text of an element, with single spaces; empty for None."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def texts(parent: Element, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the names of children that have text, with that."""
    for name in names:
        if text := text_of(parent.find(name)):
            yield name, text
