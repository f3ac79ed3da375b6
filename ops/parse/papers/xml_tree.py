"""XML of papers: the tree within safe limits, and running text out of mixed content.

Belongs here: what TEI, JATS and ParsCit have in common. Not here: the formats, and CL-SciSumm, whose
sentences are elements (acl_corpora.py).
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

    A document type may be named (JATS does), and is not loaded. Raises ParseError for XML that is malformed,
    declares entities, nests deeper than 256 or holds a text of more than 10 MB.
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
    """Return the local name of an element; "" of what is none, such as a reference to an entity."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def descend(element: etree._Element, *names: str) -> etree._Element | None:
    """Return the first child of a child ... by local names, None where there is none."""
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
    """Yield the elements below with one of these local names, in the document's order."""
    yield from (found for found in element.iter() if name_of(found) in names) if element is not None else ()


def plain(element: etree._Element | None) -> str:
    """Return the text of an element and all below it, white space folded; "" of None."""
    return " ".join("".join(element.itertext(etree.Element)).split()) if element is not None else ""


class Running:
    """Running text that is laid out piece by piece, white space folded, with marks in it."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._open = False
        """Whether a space stands at the end."""
        self.marks: list[Mark] = []

    @property
    def text(self) -> str:
        """What was laid out."""
        return "".join(self._pieces)

    def add(self, text: str | None) -> None:
        """Add text; white space at a seam counts once."""
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
        """Add what stands in an element, and return this.

        `entry` returns the key that a citation mark names ("" if none), None of what is no mark; elements
        that are `skipped` leave a space.
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
                # White space is folded: one space at most stands before the mark, and one behind it.
                first = start + self._pieces[pieces].startswith(" ")
                last = self._length - self._open
                if first < last:
                    self.marks.append(Mark(first, last, key))
            self.add(child.tail)
        return self
