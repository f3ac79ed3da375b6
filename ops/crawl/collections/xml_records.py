"""Elements of XML from the web, one at a time. Not here: what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from ops.crawl.client import FetchError


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
