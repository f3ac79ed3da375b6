"""Papers that three tools extracted from PDFs: GROBID's TEI, ParsCit's XML, ScienceParse's JSON.

Belongs here: these formats. Not here: reading PDF (pdf.py); finding the sentences of a section, and removing
footnotes and the like from its text (body.py).

GROBID: the reader takes the main title of the header, its abstract, the `div`s of body and back matter with
their `head` (whose attribute `n` is the number), and the `biblStruct`s of the bibliography. Elements `s` are
sentences. A mark is `ref type="bibr"`, whose `target` names an entry. Subjects are the `classCode`s of the
header, and the journal. Figures, tables and notes are not running text; a formula that interrupts a sentence
leaves a hole. ParsCit: below `algorithms`, SectLabel has titles, headings of three levels and `bodyText` in
lines as printed. ParsCit has the `citation`s, each with the `context`s that cite it; `citStr` is the text of
the mark, wherever it occurs. If two entries have the same mark ("Anonymous, 1999"), every such mark belongs
to both.

ScienceParse: a record is {"title", "abstractText", "year", "sections": [{"heading", "text"}], ...}, alone or
as the "metadata" of an outer object. A section without a heading (mostly the footer of the first page) keeps
its sentences, with the role preamble, which TalkSumm's released code skips.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lxml import etree

from silverloom.ops.parse.decoding import ids_of, json_object, kind_of, list_at, scalars, text_at
from silverloom.ops.parse.files import whole_files
from silverloom.ops.parse.papers.metadata import doi_of, subjects_of
from silverloom.ops.parse.papers.paper import BibliographyEntry, Mark, Paper, PaperBuilder
from silverloom.ops.parse.papers.xml_tree import (
    Markup,
    Running,
    children,
    descend,
    name_of,
    plain,
    root_of,
    within,
)
from silverloom.ops.parse.source import Only, ParseError, Raw, Source

_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_MARKUP = Markup(
    blocks=frozenset(
        {"p", "ab", "list", "list/head", "list/label", "item", "quote", "cit", "lg", "l", "sp", "speaker",
         "floatingText", "epigraph"}
    ),
    skipped=frozenset(
        {"figure", "head", "label", "div", "listBibl", "biblStruct", "lb", "cb", "pb"}
    ),
    displayed=frozenset({"formula", "graphic", "table", "media", "binaryObject"}),
    pictures=frozenset({"g"}),
    sentences=frozenset({"s"}),
)  # fmt: skip
_ABSTRACT = replace(_MARKUP, blocks=_MARKUP.blocks | {"div"}, skipped=_MARKUP.skipped - {"div"})

#: Titles of divisions that are printed without one.
_TITLES = {"abstract": "Abstract", "acknowledgement": "Acknowledgments", "annex": "Appendix"}


class Tei:
    """Reads GROBID's TEI; every *.tei.xml, *.tei and *.xml file below the folder is a paper."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document id is its name without these suffixes."""
        return whole_files(folder, source, (".xml", ".tei"), only, document=_tei_document)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return title, document id, and the date of publication if the header has one."""
        root = root_of(raw.content, "TEI")
        return {"title": _tei_title(root), "date": _tei_date(root), "document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError for malformed XML, and for XML that is not TEI."""
        root = root_of(raw.content, "TEI")
        paper = PaperBuilder(_tei_title(root))
        paper.subjects, paper.doi = _tei_subjects(root), _tei_doi(root)
        text = descend(root, "text")
        abstract = descend(root, "teiHeader", "profileDesc", "abstract")
        if abstract is not None and plain(abstract):
            _add_division(paper, abstract, "Abstract", 1, _ABSTRACT)
        for part in children(text, "front", "body", "back"):
            _add_division(paper, part)
            for section in within(part, "div"):
                kind = section.get("type") or _kind_of(section.getparent())
                if kind != "references" and not (kind == "abstract" and plain(abstract)):
                    head = descend(section, "head")
                    number = head.get("n", "") if head is not None else ""
                    _add_division(
                        paper, section, f"{number} {plain(head)}".strip(), usual=_TITLES.get(kind, "")
                    )
        for entry in within(descend(text, "back") if text is not None else None, "biblStruct"):
            paper.entry(_tei_entry(entry))
        return paper.finish()


