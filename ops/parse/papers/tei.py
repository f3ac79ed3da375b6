"""GROBID's TEI: papers as XML, made from their PDF.

Belongs here: this format. Not here: asking GROBID for it (grobid.py).

Of a document: the main title of the header, its abstract, the `div`s of the body and of the back matter with
`head` (its number is the attribute `n`), and the `biblStruct`s of the bibliography. A mark is `ref
type="bibr"`, whose `target` names an entry. Subjects are the `classCode`s of the header, and the
journal. Figures, tables, formulas and notes are no running text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lxml import etree

from ops.parse.files import whole_files
from ops.parse.papers.json_shapes import ids_of
from ops.parse.papers.paper import BibliographyEntry, Paper, PaperBuilder
from ops.parse.papers.subjects import subjects_of
from ops.parse.papers.xml_tree import Running, children, descend, name_of, plain, root_of, within
from ops.parse.source import Only, Raw, Source

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_NO_TEXT = frozenset({"figure", "table", "formula", "note", "head"})


class Tei:
    """Reads GROBID's TEI; every *.tei.xml, *.tei and *.xml file below the folder is a paper."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document id is its name without these endings."""
        return whole_files(folder, source, (".xml", ".tei"), only, document=_document)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return title, document, and the date of publication where the header has one."""
        root = root_of(raw.content, "TEI")
        return {"title": _title(root), "date": _date(root), "document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError for malformed XML and for what is no TEI."""
        root = root_of(raw.content, "TEI")
        paper = PaperBuilder(_title(root))
        paper.subjects = _subjects(root)
        if abstract := list(within(descend(root, "teiHeader", "profileDesc", "abstract"), "p")):
            paper.section("Abstract", 1)
            _add(paper, abstract)
        text = descend(root, "text")
        for part in children(text, "body", "back"):
            for section in within(part, "div"):
                if section.get("type") == "references":
                    continue
                found = list(children(section, "p", "list"))
                head = descend(section, "head")
                if head is not None or found:
                    number = head.get("n", "") if head is not None else ""
                    paper.section(f"{number} {plain(head)}".strip())
                _add(paper, found)
        for entry in within(descend(text, "back") if text is not None else None, "biblStruct"):
            paper.entry(_entry(entry))
        return paper.finish()


def _document(path: str) -> str:
    return Path(path).name.removesuffix(".xml").removesuffix(".tei")


def _title(root: etree._Element) -> str:
    titles = list(children(descend(root, "teiHeader", "fileDesc", "titleStmt"), "title"))
    return plain(
        next((title for title in titles if title.get("type") == "main"), titles[0] if titles else None)
    )


def _subjects(root: etree._Element) -> tuple[str, ...]:
    """Return the codes of the header's classification, and the journal; keywords are no subjects."""
    classes = descend(root, "teiHeader", "profileDesc", "textClass")
    source = descend(root, "teiHeader", "fileDesc", "sourceDesc")
    journals = (title for title in within(source, "title") if title.get("level") == "j")
    return subjects_of(map(plain, within(classes, "classCode")), map(plain, journals))


def _date(root: etree._Element) -> str:
    dates = within(descend(root, "teiHeader", "fileDesc"), "date")
    return next((when for date in dates if (when := date.get("when"))), "")


def _add(paper: PaperBuilder, paragraphs: Iterable[etree._Element]) -> None:
    for paragraph in paragraphs:
        running = Running().walk(paragraph, _key, lambda element: name_of(element) in _NO_TEXT)
        paper.body(running.text, f"line {paragraph.sourceline}", running.marks)


def _key(element: etree._Element) -> str | None:
    cites = name_of(element) == "ref" and element.get("type") == "bibr"
    return element.get("target", "").removeprefix("#") if cites else None


def _entry(entry: etree._Element) -> BibliographyEntry:
    analytic, monogr = descend(entry, "analytic"), descend(entry, "monogr")
    titles = [descend(one, "title") for one in (analytic, monogr) if one is not None]
    authors = list(within(analytic, "author")) or list(within(monogr, "author"))
    dates = (date.get("when", "") for date in within(monogr, "date"))
    notes = (plain(note) for note in children(entry, "note") if note.get("type") == "raw_reference")
    numbers = [((one.get("type") or "id").lower(), plain(one)) for one in within(entry, "idno")]
    return BibliographyEntry(
        entry.get(_ID, ""),
        next(notes, ""),
        next(filter(None, map(plain, titles)), ""),
        next(filter(None, dates), "")[:4],
        tuple(filter(None, (_name(author) for author in authors))),
        ids_of(*numbers),
    )


def _name(author: etree._Element) -> str:
    return " ".join(filter(None, (plain(name) for name in within(author, "forename", "surname"))))
