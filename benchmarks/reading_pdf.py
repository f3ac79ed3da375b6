"""PDF: abstract, bibliography and sections of real papers, and their text beside that of peers.

Used by benchmarks/reading.py. DATA/reading/pdf holds papers. Some have an outline: its titles are the gold
of the sections, compared letter by letter without case, number and punctuation. "Abstract", "References" and
"Acknowledgments" are no errors where the outline lacks them. An abstract is found if its section has 40 to
500 words. A bibliography is apart if its section has ten years or more, and in the second half of the paper
no section but itself and appendices has ten sentences that begin like its entries.

Text is measured as words in any order: recall and precision against GROBID, where its TEI is next to the PDF;
and against the text of ACL papers (DATA/acl_papers.tar.gz) that are printed in two columns, with running
heads, page numbers and hyphens.
"""

from __future__ import annotations

import re
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pypdfium2

from benchmarks.reading_rows import Row, ask_peer
from silverloom.ops.parse.papers.acl_corpora import ClSciSumm
from silverloom.ops.parse.papers.extraction_tools import Tei
from silverloom.ops.parse.papers.paper import Paper
from silverloom.ops.parse.papers.pdf import Pdf
from silverloom.ops.parse.roles import ABSTRACT, APPENDIX, PREAMBLE, REFERENCES
from silverloom.ops.parse.source import MonthRule, Raw, Source
from tests.papers_as_pdf import printed

PRINTED = 20
_SHORTEST, _LONGEST, _YEARS, _ENTRIES = 40, 500, 10, 10
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ENTRY = re.compile(r"\[\d{1,3}\]|\d{1,3}\. [A-Z]|[A-Z][\w'\u2019-]+,? (?:[A-Z]\.,? ?)+.*\b(?:19|20)\d\d\b")
_NUMBER = re.compile(
    r"(?:appendix )?(?:[ivx]{1,5}(?:-[a-h])?|\d{1,2}(?:\.\d{1,2})*|[a-h](?:[.-]\w{1,2})*)[.:)]?(?= )"
)
#: Titles that papers print and outlines leave out.
_FREE = frozenset({"abstract", "references", "acknowledgments", "acknowledgements"})
PEERS = {
    "pypdf": "import pypdf\n"
    "text = lambda path: ' '.join(p.extract_text() for p in pypdf.PdfReader(path).pages)",
    "pdfminer.six": "from pdfminer.high_level import extract_text as text",
    "pdfplumber": "import pdfplumber\n"
    "text = lambda path: ' '.join(p.extract_text() or '' for p in pdfplumber.open(path).pages)",
}
_ASK = "\nimport json, sys\nprint(json.dumps([text(path) for path in json.load(sys.stdin)]))"


def rows(data: Path, peer: str | None) -> Iterator[Row]:
    """Yield the rows of this area."""
    paths = sorted((data / "reading" / "pdf").glob("*.pdf"))
    papers = [Pdf().parse(Raw(path.name, path.stem, path.read_bytes())) for path in paths]
    name = f"{len(paths)} papers"
    yield Row(name, "abstract found", _share(papers, _has_abstract), wanted="all")
    yield Row(name, "bibliography apart", _share(papers, _has_bibliography), wanted="all")
    outlines = [(_titles_in(path), paper) for path, paper in zip(paths, papers, strict=True)]
    with_outline = [(titles, paper) for titles, paper in outlines if titles]
    score = _sections(with_outline)
    yield Row(f"{len(with_outline)} papers with an outline", "sections", score, wanted="≥ .90, ≥ .90")
    beside = [path for path in paths if path.with_suffix(".tei.xml").exists()]
    golds = [
        _running_words(Tei().parse(Raw("a.xml", "a", path.with_suffix(".tei.xml").read_bytes())))
        for path in beside
    ]
    for row in _text("papers with GROBID's TEI", beside, golds, peer):
        yield replace(row, wanted="≥ .96, ≥ .93")
    with tempfile.TemporaryDirectory() as place:
        yield from _text(
            "printed ACL papers", *_printed_papers(data / "acl_papers.tar.gz", Path(place)), peer
        )


def _share(papers: Sequence[Paper], has: object) -> str | None:
    return f"{sum(map(has, papers))} of {len(papers)}" if papers and callable(has) else None


def _texts(paper: Paper, *roles: str) -> list[str]:
    """Return the sentences in sections of some roles."""
    return [sentence.text for sentence in paper.sentences if paper.sections[sentence.section].role in roles]