def _tei_document(path: str) -> str:
    return Path(path).name.removesuffix(".xml").removesuffix(".tei")


def _tei_title(root: etree._Element) -> str:
    titles = list(children(descend(root, "teiHeader", "fileDesc", "titleStmt"), "title"))
    return plain(
        next((title for title in titles if title.get("type") == "main"), titles[0] if titles else None)
    )


def _tei_subjects(root: etree._Element) -> tuple[str, ...]:
    """Return the codes of the header's classification, and the journal; keywords are not used."""
    classes = descend(root, "teiHeader", "profileDesc", "textClass")
    source = descend(root, "teiHeader", "fileDesc", "sourceDesc")
    journals = (title for title in within(source, "title") if title.get("level") == "j")
    return subjects_of(map(plain, within(classes, "classCode")), map(plain, journals))


def _tei_doi(root: etree._Element) -> str:
    """Return the DOI of the paper, which is among the ids of the header's source."""
    source = descend(root, "teiHeader", "fileDesc", "sourceDesc")
    return doi_of(*(plain(one) for one in within(source, "idno") if one.get("type") == "DOI"))


def _tei_date(root: etree._Element) -> str:
    dates = within(descend(root, "teiHeader", "fileDesc"), "date")
    return next((when for date in dates if (when := date.get("when"))), "")


def _kind_of(division: etree._Element) -> str:
    return division.get("type", "") if name_of(division) == "div" else ""


def _add_division(
    paper: PaperBuilder,
    division: etree._Element,
    title: str = "",
    level: int | None = None,
    markup: Markup = _MARKUP,
    usual: str = "",
) -> None:
    """Add a section with the text of a division without its subdivisions; one without title may be empty.

    Text without title has the `usual` one.
    """
    paragraphs = Running(markup, _tei_key).paragraphs(division)
    if title or paragraphs:
        paper.section(title or usual, level)
    for paragraph in paragraphs:
        paragraph.add_to(paper)


def _tei_key(element: etree._Element) -> str | None:
    cites = name_of(element) == "ref" and element.get("type") == "bibr"
    return element.get("target", "").removeprefix("#") if cites else None


def _tei_entry(entry: etree._Element) -> BibliographyEntry:
    analytic, monogr = descend(entry, "analytic"), descend(entry, "monogr")
    titles = [descend(one, "title") for one in (analytic, monogr) if one is not None]
    authors = list(within(analytic, "author")) or list(within(monogr, "author"))
    dates = (date.get("when", "") for date in within(monogr, "date"))
    notes = (plain(note) for note in children(entry, "note") if note.get("type") == "raw_reference")
    numbers = [((one.get("type") or "id").lower(), plain(one)) for one in within(entry, "idno")]
    return BibliographyEntry(
        entry.get(_XML_ID, ""),
        next(notes, ""),
        next(filter(None, map(plain, titles)), ""),
        next(filter(None, dates), "")[:4],
        tuple(filter(None, (_tei_name(author) for author in authors))),
        ids_of(*numbers),
    )


def _tei_name(author: etree._Element) -> str:
    return " ".join(filter(None, (plain(name) for name in within(author, "forename", "surname"))))


_HEADING_LEVELS = {"sectionHeader": 1, "subsectionHeader": 2, "subsubsectionHeader": 3}
_TEXT_ELEMENTS = frozenset({"bodyText", "listItem"})
_LONGEST_MARK = 100


class ParsCit:
    """Reads ParsCit's XML: every *.xml file below the folder is a paper, and other files are skipped."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.xml file; the document id is its stem."""
        return whole_files(folder, source, (".xml",), only, passing=True)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document id and title."""
        return {"document": raw.document, "title": _parscit_title(root_of(raw.content, "algorithms"))}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError for malformed XML, and if SectLabel's part is missing."""
        root = root_of(raw.content, "algorithms")
        citations = list(within(_algorithm(root, "ParsCit"), "citation"))
        finder = _Finder(citations)
        paper = PaperBuilder(_parscit_title(root))
        pieces: list[tuple[str, str]] = []

        def flush() -> None:
            if pieces:
                if not paper.sections:
                    paper.section("")
                paper.flow(pieces, finder.marks("\n\n".join(text for text, _ in pieces)))
                pieces.clear()

        for element in _printed_lines(root):
            name = name_of(element)
            if name in _HEADING_LEVELS:
                flush()
                paper.section(plain(element), _HEADING_LEVELS[name])
            elif name in _TEXT_ELEMENTS and (text := (element.text or "").strip()):
                pieces.append((text, f"line {element.sourceline}"))
        flush()
        for number, citation in enumerate(citations):
            paper.entry(_parscit_entry(str(number), citation))
        return paper.finish()


