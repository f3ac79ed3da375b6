"""Corpora of the ACL Anthology that are already split into sentences: AASC and CL-SciSumm.

Belongs here: these two formats. Not here: the PDFs that they were made from (pdf.py), CL-SciSumm's citing
sentences and gold summaries (.json and .txt files next to the XML), which are not papers.

AASC (Aizawa et al. 2018) is the source of ParaSCI-ACL. A file `<paper_ID>.ss` is a paper. Each line is a
sentence: its id, the type of its section, and its text, separated by tabs; there is no header. An id
`s-<section>-<box>-<paragraph>-<sentence>` numbers the places where PDFNLT found them. Types are abstract,
introduction, background, method, method-other, result, discussion (including the conclusion), appendix
(including acknowledgments) and others. A section with two types has both, separated by a tab. Headings, title
and bibliography are missing. `CITE-p-21-3-1` stands for a citation of the entry that PDFNLT calls p-21-3-1,
`MATH-...` for a formula.

A CL-SciSumm document is a PAPER with the title (S sid="0"), an ABSTRACT, and SECTIONs with a `title`. All
contain S elements, one per sentence. The corpus (WING-NUS/scisumm-corpus) has irregularities. Some papers are
S elements without sections. SUBSECTION elements contain the text of a heading. Text is escaped twice
("&amp;quot;"). Empty S elements stand for lines that OCR could not read. A first section without a title
often repeats the abstract. One sentence in a hundred is split after "e.g." or "Fig."; the halves are joined
here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lxml import etree

from silverloom.ops.parse.decoding import decoded, unescaped
from silverloom.ops.parse.files import whole_files
from silverloom.ops.parse.papers.metadata import ACL_ANTHOLOGY
from silverloom.ops.parse.papers.paper import Mark, Paper, PaperBuilder
from silverloom.ops.parse.papers.xml_tree import root_of
from silverloom.ops.parse.source import Only, ParseError, Raw, Source
from silverloom.ops.text.sentences import goes_on

#: Section types as in AASC's classifier and overview (KMCS-NII/AASC). A section may have several.
_SECTION_TYPES = frozenset(
    ("abstract", "introduction", "background", "method", "method-other", "method-general", "result",
     "discussion", "appendix", "references", "others")
)  # fmt: skip
_ID = re.compile(r"s-(?P<section>\d{1,9})(?:-\d{1,9}){3}")
_ENTRY = r"p(?:-\d{1,9}){3}"
#: "(CITE-p-21-3-1, CITE-p-21-3-8)" is a mark of several entries.
_CITATION = re.compile(rf"CITE-{_ENTRY}(?:,\s?CITE-{_ENTRY})*")
_NAMED = re.compile(rf"CITE-({_ENTRY})")


class Aasc:
    """Reads AASC: every *.ss file below the folder is a paper, and other files are skipped."""

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.ss file; the document id is its stem, which is the paper's ACL Anthology id."""
        return whole_files(folder, source, (".ss",), only, passing=True)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the document id."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper, which has no title. Raises ParseError that names the line."""
        paper = PaperBuilder("")
        paper.subjects = (ACL_ANTHOLOGY,)
        section: tuple[str, str] | None = None
        for number, line in enumerate(decoded(raw.content).split("\n"), 1):
            if not line.strip():
                continue
            place, *cells = line.rstrip("\r").split("\t")
            if len(cells) < 2:
                raise ParseError(f"line {number}: its cells are {len(cells) + 1}, due are id, type, sentence")
            match = _ID.fullmatch(place)
            if match is None:
                raise ParseError(f"line {number}: {place!r:.40} is no id of a sentence, such as s-1-1-0-0")
            kind, text = _type_and_text(cells)
            if (match["section"], kind) != section:
                section = match["section"], kind
                paper.section(kind, 1)
            paper.sentence(text, place, list(_marks(text)))
        return paper.finish()


def _type_and_text(cells: Sequence[str]) -> tuple[str, str]:
    types = 1
    while types < len(cells) - 1 and cells[types] in _SECTION_TYPES:
        types += 1
    return " and ".join(cells[:types]), " ".join(cells[types:])


def _marks(text: str) -> Iterator[Mark]:
    """Yield the citation marks: one for each entry in a mark."""
    for mark in _CITATION.finditer(text):
        for entry in _NAMED.findall(mark[0]):
            yield Mark(mark.start(), mark.end(), entry)


_HOLDERS = {"ABSTRACT", "SECTION"}
#: [ours] Share of an untitled first section's words that are also in the abstract if it repeats the abstract.
_SAME_WORDS = 0.7


class ClSciSumm:
    """Reads CL-SciSumm's XML: every *.xml file below the folder is a paper, and other files are skipped."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.xml file; the document id is its stem."""
        return whole_files(folder, source, (".xml",), only, passing=True)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document id and title."""
        return {"document": raw.document, "title": _title(root_of(raw.content, "PAPER"))}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError for malformed XML, DTDs, entities and unknown elements."""
        root = root_of(raw.content, "PAPER")
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
                    # A repetition stays in the abstract: it must not give paraphrase pairs or a preamble.
                    if not (paper.sections == 1 and _repeats(element, abstract)):
                        paper.section(unescaped(element.get("title") or ""), 1)
                elif element.tag == "SUBSECTION":
                    paper.section(_text(element), 2)
                elif element.tag == "S":
                    _add(paper, element)
                else:
                    _check(element, {*_HOLDERS, "SUBSECTION", "S"})
        return paper.finish()


def _title(root: etree._Element) -> str:
    return next((_text(child) for child in root if child.tag == "S" and child.get("sid") == "0"), "")


def _check(element: etree._Element, known: set[str]) -> None:
    if element.tag not in known:
        raise ParseError(f"unexpected element <{element.tag}>; known are S, ABSTRACT, SECTION, SUBSECTION")


def _add(paper: PaperBuilder, element: etree._Element) -> None:
    text, sid = _text(element), element.get("sid", "?")
    if text and goes_on(paper.last_text, text):
        paper.go_on(text, f"{paper.last_locator.partition('-')[0]}-{sid}")
    else:
        paper.sentence(text, f"S sid={sid}")


def _text(element: etree._Element) -> str:
    if len(element):
        raise ParseError(
            f"an element <{element[0].tag}> inside of <{element.tag}> (line {element.sourceline})"
        )
    return unescaped(element.text or "").strip()


def _words(element: etree._Element) -> set[str]:
    return set(re.findall(r"\w+", " ".join(_text(sentence) for sentence in element.iter("S")).lower()))


def _repeats(section: etree._Element, abstract: set[str]) -> bool:
    words = _words(section)
    untitled = not (section.get("title") or "").strip()
    return untitled and bool(abstract) and len(words & abstract) >= _SAME_WORDS * len(words)