def _has_abstract(paper: Paper) -> bool:
    return _SHORTEST <= len(" ".join(_texts(paper, ABSTRACT)).split()) <= _LONGEST


def _has_bibliography(paper: Paper) -> bool:
    roles = [section.role for section in paper.sections]
    half = paper.sentences[len(paper.sentences) // 2 :]
    outside = Counter(
        sentence.section
        for sentence in half
        if roles[sentence.section] not in (REFERENCES, APPENDIX) and _ENTRY.match(sentence.text)
    )
    years = sum(len(_YEAR.findall(text)) for text in _texts(paper, REFERENCES))
    return years >= _YEARS and max(outside.values(), default=0) < _ENTRIES


def _titles_in(path: Path) -> Counter[str]:
    """Return the titles of a PDF's outline."""
    with pypdfium2.PdfDocument(path) as document:
        return Counter(_plain(entry.get_title()) for entry in document.get_toc(max_depth=8))


def _plain(title: str) -> str:
    title = title.strip().lower()
    number = _NUMBER.match(title)
    return re.sub(r"[^a-z]", "", title[number.end() :] if number else title)


def _sections(papers: Sequence[tuple[Counter[str], Paper]]) -> str | None:
    """Return recall and precision of the titles of sections."""
    right = wanted = ours = 0
    for titles, paper in papers:
        printed_titles = Counter(_plain(section.title) for section in paper.sections if section.title)
        for title in _FREE - titles.keys():
            del printed_titles[title]
        right += (titles & printed_titles).total()
        wanted += titles.total()
        ours += printed_titles.total()
    return f"recall {right / wanted:.3f}, precision {right / ours:.3f}" if right else None


def _text(name: str, paths: Sequence[Path], golds: Sequence[Counter[str]], peer: str | None) -> Iterator[Row]:
    """Yield the recall and precision of words in running text, here and by each peer."""
    if not paths:
        yield Row(name, "words", None)
        return
    papers = [Pdf().parse(Raw(path.name, path.stem, path.read_bytes())) for path in paths]
    here = _compared([_running_words(paper) for paper in papers], golds)
    peers = {
        title: _compared([_words(text) for text in answer], golds) if answer else None
        for title, program in PEERS.items()
        for answer in [ask_peer(peer, program + _ASK, [str(path) for path in paths])]
    }
    yield Row(f"{len(paths)} {name}", "words", here, peers)


def _running_words(paper: Paper) -> Counter[str]:
    """Return the words of a paper's sentences, without front matter and bibliography."""
    roles = {section.role for section in paper.sections} - {REFERENCES, PREAMBLE}
    return _words(" ".join(_texts(paper, *roles)))


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def _compared(texts: Sequence[Counter[str]], golds: Sequence[Counter[str]]) -> str:
    right = sum((text & gold).total() for text, gold in zip(texts, golds, strict=True))
    recall = right / sum(gold.total() for gold in golds)
    precision = right / max(1, sum(text.total() for text in texts))
    return f"recall {recall:.3f}, precision {precision:.3f}"


def _printed_papers(archive: Path, place: Path) -> tuple[list[Path], list[Counter[str]]]:
    """Print ACL papers as PDF; return the files and the words of their running text."""
    if not archive.exists():
        return [], []
    with tarfile.open(archive) as packed:
        packed.extractall(place, filter="data")
    source = Source(kind="cl_scisumm", path=".", month=MonthRule(constant="2018-06"), licence="-")
    paths: list[Path] = []
    golds: list[Counter[str]] = []
    for raw in [raw for raw in ClSciSumm().split(place, source) if raw.error is None][:PRINTED]:
        paper = ClSciSumm().parse(raw)
        path = place / f"{len(paths)}.pdf"
        path.write_bytes(
            printed(
                paper.title,
                [(title, _in_section(paper, index)) for index, (title, _) in enumerate(paper.sections)],
            )
        )
        paths.append(path)
        words = " ".join(
            _texts(paper, *{section.role for section in paper.sections} - {REFERENCES, PREAMBLE})
        )
        golds.append(_words(words.encode("cp1252", "replace").decode("cp1252")))
    return paths, golds


def _in_section(paper: Paper, index: int) -> list[str]:
    return [sentence.text for sentence in paper.sentences if sentence.section == index]
