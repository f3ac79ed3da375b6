"""ParsCit's XML: papers as its SectLabel takes their lines apart, and citations with their contexts.

Belongs here: this format. Not here: footnotes and the like that SectLabel took for text (body.py).

Below `algorithms`, SectLabel has titles, headings of three levels and `bodyText` in lines as printed; ParsCit
has the `citation`s, each with the `context`s that cite it: `citStr` is how the mark reads, wherever it
stands. Two entries with one such mark ("Anonymous, 1999") have all its marks both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from lxml import etree

from ops.parse.files import whole_files
from ops.parse.papers.paper import BibliographyEntry, Mark, Paper, PaperBuilder
from ops.parse.papers.xml_tree import children, descend, name_of, plain, root_of, within
from ops.parse.source import Only, ParseError, Raw, Source

_LEVELS = {"sectionHeader": 1, "subsectionHeader": 2, "subsubsectionHeader": 3}
_TEXT = frozenset({"bodyText", "listItem"})
_LONGEST_MARK = 100


class ParsCit:
    """Reads ParsCit's XML; every *.xml file below the folder is a paper, other files are none."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.xml file; the document id is its stem."""
        return whole_files(folder, source, (".xml",), only, passing=True)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document and title."""
        return {"document": raw.document, "title": _title(root_of(raw.content, "algorithms"))}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError for malformed XML, and where SectLabel's part is missing."""
        root = root_of(raw.content, "algorithms")
        citations = list(within(_part(root, "ParsCit"), "citation"))
        finder = _Finder(citations)
        paper = PaperBuilder(_title(root))
        pieces: list[tuple[str, str]] = []

        def flush() -> None:
            if pieces:
                if not paper.sections:
                    paper.section("")
                paper.flow(pieces, finder.marks("\n\n".join(text for text, _ in pieces)))
                pieces.clear()

        for element in _lines(root):
            name = name_of(element)
            if name in _LEVELS:
                flush()
                paper.section(plain(element), _LEVELS[name])
            elif name in _TEXT and (text := (element.text or "").strip()):
                pieces.append((text, f"line {element.sourceline}"))
        flush()
        for number, citation in enumerate(citations):
            paper.entry(_entry(str(number), citation))
        return paper.finish()


class _Finder:
    """Finds the marks of a paper's citations in a text, however its lines are broken."""

    def __init__(self, citations: list[etree._Element]) -> None:
        self._entries: dict[str, list[str]] = {}
        for number, citation in enumerate(citations):
            for context in within(citation, "context"):
                mark = " ".join(context.get("citStr", "").split())
                keys = self._entries.setdefault(_form(mark), [])
                if 3 <= len(mark) <= _LONGEST_MARK and str(number) not in keys:
                    keys.append(str(number))
        forms = sorted(filter(None, self._entries), key=len, reverse=True)
        # A line may be broken between any two characters of the form, with a hyphen or without.
        self._pattern = re.compile("|".join(r"-?\s*".join(map(re.escape, form)) for form in forms) or "(?!)")

    def marks(self, text: str) -> list[Mark]:
        """Return the marks, one for each entry that a mark names."""
        return [
            Mark(found.start(), found.end(), key)
            for found in self._pattern.finditer(text)
            for key in self._entries.get(_form(found.group()), ())
        ]


def _form(mark: str) -> str:
    return re.sub(r"[-\s]", "", mark)


def _part(root: etree._Element, name: str) -> etree._Element | None:
    return next((part for part in children(root, "algorithm") if part.get("name") == name), None)


def _lines(root: etree._Element) -> Iterator[etree._Element]:
    variant = _part(root, "SectLabel")
    variant = descend(variant, "variant") if variant is not None else None
    if variant is None:
        raise ParseError("no algorithm SectLabel: not the XML of ParsCit with sections")
    yield from variant


def _title(root: etree._Element) -> str:
    titles = (element for element in _lines(root) if name_of(element) == "title")
    return plain(next(titles, None))


def _entry(key: str, citation: etree._Element) -> BibliographyEntry:
    return BibliographyEntry(
        key,
        plain(descend(citation, "rawString")),
        plain(descend(citation, "title")).rstrip("."),
        plain(descend(citation, "date")),
        tuple(plain(author) for author in children(descend(citation, "authors"), "author")),
    )