class _Finder:
    """Finds the marks of a paper's citations in a text, even across line breaks."""

    def __init__(self, citations: list[etree._Element]) -> None:
        self._entries: dict[str, list[str]] = {}
        for number, citation in enumerate(citations):
            for context in within(citation, "context"):
                mark = " ".join(context.get("citStr", "").split())
                keys = self._entries.setdefault(_mark_form(mark), [])
                if 3 <= len(mark) <= _LONGEST_MARK and str(number) not in keys:
                    keys.append(str(number))
        forms = sorted(filter(None, self._entries), key=len, reverse=True)
        # A line break may occur between any two characters of the mark, with or without a hyphen.
        self._pattern = re.compile("|".join(r"-?\s*".join(map(re.escape, form)) for form in forms) or "(?!)")

    def marks(self, text: str) -> list[Mark]:
        """Return the marks: one for each entry that a mark names."""
        return [
            Mark(match.start(), match.end(), key)
            for match in self._pattern.finditer(text)
            for key in self._entries.get(_mark_form(match.group()), ())
        ]


def _mark_form(mark: str) -> str:
    return re.sub(r"[-\s]", "", mark)


def _algorithm(root: etree._Element, name: str) -> etree._Element | None:
    return next((part for part in children(root, "algorithm") if part.get("name") == name), None)


def _printed_lines(root: etree._Element) -> Iterator[etree._Element]:
    variant = _algorithm(root, "SectLabel")
    variant = descend(variant, "variant") if variant is not None else None
    if variant is None:
        raise ParseError("no algorithm SectLabel: not the XML of ParsCit with sections")
    yield from variant


def _parscit_title(root: etree._Element) -> str:
    titles = (element for element in _printed_lines(root) if name_of(element) == "title")
    return plain(next(titles, None))


def _parscit_entry(key: str, citation: etree._Element) -> BibliographyEntry:
    return BibliographyEntry(
        key,
        plain(descend(citation, "rawString")),
        plain(descend(citation, "title")).rstrip("."),
        plain(descend(citation, "date")),
        tuple(plain(author) for author in children(descend(citation, "authors"), "author")),
    )


class ScienceParse:
    """Reads ScienceParse's JSON: every *.json file below the folder is a paper."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.json file; the document id is its stem."""
        return whole_files(folder, source, (".json",), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the short strings and numbers of the metadata (title, year, ...), and the document id."""
        return {**scalars(_metadata(raw.content)), "document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError that names a key of the wrong type."""
        metadata = _metadata(raw.content)
        paper = PaperBuilder(text_at(metadata.get("title"), "title"))
        abstract = text_at(metadata.get("abstractText"), "abstractText")
        if abstract.strip():
            paper.section("Abstract")
            paper.body(abstract, "abstractText")
        # ScienceParse writes "sections": null if it found no sections.
        for index, section in enumerate(list_at(metadata.get("sections") or [], "sections")):
            where = f"sections[{index}]"
            if not isinstance(section, dict):
                raise ParseError(f"{where} must be an object, found {kind_of(section)}")
            paper.section(text_at(section.get("heading"), f"{where}.heading"))
            paper.body(text_at(section.get("text"), f"{where}.text"), where)
        return paper.finish()


def _metadata(content: bytes) -> Mapping[str, Any]:
    record = json_object(content)
    metadata = record.get("metadata", record)
    if not isinstance(metadata, dict):
        raise ParseError(f"metadata must be an object, found {kind_of(metadata)}")
    if "sections" not in metadata and "abstractText" not in metadata:
        raise ParseError("neither the key sections nor the key abstractText: not ScienceParse's JSON")
    return metadata
