"""JATS: the XML of papers at journals and PubMed Central.

Belongs here: this format (and NLM's, its predecessor). Not here: other XML.

An `article` has a title, `abstract`s, the `sec`s of `body` and `back` with `title` and perhaps `label`, and
the `ref`s of the list of references. A mark is `xref ref-type="bibr"`, whose `rid` names one or more entries.
Subjects are those of `article-categories` (whose heading may be a type of article, "Review"), and the
journal. Figures, tables, displayed formulas and footnotes are not running text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lxml import etree

from ops.parse.decoding import ids_of
from ops.parse.files import whole_files
from ops.parse.papers.paper import BibliographyEntry, Paper, PaperBuilder, subjects_of
from ops.parse.papers.xml_tree import Running, children, descend, name_of, plain, root_of, within
from ops.parse.source import Only, Raw, Source

_SECTIONS = ("sec", "ack", "app", "notes", "glossary")
_FRONT = ("front", "article-meta")
_NO_TEXT = frozenset(
    {"fig", "fig-group", "table-wrap", "table-wrap-group", "disp-formula", "disp-formula-group", "fn",
     "fn-group", "media", "supplementary-material", "boxed-text", "tex-math", "graphic", "def-list",
     "title", "label"}
)  # fmt: skip
_TITLES = {"ack": "Acknowledgments", "app": "Appendix", "glossary": "Glossary", "notes": "Notes"}


class Jats:
    """Reads JATS: every *.nxml and *.xml file below the folder is a paper."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every file; the document id is its stem."""
        return whole_files(folder, source, (".nxml", ".xml"), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return title, document id, and the earliest date of publication."""
        root = root_of(raw.content, "article")
        return {"title": _title(root), "date": _date(root), "document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError for malformed XML, entities, and other root elements."""
        root = root_of(raw.content, "article")
        paper = PaperBuilder(_title(root))
        paper.subjects = _subjects(root)
        for abstract in children(descend(root, *_FRONT), "abstract"):
            # A graphical abstract or highlights would only repeat it.
            if abstract.get("abstract-type") in (None, "summary", "executive-summary"):
                paper.section("Abstract", 1)
                _add(paper, within(abstract, "p"))
        for part in children(root, "body", "back"):
            if any(True for _ in children(part, "p", "list", "disp-quote")):
                paper.section("", 1)
                _paragraphs(paper, part)
            _sections(paper, part, 1)
        for entry in within(descend(root, "back"), "ref"):
            paper.entry(_entry(entry))
        return paper.finish()


def _title(root: etree._Element) -> str:
    return plain(descend(root, *_FRONT, "title-group", "article-title"))


def _subjects(root: etree._Element) -> tuple[str, ...]:
    """Return the subjects of the article's categories, disciplines before their parts, and the journal."""
    groups = descend(root, *_FRONT, "article-categories")
    journals = descend(root, "front", "journal-meta")
    return subjects_of(
        (plain(subject) for subject in within(groups, "subject")),
        (plain(title) for title in within(journals, "journal-title")),
    )


def _date(root: etree._Element) -> str:
    found = []
    for date in within(descend(root, *_FRONT), "pub-date"):
        year, month, day = (plain(descend(date, name)) for name in ("year", "month", "day"))
        if year:
            found.append("-".join([year, *(part.zfill(2) for part in (month, day) if part.isdecimal())]))
    return min(found, default="")


def _sections(paper: PaperBuilder, part: etree._Element, level: int) -> None:
    for section in children(part, *_SECTIONS):
        title = f"{plain(descend(section, 'label'))} {plain(descend(section, 'title'))}".strip()
        paper.section(title or _TITLES.get(name_of(section), ""), level)
        _paragraphs(paper, section)
        _sections(paper, section, level + 1)


def _paragraphs(paper: PaperBuilder, section: etree._Element) -> None:
    for child in children(section, "p", "list", "disp-quote", "statement"):
        _add(paper, within(child, "p") if name_of(child) != "p" else [child])


def _add(paper: PaperBuilder, paragraphs: Iterable[etree._Element]) -> None:
    for paragraph in paragraphs:
        running = Running().walk(paragraph, _key, lambda element: name_of(element) in _NO_TEXT)
        paper.body(running.text, f"line {paragraph.sourceline}", running.marks)


def _key(element: etree._Element) -> str | None:
    cites = name_of(element) == "xref" and element.get("ref-type") == "bibr"
    return (element.get("rid") or "").partition(" ")[0] if cites else None


def _entry(ref: etree._Element) -> BibliographyEntry:
    citation = next(children(ref, "element-citation", "mixed-citation", "citation", "nlm-citation"), ref)
    title = descend(citation, "article-title")
    ids = [(one.get("pub-id-type") or "id", plain(one)) for one in within(citation, "pub-id")]
    return BibliographyEntry(
        ref.get("id", ""),
        " ".join(filter(None, (" ".join(text.split()) for text in citation.itertext(etree.Element)))),
        plain(title if title is not None else descend(citation, "source")),
        plain(next(within(citation, "year"), None))[:4],
        tuple(_name(name) for name in within(citation, "name", "string-name")),
        ids_of(*ids),
    )


def _name(name: etree._Element) -> str:
    given = " ".join(
        plain(one) for one in (descend(name, "given-names"), descend(name, "surname")) if one is not None
    )
    return given or plain(name)
