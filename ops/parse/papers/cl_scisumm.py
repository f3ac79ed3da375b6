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

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError as XmlError

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from ops.parse.files import whole_files
from ops.parse.papers.paper import Paper, PaperBuilder
from ops.parse.source import Only, ParseError, Raw, Source
from ops.text.sentences import ends_in_abbreviation

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_HOLDERS = {"ABSTRACT", "SECTION"}
#: [ours] Of the words of an untitled first section, the share that the abstract has where it repeats it.
_SAME_WORDS = 0.7


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
                        paper.section(_unescaped(element.get("title") or ""), 1)
                elif element.tag == "SUBSECTION":
                    paper.section(_text(element), 2)
                elif element.tag == "S":
                    _add(paper, element)
                else:
                    _check(element, {*_HOLDERS, "SUBSECTION", "S"})
        return paper.finish()


def _root(content: bytes) -> Element:
    if not content.strip():
        raise ParseError("the file is empty")
    try:
        root: Element = ElementTree.fromstring(content, forbid_dtd=True)
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
    return _unescaped("".join(element.itertext())).strip()


def _unescaped(text: str) -> str:
    return html.unescape(text)


def _words(element: Element) -> set[str]:
    return set(re.findall(r"\w+", " ".join(_text(sentence) for sentence in element.iter("S")).lower()))


def _repeats(section: Element, abstract: set[str]) -> bool:
    words = _words(section)
    untitled = not (section.get("title") or "").strip()
    return untitled and bool(abstract) and len(words & abstract) >= _SAME_WORDS * len(words)
