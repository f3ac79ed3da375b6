"""CL-SciSumm papers: XML with one S element a sentence.

Belongs here: this format. Not here: its citing sentences and gold summaries (.json and .txt files beside
the XML), which are no papers.

A document is a PAPER with the title (S sid="0"), an ABSTRACT, and SECTIONs with a `title`; all hold S
elements. In the corpus (WING-NUS/scisumm-corpus) some papers are S elements without sections, SUBSECTION
elements hold the text of a heading, text is escaped twice ("&amp;quot;"), empty S elements stand for
lines that OCR could not read, an untitled first section often repeats the abstract, and one sentence of a
hundred is cut in two behind "e.g." or "Fig.": those are made one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError as XmlError
from xml.etree.ElementTree import TreeBuilder

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from ops.parse.decoding import unescaped
from ops.parse.files import whole_files
from ops.parse.papers.paper import Paper, PaperBuilder
from ops.parse.source import Only, ParseError, Raw, Source
from ops.text.sentences import ends_in_abbreviation

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_HOLDERS = {"ABSTRACT", "SECTION"}
#: [ours] Of the words of an untitled first section, the share that the abstract has where it repeats it.
_SAME_WORDS = 0.7
#: A paper needs four levels, and has some hundred sentences.
_DEEPEST = 10
_MOST_ELEMENTS = 200_000


class ClSciSumm:
    """Reads CL-SciSumm's XML; every *.xml file below the folder is a paper, other files are none."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.xml file; the document id is its stem."""
        return whole_files(folder, source, (".xml",), only, passing=True)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document and title."""
        return {"document": raw.document, "title": _title(_root(raw.content))}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError for malformed XML, DTDs, entities and foreign elements."""
        root = _root(raw.content)
        paper = PaperBuilder(_title(root), spaces=True)
        abstract: set[str] = set()
        loose = False
        for child in root:
            if child.tag == "S":
                if child.get("sid") == "0":
                    continue
                if not loose:
                    paper.section("")
                loose = True
                _add(paper, child)
                continue
            loose = False
            _check(child, _HOLDERS)
            for element in child.iter():
                if element.tag == "ABSTRACT":
                    if len(element):
                        paper.section("Abstract", 1)
                    abstract = _words(element)
                elif element.tag == "SECTION":
                    # The repetition is part of the abstract: no pair of sections, no preamble.
                    if not (paper.sections == 1 and _repeats(element, abstract)):
                        paper.section(unescaped(element.get("title") or ""), 1)
                elif element.tag == "SUBSECTION":
                    paper.section(_text(element), 2)
                elif element.tag == "S":
                    _add(paper, element)
                else:
                    _check(element, {*_HOLDERS, "SUBSECTION", "S"})
        return paper.finish()


class _Builder(TreeBuilder):
    """Builds the tree of a document, and refuses one whose reading would cost more than its size."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self._elements = 0

    def start(self, tag: Any, attrs: Any) -> Element:
        """Begin an element. Raises ParseError for one too many, too deep, or inside of a sentence."""
        self._elements += 1
        if self._elements > _MOST_ELEMENTS:
            raise ParseError(f"more than {_MOST_ELEMENTS} elements")
        if len(self._open) == _DEEPEST:
            raise ParseError(f"elements nested deeper than {_DEEPEST}")
        if self._open and self._open[-1] == "S":
            raise ParseError(f"an element <{tag}> inside of <S>")
        self._open.append(tag)
        return super().start(tag, attrs)

    def end(self, tag: str) -> Element:
        """End an element."""
        self._open.pop()
        return super().end(tag)


def _root(content: bytes) -> Element:
    if not content.strip():
        raise ParseError("the file is empty")
    parser = ElementTree.XMLParser(target=_Builder(), forbid_dtd=True)
    try:
        parser.feed(content)
        root: Element = parser.close()
    except ParseError as error:
        raise ParseError(f"{error} (line {parser.parser.CurrentLineNumber})") from None
    except XmlError as error:
        line, column = error.position
        cause = str(error).split(":")[0]
        raise ParseError(f"malformed XML: {cause} (line {line}, column {column + 1})") from None
    except DefusedXmlException:
        raise ParseError("the XML declares a document type or entities, which are refused") from None
    except (ValueError, LookupError) as error:
        raise ParseError(f"the XML names an encoding that cannot be read: {error}") from None
    if root.tag != "PAPER":
        raise ParseError(f"expected the element <PAPER>, found <{root.tag}>")
    return root


def _title(root: Element) -> str:
    return next((_text(child) for child in root if child.tag == "S" and child.get("sid") == "0"), "")


def _check(element: Element, known: set[str]) -> None:
    if element.tag not in known:
        raise ParseError(f"unexpected element <{element.tag}>; known are S, ABSTRACT, SECTION, SUBSECTION")


def _add(paper: PaperBuilder, element: Element) -> None:
    text, sid = _text(element), element.get("sid", "?")
    if text and ends_in_abbreviation(paper.last_text):
        paper.go_on(text, f"{paper.last_locator.partition('-')[0]}-{sid}")
    else:
        paper.sentence(text, f"S sid={sid}")


def _text(element: Element) -> str:
    return unescaped("".join(element.itertext())).strip()


def _words(element: Element) -> set[str]:
    return set(re.findall(r"\w+", " ".join(_text(sentence) for sentence in element.iter("S")).lower()))


def _repeats(section: Element, abstract: set[str]) -> bool:
    words = _words(section)
    untitled = not (section.get("title") or "").strip()
    return untitled and bool(abstract) and len(words & abstract) >= _SAME_WORDS * len(words)
