"""JATS: the XML of papers at journals and PubMed Central.

Belongs here: this format (and NLM's, its predecessor). Not here: other XML.

An `article` has a title, `abstract`s, the `sec`s of `body` and `back` with `title` and perhaps `label`, and
the `ref`s of the list of references. A mark is `xref ref-type="bibr"`, whose `rid` names one or more entries.
Subjects are those of `article-categories` (whose heading may be a type of article, "Review"), and the
journal; the DOI is an `article-id`. Items of lists, terms, definitions, quotations and lines are paragraphs.
Boxes are sections after those of the body, and so is an author's summary after the abstract. Figures, tables,
footnotes and the names of speakers are not running text; a displayed formula or a picture that interrupts a
sentence leaves a hole. Abstracts that only repeat the first (graphical, highlights) are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from lxml import etree

from silverloom.ops.parse.decoding import ids_of
from silverloom.ops.parse.files import whole_files
from silverloom.ops.parse.papers.metadata import doi_of, subjects_of
from silverloom.ops.parse.papers.paper import BibliographyEntry, Paper, PaperBuilder
from silverloom.ops.parse.papers.xml_tree import (
    DRAWN,
    Markup,
    Running,
    TextBlock,
    children,
    descend,
    name_of,
    plain,
    root_of,
    within,
)
from silverloom.ops.parse.source import Only, Raw, Source

_SECTIONS = ("sec", "ack", "app", "notes", "glossary")
_GROUPS = ("app-group",)
_FRONT = ("front", "article-meta")
_MARKUP = Markup(
    blocks=frozenset(
        {"p", "list", "list-item", "list/title", "def-list", "def-list/title", "def-item", "term", "def",
         "term-head", "def-head", "disp-quote", "disp-quote/title", "statement", "statement/title", "speech",
         "verse-group", "verse-group/title", "verse-line", "attrib", "preformat", "code", "question",
         "answer", "explanation", "break"}
    ),
    skipped=frozenset(
        {"fig", "fig-group", "table-wrap", "table-wrap-group", "fn-group", "media",
         "supplementary-material", "boxed-text", "tex-math", "title", "label", "speaker", "object-id",
         "sec-meta", "ref-list", "bio", *_SECTIONS, *_GROUPS}
    ),
    displayed=frozenset(
        {"disp-formula", "disp-formula-group", "chem-struct", "chem-struct-wrap", "array", "graphic"}
    ),
    pictures=DRAWN | {"inline-graphic", "private-char"},
    shown=frozenset({"inline-formula"}),
)  # fmt: skip
_ABSTRACT = replace(
    _MARKUP, blocks=_MARKUP.blocks | {*_SECTIONS}, skipped=_MARKUP.skipped - {*_SECTIONS, "boxed-text"}
)
#: Kinds of abstracts that are an abstract, and those that only repeat it or show it as a picture.
_ABSTRACTS = frozenset({"", "summary", "executive-summary"})
_REPEATED = frozenset({"graphical", "highlights", "key-points", "teaser", "toc", "video"})
_TITLES = {
    "ack": "Acknowledgments", "app": "Appendix", "glossary": "Glossary", "notes": "Notes",
    "boxed-text": "Box",
}  # fmt: skip


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
        paper.subjects, paper.doi = _subjects(root), _doi(root)
        for abstract in children(descend(root, *_FRONT), "abstract"):
            kind = abstract.get("abstract-type") or ""
            if kind not in _REPEATED and (paragraphs := _paragraphs(abstract, _ABSTRACT)):
                title = "Abstract" if kind in _ABSTRACTS else plain(descend(abstract, "title")) or kind
                paper.section(title, 1)
                _add(paper, paragraphs)
        for part in children(root, "body", "back", "floats-group", "floats-wrap"):
            if paragraphs := _paragraphs(part):
                paper.section("", 1)
                _add(paper, paragraphs)
            _sections(paper, part, 1)
            for box in within(part, "boxed-text"):
                _section(paper, box, 1)
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


def _doi(root: etree._Element) -> str:
    ids = children(descend(root, *_FRONT), "article-id")
    return doi_of(*(plain(one) for one in ids if one.get("pub-id-type") == "doi"))


def _date(root: etree._Element) -> str:
    dates = []
    for date in within(descend(root, *_FRONT), "pub-date"):
        year, month, day = (plain(descend(date, name)) for name in ("year", "month", "day"))
        if year:
            dates.append("-".join([year, *(part.zfill(2) for part in (month, day) if part.isdecimal())]))
    return min(dates, default="")


def _sections(paper: PaperBuilder, part: etree._Element, level: int) -> None:
    for child in children(part, *_SECTIONS, *_GROUPS):
        if name_of(child) in _GROUPS:
            _sections(paper, child, level)
        else:
            _section(paper, child, level)


def _section(paper: PaperBuilder, section: etree._Element, level: int) -> None:
    """Add a section or a box with its subsections; a box may have a heading, or only subsections."""
    boxed = name_of(section) == "boxed-text"
    heading = descend(section, "caption", "title") if boxed else None
    heading = descend(section, "title") if heading is None else heading
    title = f"{plain(descend(section, 'label'))} {plain(heading)}".strip()
    paragraphs = _paragraphs(section)
    shown = bool(title or paragraphs) or not boxed
    if shown:
        paper.section(title or _TITLES.get(name_of(section), ""), level)
    _add(paper, paragraphs)
    _sections(paper, section, level + shown)


def _paragraphs(part: etree._Element, markup: Markup = _MARKUP) -> list[TextBlock]:
    return Running(markup, _key).paragraphs(part)


def _add(paper: PaperBuilder, paragraphs: list[TextBlock]) -> None:
    for paragraph in paragraphs:
        paragraph.add_to(paper)


def _key(element: etree._Element) -> str | None:
    cites = name_of(element) == "xref" and element.get("ref-type") == "bibr"
    return (element.get("rid") or "").partition(" ")[0] if cites else None


def _entry(ref: etree._Element) -> BibliographyEntry:
    citation = next(children(ref, "element-citation", "mixed-citation", "citation", "nlm-citation"), ref)
    title = descend(citation, "article-title")
    parts = (" ".join(text.split()) for text in citation.itertext(etree.Element))
    ids = [(one.get("pub-id-type") or "id", plain(one)) for one in within(citation, "pub-id")]
    return BibliographyEntry(
        ref.get("id", ""),
        plain(citation) if name_of(citation) == "mixed-citation" else " ".join(filter(None, parts)),
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
