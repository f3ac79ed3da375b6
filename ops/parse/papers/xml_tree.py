"""XML of papers: parsing a tree within safe limits, and extracting running text from mixed content.

Belongs here: what TEI, JATS and ParsCit have in common. Not here: the formats; CL-SciSumm, in which sentences
are elements (acl_corpora.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lxml import etree

from ops.parse.papers.paper import Mark
from ops.parse.source import ParseError

_PLACE = re.compile(r",? line \d+, column \d+$")
_SPACE = re.compile(r"\s+")


def root_of(content: bytes, expected: str) -> etree._Element:
    """Return the root of a document, whose local name must be `expected`.

    A document type may be declared (JATS does), but is not loaded. Raises ParseError for XML that is
    malformed, declares entities, nests deeper than 256 levels or contains a text of more than 10 MB.
    """
    if not content.strip():
        raise ParseError("the file is empty")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:  # whose message is "unknown error"
            raise MemoryError from None
        line, column = error.position
        cause = _PLACE.sub("", error.msg or "").rstrip(".")
        raise ParseError(f"malformed XML: {cause} (line {line}, column {column})") from None
    except ValueError as error:
        raise ParseError(f"malformed XML: {error}") from None
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and next(declared.iterentities(), None) is not None:
        raise ParseError("the XML declares entities, which are refused")
    if name_of(root) != expected:
        raise ParseError(f"expected the element <{expected}>, found <{name_of(root)}>")
    return root


def name_of(element: etree._Element) -> str:
    """Return the local name of an element, "" for other nodes, such as entity references."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def descend(element: etree._Element, *names: str) -> etree._Element | None:
    """Return the first child of a child ... by local names, or None."""
    found: etree._Element | None = element
    for name in names:
        found = (
            next((child for child in found if name_of(child) == name), None) if found is not None else None
        )
    return found


def children(element: etree._Element | None, *names: str) -> Iterator[etree._Element]:
    """Yield the children with one of these local names."""
    yield from (child for child in element if name_of(child) in names) if element is not None else ()


def within(element: etree._Element | None, *names: str) -> Iterator[etree._Element]:
    """Yield the descendants (and the element itself) with one of these local names, in document order."""
    yield from (found for found in element.iter() if name_of(found) in names) if element is not None else ()


def plain(element: etree._Element | None) -> str:
    """Return all text in an element, with white space collapsed; "" for None."""
    return " ".join("".join(element.itertext(etree.Element)).split()) if element is not None else ""


class Running:
    """Builds running text piece by piece, with white space collapsed and citation marks located."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._open = False
        """Whether the text ends with a space."""
        self.marks: list[Mark] = []

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def add(self, text: str | None) -> None:
        """Append text; white space on both sides of a seam becomes one space."""
        folded = _SPACE.sub(" ", text or "")
        if folded.startswith(" ") and (self._open or not self._length):
            folded = folded[1:]
        if folded:
            self._pieces.append(folded)
            self._length += len(folded)
            self._open = folded.endswith(" ")

    def walk(
        self,
        element: etree._Element,
        entry: Callable[[etree._Element], str | None],
        skipped: Callable[[etree._Element], bool],
    ) -> Running:
        """Append the content of an element, and return self.

        `entry` returns the key that a citation mark refers to ("" if it is missing), or None if the element
        is not a mark. An element is replaced by a space if `skipped` is true for it.
        """
        self.add(element.text)
        for child in element:
            key = entry(child)
            pieces, start = len(self._pieces), self._length
            if skipped(child) or not name_of(child):
                self.add(" ")
            else:
                self.walk(child, entry, skipped)
            if key is not None and start < self._length:
                # Collapsed white space: the mark has at most one space at its start and one at its end.
                first = start + self._pieces[pieces].startswith(" ")
                last = self._length - self._open
                if first < last:
                    self.marks.append(Mark(first, last, key))
            self.add(child.tail)
        return self
